package dp8peer

import "github.com/dpdissect/dpdissect/dp8"

// Close ends the connection gracefully: when all messages are sent, a reliable
// frame with END_STREAM follows (MC-DPL8R 3.1.4.3).
func (p *Peer) Close() {
	if p.ending || p.state != established {
		return
	}
	p.ending = true
	p.conn.Told.Wants[p.side] = p.in.remoteEnd < 0 // not in answer
	if n := len(p.out.queue); p.cfg.EndOnLast && n > 0 && p.out.queue[n-1].msg != nil && p.out.queue[n-1].msg.Reliable {
		p.out.queue[n-1].endStream = true
	} else {
		p.out.queue = append(p.out.queue, piece{endStream: true})
	}
	p.out.pump()
}

// finish ends the connection when both ends of stream are acknowledged.
func (p *Peer) finish() {
	if p.state == established && p.out.endSeq >= 0 && p.out.endSeq < p.out.base && p.in.remoteEnd >= 0 && !p.in.ackAt.Active() {
		p.state = closed
		p.out.maskAt.Stop()
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
	p.handshaking.sendHard()
}

// sendHard sends HARD_DISCONNECT three times, half a round trip apart.
func (hs *handshake) sendHard() {
	hs.send(dp8.Handshake{Command: dp8.CFrame, Opcode: dp8.OpHardDisconnect})
	if hs.hards++; hs.hards < hardCopies {
		hs.hardTimer = hs.peer.after(min(max(hs.peer.out.rtt/2, hardMin), hardMax), hs.sendHard)
	}
}

// onHard is the partner's HARD_DISCONNECT.
func (hs *handshake) onHard() {
	if hs.peer.state != established {
		hs.hardTimer.Stop() // our own is answered
		return
	}
	hs.peer.stop()
	hs.peer.state = reset
	for range hardCopies { // MC-DPL8R 3.1.5.1.4: answered by three at once
		hs.send(dp8.Handshake{Command: dp8.CFrame, Opcode: dp8.OpHardDisconnect})
	}
}
