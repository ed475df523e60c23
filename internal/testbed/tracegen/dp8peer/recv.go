package dp8peer

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dp8"
)

type slotState uint8

const (
	empty slotState = iota
	received
	dropped // given up by a send mask
)

// A slot holds a data frame that waits for its turn.
type slot struct {
	state   slotState
	early   bool // delivered on arrival: not sequential
	control dp8.Control
	command dp8.Command
	keep    bool // KeepAlive
	parts   []part
}

type part struct {
	data     []byte
	reliable bool
}

// receive takes every frame but the first of a handshake.
func (p *Peer) receive(f *dp8.Frame, payload []byte) {
	switch f.Type {
	case dp8.TypeConnected:
		p.onConnected(&f.Handshake)
	case dp8.TypeHardDisconnect:
		h := &f.Handshake
		if h.SessionID == p.conn.SessionID && p.genuine(payload, h.HasSignature, h.Signature, 16, p.remoteNext(h.RspID)) {
			p.onHard()
		}
	case dp8.TypeSACK:
		s := &f.SACK
		if p.live() && p.genuine(payload, s.HasSignature, s.Signature, len(payload)-8, p.remoteNext(s.NSeq)) {
			p.onSACK(s)
		}
	case dp8.TypeDFrame:
		d := &f.DFrame
		if p.live() && p.genuine(payload, d.HasSignature, d.Signature, d.SignatureOff, p.remoteSeq(d.Seq)) {
			p.onData(d)
		}
	}
}

// live reports whether data frames and SACKs are acted upon.
func (p *Peer) live() bool { return p.state == established || p.state == closed }

// remoteSeq unwraps a data frame's number: in the window, else the latest before it.
func (p *Peer) remoteSeq(seq uint8) int64 {
	n := int64(seq - uint8(p.nextRcv))
	if n >= window {
		n -= 256
	}
	return p.nextRcv + n
}

// remoteNext unwraps the number a partner will send next, which may stand one
// behind a full window (AMB-DP8-08).
func (p *Peer) remoteNext(seq uint8) int64 {
	n := int64(seq - uint8(p.nextRcv))
	if n > window {
		n -= 256
	}
	return p.nextRcv + n
}

// genuine checks a signature. The secret is that of the epoch of the frame's own
// number (MC-DPL8R 3.1.5.2.7, AMB-DP8-10).
func (p *Peer) genuine(payload []byte, has bool, sig [8]byte, off int, seq int64) bool {
	if p.remote == nil {
		return true
	}
	if has {
		if want, ok := p.remote.Signature(payload, off, max(seq, 0)); ok && want == sig {
			return true
		}
	}
	p.Rejected++
	return false
}

func (p *Peer) onSACK(s *dp8.SACK) {
	p.heard = p.now()
	before := p.nextRcv
	p.onSendMask(p.remoteNext(s.NSeq), s.SendMask)
	if p.nextRcv != before {
		p.ackWithin(ackDelay)
	}
	p.onAck(s.NRcv, s.SACKMask)
	p.conclude()
}

// onData processes a genuine data frame (MC-DPL8R 3.1.5.2).
func (p *Peer) onData(d *dp8.DFrame) {
	if d.KeepAlive && d.SessionID != p.conn.SessionID {
		return
	}
	p.heard = p.now()
	p.lastRetry = d.Control&dp8.CtlRetry != 0
	seq := p.remoteSeq(d.Seq)
	fresh := seq >= p.nextRcv && p.slots[seq%window].state == empty && (p.remoteEnd < 0 || seq <= p.remoteEnd)
	expected := seq == p.nextRcv
	if fresh {
		p.store(seq, d)
	}
	p.onSendMask(seq, d.SendMask)
	p.onAck(d.NRcv, d.SACKMask)
	correlate := d.Control&dp8.CtlKeepAlive != 0 && !d.KeepAlive
	switch {
	case d.Command&dp8.Poll != 0 || correlate:
		p.sendSACK()
	case fresh && expected && p.sackMask() == 0:
		p.ackWithin(ackDelay)
	default: // out of order, or received before
		p.ackWithin(ackDelayShort)
	}
	p.conclude()
}

