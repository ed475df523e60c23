package dp8peer

import (
	"math/bits"
	"time"

	"github.com/dpdissect/dpdissect/dp8"
)

// sackMask names what is queued beyond the next number expected: bit i is
// nextRcv+1+i (MC-DPL8R 3.1.5.2.3).
func (r *receiver) sackMask() (mask uint64) {
	for i := int64(0); i < window-1; i++ {
		if r.slots[(r.nextRcv+1+i)%window].state != empty {
			mask |= 1 << i
		}
	}
	return mask
}

// sendMask names what is given up, relative to a number: bit i is seq-1-i
// (MC-DPL8R 3.1.5.2.4).
func (s *sender) sendMask(seq int64) (mask uint64) {
	for _, m := range s.masked {
		if m < seq && seq-1-m < 64 {
			mask |= 1 << (seq - 1 - m)
		}
	}
	return mask
}

func (s *sender) addMasks(d *dp8.DFrame, note *Note) {
	d.SACKMask, d.SendMask = s.peer.in.sackMask(), s.sendMask(note.Seq)
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
	if bits.OnesCount64(d.SendMask) == len(s.masked) {
		s.rearmMask() // the mask rides along, whole
	}
}

// sendSACK sends a dedicated acknowledgement.
func (r *receiver) sendSACK() {
	r.ackAt.Stop()
	s := dp8.SACK{Command: dp8.CFrame, Flags: dp8.SACKResponse, NSeq: uint8(r.peer.out.nextSend), NRcv: uint8(r.nextRcv),
		Timestamp: r.peer.node.tick(), SACKMask: r.sackMask(), SendMask: r.peer.out.sendMask(r.peer.out.nextSend)}
	if r.lastRetry {
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
	note := r.peer.note(dp8.TypeSACK)
	note.Seq, note.NRcv, note.SACKMask, note.SendMask = r.peer.out.nextSend, r.nextRcv, s.SACKMask, s.SendMask
	if r.peer.out.keys != nil {
		s.HasSignature = true
		r.peer.out.signCommand(note, &s.Signature, r.peer.out.nextSend, s.Append) // MC-DPL8R 2.2.1.5: bNSeq counts
	}
	r.peer.out.rearmMask()
	r.peer.send(note, s.Append(nil))
	r.peer.finish()
}

// signCommand signs a command frame, whose signature comes last.
func (s *sender) signCommand(note *Note, sig *[8]byte, seq int64, encode func([]byte) []byte) {
	b := encode(nil)
	note.KeyEpoch = seq >> 8
	*sig, _ = s.keys.Signature(b, len(b)-8, seq)
}

// ackWithin sees to it that an acknowledgement leaves within d.
func (r *receiver) ackWithin(d time.Duration) {
	if r.ackAt.Active() && r.ackAt.At <= r.peer.now()+d {
		return
	}
	r.ackAt.Stop()
	r.ackAt = r.peer.after(d, r.sendSACK)
}

// onAck takes the acknowledgements of a frame received.
func (s *sender) onAck(nrcv uint8, mask uint64) {
	n := int64(nrcv - uint8(s.base))
	if n > s.nextSend-s.base {
		return // an old frame
	}
	for ; n > 0; n-- {
		s.release()
	}
	for m := mask; m != 0; m &= m - 1 {
		seq := s.base + 1 + int64(bits.TrailingZeros64(m))
		if f := s.flight[seq%window]; f != nil && f.seq == seq {
			f.sacked = true
			f.timer.Stop()
		}
	}
	if f := s.flight[s.base%window]; mask != 0 && f != nil && !f.sacked {
		s.hurry(f)
	}
}

// release retires the lowest outstanding frame.
func (s *sender) release() {
	i := s.base % window
	if f := s.flight[i]; f != nil {
		f.timer.Stop()
		if f.polled && f.retries == 0 {
			s.rtt = (7*s.rtt + s.peer.now() - f.sentAt) / 8
		}
		s.flight[i] = nil
	}
	s.base++
	if len(s.masked) > 0 && s.masked[0] < s.base {
		s.masked = s.masked[1:]
		s.maskSent = 0
	}
	// MC-DPL8R 3.1.4.4: the window grows as acknowledgements arrive.
	s.room = min(s.room+1, window)
}
