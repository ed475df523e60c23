package dp8peer

import (
	"math/bits"
	"time"

	"github.com/dpdissect/dpdissect/dp8"
)

// sackMask names what is queued beyond the next number expected: bit i is
// nextRcv+1+i (MC-DPL8R 3.1.5.2.3).
func (p *Peer) sackMask() (mask uint64) {
	for i := int64(0); i < window-1; i++ {
		if p.slots[(p.nextRcv+1+i)%window].state != empty {
			mask |= 1 << i
		}
	}
	return mask
}

// sendMask names what is given up, relative to a number: bit i is seq-1-i
// (MC-DPL8R 3.1.5.2.4).
func (p *Peer) sendMask(seq int64) (mask uint64) {
	for _, m := range p.masked {
		if m < seq && seq-1-m < 64 {
			mask |= 1 << (seq - 1 - m)
		}
	}
	return mask
}

func (p *Peer) addMasks(d *dp8.DFrame, note *Note) {
	d.SACKMask, d.SendMask = p.sackMask(), p.sendMask(note.Seq)
	note.SACKMask, note.SendMask = d.SACKMask, d.SendMask
	for _, w := range []struct {
		mask uint64
		bit  dp8.Control
	}{{d.SACKMask << 32, dp8.CtlSACK1}, {d.SACKMask >> 32, dp8.CtlSACK2},
		{d.SendMask << 32, dp8.CtlSend1}, {d.SendMask >> 32, dp8.CtlSend2}} {
		if w.mask != 0 {
			d.Control |= w.bit
		}
	}
	if bits.OnesCount64(d.SendMask) == len(p.masked) {
		p.rearmMask() // the mask rides along, whole
	}
}

// sendSACK sends a dedicated acknowledgement.
func (p *Peer) sendSACK() {
	p.ackAt.Stop()
	s := dp8.SACK{Command: dp8.CFrame, Flags: dp8.SACKResponse, NSeq: uint8(p.nextSend), NRcv: uint8(p.nextRcv),
		Timestamp: p.node.tick(), SACKMask: p.sackMask(), SendMask: p.sendMask(p.nextSend)}
	if p.lastRetry {
		s.Retry = 1
	}
	for _, w := range []struct {
		mask uint64
		bit  uint8
	}{{s.SACKMask << 32, dp8.SACKMask1}, {s.SACKMask >> 32, dp8.SACKMask2},
		{s.SendMask << 32, dp8.SACKSend1}, {s.SendMask >> 32, dp8.SACKSend2}} {
		if w.mask != 0 {
			s.Flags |= w.bit
		}
	}
	note := p.note(dp8.TypeSACK)
	note.Seq, note.NRcv, note.SACKMask, note.SendMask = p.nextSend, p.nextRcv, s.SACKMask, s.SendMask
	if p.local != nil {
		s.HasSignature = true
		p.signCommand(note, &s.Signature, p.nextSend, s.Append) // MC-DPL8R 2.2.1.5: bNSeq counts
	}
	p.rearmMask()
	p.send(note, s.Append(nil))
	p.finish()
}

// signCommand signs a command frame, whose signature comes last.
func (p *Peer) signCommand(note *Note, sig *[8]byte, seq int64, encode func([]byte) []byte) {
	b := encode(nil)
	note.KeyEpoch = seq >> 8
	*sig, _ = p.local.Signature(b, len(b)-8, seq)
}

// ackWithin sees to it that an acknowledgement leaves within d.
func (p *Peer) ackWithin(d time.Duration) {
	if p.ackAt.Active() && p.ackAt.At <= p.now()+d {
		return
	}
	p.ackAt.Stop()
	p.ackAt = p.after(d, p.sendSACK)
}

// onAck takes the acknowledgements of a frame received.
func (p *Peer) onAck(nrcv uint8, mask uint64) {
	n := int64(nrcv - uint8(p.base))
	if n > p.nextSend-p.base {
		return // an old frame
	}
	for ; n > 0; n-- {
		p.release()
	}
	for m := mask; m != 0; m &= m - 1 {
		seq := p.base + 1 + int64(bits.TrailingZeros64(m))
		if f := p.flight[seq%window]; f != nil && f.seq == seq {
			f.sacked = true
			f.timer.Stop()
		}
	}
	if f := p.flight[p.base%window]; mask != 0 && f != nil && !f.sacked {
		p.hurry(f)
	}
}

// release retires the lowest outstanding frame.
func (p *Peer) release() {
	i := p.base % window
	if f := p.flight[i]; f != nil {
		f.timer.Stop()
		if f.polled && f.retries == 0 {
			p.rtt = (7*p.rtt + p.now() - f.sentAt) / 8
		}
		p.flight[i] = nil
	}
	p.base++
	if len(p.masked) > 0 && p.masked[0] < p.base {
		p.masked = p.masked[1:]
		p.maskSent = 0
	}
	// MC-DPL8R 3.1.4.4: the window grows as acknowledgements arrive.
	p.room = min(p.room+1, window)
}
