package dp8peer

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A receiver is the half of a peer that takes data frames: the window of what waits for
// its turn, messages from parts, and the acknowledgements owed.
type receiver struct {
	peer *Peer

	nextRcv   int64
	slots     [window]slot
	partial   []byte // of a large message
	spoiled   bool   // a part of it was given up
	lastRetry bool   // the last data frame was a retry
	ackAt     *sim.Timer
	remoteEnd int64    // number of the partner's END_STREAM, -1 before
	keys      *Keyring // what the partner signs with; nil on unsigned connections
}

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
		p.handshaking.onConnected(&f.Handshake)
	case dp8.TypeHardDisconnect:
		h := &f.Handshake
		if h.SessionID == p.conn.SessionID && p.in.genuine(payload, h.HasSignature, h.Signature, 16, p.in.remoteNext(h.RspID)) {
			p.handshaking.onHard()
		}
	case dp8.TypeSACK:
		s := &f.SACK
		if p.live() && p.in.genuine(payload, s.HasSignature, s.Signature, len(payload)-8, p.in.remoteNext(s.NSeq)) {
			p.in.onSACK(s)
		}
	case dp8.TypeDFrame:
		d := &f.DFrame
		if p.live() && p.in.genuine(payload, d.HasSignature, d.Signature, d.SignatureOff, p.in.remoteSeq(d.Seq)) {
			p.in.onData(d)
		}
	}
}

// live reports whether data frames and SACKs are acted upon.
func (p *Peer) live() bool { return p.state == established || p.state == closed }

// remoteSeq unwraps a data frame's number: in the window, else the latest before it.
func (r *receiver) remoteSeq(seq uint8) int64 {
	n := int64(seq - uint8(r.nextRcv))
	if n >= window {
		n -= 256
	}
	return r.nextRcv + n
}

// remoteNext unwraps the number a partner will send next, which may stand one
// after a full window (AMB-DP8-08).
func (r *receiver) remoteNext(seq uint8) int64 {
	n := int64(seq - uint8(r.nextRcv))
	if n > window {
		n -= 256
	}
	return r.nextRcv + n
}

// genuine checks a signature. The secret is that of the epoch of the frame's own
// number (MC-DPL8R 3.1.5.2.7, AMB-DP8-10).
func (r *receiver) genuine(payload []byte, has bool, sig [8]byte, off int, seq int64) bool {
	if r.keys == nil {
		return true
	}
	if has {
		if want, ok := r.keys.Signature(payload, off, max(seq, 0)); ok && want == sig {
			return true
		}
	}
	r.peer.Rejected++
	return false
}

func (r *receiver) onSACK(s *dp8.SACK) {
	r.peer.heard = r.peer.now()
	before := r.nextRcv
	r.onSendMask(r.remoteNext(s.NSeq), s.SendMask)
	if r.nextRcv != before {
		r.ackWithin(ackDelay)
	}
	r.peer.out.onAck(s.NRcv, s.SACKMask)
	r.peer.conclude()
}

// onData processes a genuine data frame (MC-DPL8R 3.1.5.2).
func (r *receiver) onData(d *dp8.DFrame) {
	if d.KeepAlive && d.SessionID != r.peer.conn.SessionID {
		return
	}
	r.peer.heard = r.peer.now()
	r.lastRetry = d.Control&dp8.CtlRetry != 0
	seq := r.remoteSeq(d.Seq)
	fresh := seq >= r.nextRcv && r.slots[seq%window].state == empty && (r.remoteEnd < 0 || seq <= r.remoteEnd)
	expected := seq == r.nextRcv
	if fresh {
		r.store(seq, d)
	}
	r.onSendMask(seq, d.SendMask)
	r.peer.out.onAck(d.NRcv, d.SACKMask)
	correlate := d.Control&dp8.CtlKeepAlive != 0 && !d.KeepAlive
	switch {
	case d.Command&dp8.Poll != 0 || correlate:
		r.sendSACK()
	case fresh && expected && r.sackMask() == 0:
		r.ackWithin(ackDelay)
	default: // out of order, or received before
		r.ackWithin(ackDelayShort)
	}
	r.peer.conclude()
}

// conclude ends the processing of a frame: what the windows allow now is sent,
// the partner's end of stream answered by our own (MC-DPL8R 3.1.4.3).
func (p *Peer) conclude() {
	if p.in.remoteEnd >= 0 {
		p.Close()
	}
	p.out.pump()
	p.finish()
}

// store keeps a frame and delivers what is due.
func (r *receiver) store(seq int64, d *dp8.DFrame) {
	s := &r.slots[seq%window]
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
		r.deliverParts(s)
	}
	r.advance()
}

// advance takes all frames that are in sequence now.
func (r *receiver) advance() {
	for {
		s := &r.slots[r.nextRcv%window]
		if s.state == empty {
			return
		}
		r.take(r.nextRcv, s)
		*s = slot{}
		r.nextRcv++
		if r.keys != nil && r.nextRcv&0xff == 192 {
			r.keys.Advance() // MC-DPL8R 3.1.5.2.7: all before 192 are there
		}
	}
}

// take processes one frame in sequence.
func (r *receiver) take(seq int64, s *slot) {
	if s.state == dropped {
		r.peer.Dropped++
		r.spoiled = true
		return
	}
	if r.keys != nil && !s.keep && s.command&dp8.Reliable != 0 {
		for _, c := range s.parts {
			if c.reliable {
				r.keys.Payload(seq, c.data)
				break
			}
		}
	}
	if !s.early && !s.keep {
		r.assemble(s)
	}
	if s.control&dp8.CtlEndStream != 0 {
		r.remoteEnd = seq
	}
}

// assemble joins large messages (MC-DPL8R 3.1.5.2.6).
func (r *receiver) assemble(s *slot) {
	if s.command&dp8.NewMsg != 0 {
		r.partial, r.spoiled = r.partial[:0], false
	}
	if s.command&dp8.NewMsg != 0 && s.command&dp8.EndMsg != 0 {
		r.deliverParts(s)
		return
	}
	for _, c := range s.parts {
		r.partial = append(r.partial, c.data...)
	}
	if s.command&dp8.EndMsg != 0 && !r.spoiled {
		r.deliver(append([]byte(nil), r.partial...), s.command&dp8.Reliable != 0)
	}
}

func (r *receiver) deliverParts(s *slot) {
	for _, c := range s.parts {
		r.deliver(c.data, c.reliable)
	}
}

func (r *receiver) deliver(data []byte, reliable bool) {
	r.peer.Delivered++
	if r.peer.node.OnMessage != nil {
		r.peer.node.OnMessage(r.peer, data, reliable)
	}
}

// onSendMask passes over what the partner gave up (MC-DPL8R 3.1.5.2.4).
func (r *receiver) onSendMask(seq int64, mask uint64) {
	for ; mask != 0; mask &= mask - 1 {
		n := seq - 1 - int64(bits.TrailingZeros64(mask))
		if n >= r.nextRcv && n < r.nextRcv+window && r.slots[n%window].state == empty {
			r.slots[n%window].state = dropped
		}
	}
	r.advance()
}
