package dp8peer

import "github.com/dpdissect/dpdissect/dp8"

// Close ends the connection gracefully: when all messages are sent, a reliable
// frame with END_STREAM follows (MC-DPL8R 3.1.4.3).
func (p *Peer) Close() {
	if p.ending || p.state != established {
		return
	}
	p.ending = true
	p.conn.Told.Wants[p.side] = p.remoteEnd < 0 // not in answer
	if n := len(p.queue); p.cfg.EndOnLast && n > 0 && p.queue[n-1].msg != nil && p.queue[n-1].msg.Reliable {
		p.queue[n-1].endStream = true
	} else {
		p.queue = append(p.queue, piece{endStream: true})
	}
	p.pump()
}

// finish ends the connection when both ends of stream are acknowledged.
func (p *Peer) finish() {
	if p.state == established && p.endSeq >= 0 && p.endSeq < p.base && p.remoteEnd >= 0 && !p.ackAt.Active() {
		p.state = closed
		p.maskAt.Stop()
	}
}

// HardClose ends the connection at once (MC-DPL8R 3.1.4.5).
func (p *Peer) HardClose() {
	if p.state != established {
		return
	}
	p.conn.Told.Wants[p.side] = true
	p.stop()
	p.state = reset
	p.sendHard()
}

// sendHard sends HARD_DISCONNECT three times, half a round trip apart.
func (p *Peer) sendHard() {
	p.sendHandshake(dp8.Handshake{Command: dp8.CFrame, Opcode: dp8.OpHardDisconnect})
	if p.hards++; p.hards < hardCopies {
		p.hardTimer = p.after(min(max(p.rtt/2, hardMin), hardMax), p.sendHard)
	}
}

// onHard is the partner's HARD_DISCONNECT.
func (p *Peer) onHard() {
	if p.state != established {
		p.hardTimer.Stop() // our own is answered
		return
	}
	p.stop()
	p.state = reset
	for range hardCopies { // MC-DPL8R 3.1.5.1.4: answered by three at once
		p.sendHandshake(dp8.Handshake{Command: dp8.CFrame, Opcode: dp8.OpHardDisconnect})
	}
}