// conclude ends the processing of a frame: what the windows allow now is sent,
// the partner's end of stream answered by our own (MC-DPL8R 3.1.4.3).
func (p *Peer) conclude() {
	if p.remoteEnd >= 0 {
		p.Close()
	}
	p.pump()
	p.finish()
}

// store keeps a frame and delivers what is due.
func (p *Peer) store(seq int64, d *dp8.DFrame) {
	s := &p.slots[seq%window]
	*s = slot{state: received, command: d.Command, control: d.Control, keep: d.KeepAlive || d.IsEmptyKeepAlive()}
	if d.Coalesced {
		for i := range d.Coalesce.Parts[:d.Coalesce.N] {
			c := &d.Coalesce.Parts[i]
			s.parts = append(s.parts, part{append([]byte(nil), c.Data...), c.Reliable()})
		}
	} else if !s.keep && len(d.Payload) > 0 {
		s.parts = []part{{append([]byte(nil), d.Payload...), d.Command&dp8.Reliable != 0}}
	}
	const whole = dp8.NewMsg | dp8.EndMsg
	if d.Command&dp8.Sequential == 0 && d.Command&whole == whole {
		s.early = true
		p.deliverParts(s)
	}
	p.advance()
}

// advance takes all frames that are in sequence now.
func (p *Peer) advance() {
	for {
		s := &p.slots[p.nextRcv%window]
		if s.state == empty {
			return
		}
		p.take(p.nextRcv, s)
		*s = slot{}
		p.nextRcv++
		if p.remote != nil && p.nextRcv&0xff == 192 {
			p.remote.Advance() // MC-DPL8R 3.1.5.2.7: all before 192 are there
		}
	}
}

// take processes one frame in sequence.
func (p *Peer) take(seq int64, s *slot) {
	if s.state == dropped {
		p.Dropped++
		p.spoiled = true
		return
	}
	if p.remote != nil && !s.keep && s.command&dp8.Reliable != 0 {
		for _, c := range s.parts {
			if c.reliable {
				p.remote.Payload(seq, c.data)
				break
			}
		}
	}
	if !s.early && !s.keep {
		p.assemble(s)
	}
	if s.control&dp8.CtlEndStream != 0 {
		p.remoteEnd = seq
	}
}

// assemble joins large messages (MC-DPL8R 3.1.5.2.6).
func (p *Peer) assemble(s *slot) {
	if s.command&dp8.NewMsg != 0 {
		p.partial, p.spoiled = p.partial[:0], false
	}
	if s.command&dp8.NewMsg != 0 && s.command&dp8.EndMsg != 0 {
		p.deliverParts(s)
		return
	}
	for _, c := range s.parts {
		p.partial = append(p.partial, c.data...)
	}
	if s.command&dp8.EndMsg != 0 && !p.spoiled {
		p.deliver(append([]byte(nil), p.partial...), s.command&dp8.Reliable != 0)
	}
}

func (p *Peer) deliverParts(s *slot) {
	for _, c := range s.parts {
		p.deliver(c.data, c.reliable)
	}
}

func (p *Peer) deliver(data []byte, reliable bool) {
	p.Delivered++
	if p.node.OnMessage != nil {
		p.node.OnMessage(p, data, reliable)
	}
}

// onSendMask passes over what the partner gave up (MC-DPL8R 3.1.5.2.4).
func (p *Peer) onSendMask(seq int64, mask uint64) {
	for ; mask != 0; mask &= mask - 1 {
		n := seq - 1 - int64(bits.TrailingZeros64(mask))
		if n >= p.nextRcv && n < p.nextRcv+window && p.slots[n%window].state == empty {
			p.slots[n%window].state = dropped
		}
	}
	p.advance()
}
