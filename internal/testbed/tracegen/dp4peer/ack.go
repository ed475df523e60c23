package dp4peer

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dp4"
)

// A report is what a NACK says is missing.
type report struct {
	first int64
	mask  uint32 // bit i: first+1+i, too
}

// misses reports whether the report names a sequence.
func (r report) misses(seq int64) bool {
	i := seq - r.first - 1
	return seq == r.first || i >= 0 && i < maskBits && r.mask>>i&1 != 0
}

// has reports whether the report says that a sequence after its first arrived:
// it is left out before another that is missing. What lies after the last one
// may not have been expected yet.
func (r report) has(seq int64) bool {
	return seq > r.first && seq-r.first-1 < int64(bits.Len32(r.mask)) && !r.misses(seq)
}

// reply decides what to answer to a packet that is new (MC-DPL4R 3.1.5.2).
// afterGap says that it came after a gap, completes that its message is complete.
func (p *Peer) reply(a *arrival, afterGap, completes bool) {
	multi := a.flags&(dp4.STA|dp4.EOM) != dp4.STA|dp4.EOM
	switch {
	case a.flags&dp4.SAK != 0, completes && multi:
		p.answer(true)
	case afterGap && p.cfg.NACKEach:
		p.answer(true)
	case afterGap && p.cfg.NACK:
		p.notice()
	case completes && (a.flags&dp4.RLY != 0 || p.cfg.AckUnreliable) && !p.ackAt.Active():
		p.ackAt = p.after(p.cfg.AckDelay, func() { p.answer(false) })
	}
}

// notice reports a gap, at once or when it did not fill for a while.
func (p *Peer) notice() {
	if p.cfg.NACKDelay == 0 {
		p.answer(false)
	} else if !p.nackAt.Active() {
		p.nackAt = p.after(p.cfg.NACKDelay, func() {
			if len(p.ahead) > 0 {
				p.answer(false)
			}
		})
	}
}

// answer sends a NACK when there is something to report, else an ACK. What was
// reported before is repeated only when it must be.
func (p *Peer) answer(must bool) {
	if p.over {
		return
	}
	p.ackAt.Stop()
	r, ok := p.missing()
	switch {
	case !ok:
		p.ack()
	case must || r != p.nacked:
		p.nack(r)
	}
}

// missing is what a NACK would report.
func (p *Peer) missing() (r report, ok bool) {
	if !p.cfg.NACK || len(p.ahead) == 0 || !p.reports(p.next) {
		return r, false
	}
	r.first = p.next
	top := p.next
	for seq := range p.ahead {
		top = max(top, seq)
	}
	for seq := p.next + 1; seq < top && seq <= p.next+maskBits; seq++ {
		if p.ahead[seq] == nil && p.reports(seq) {
			r.mask |= 1 << (seq - p.next - 1)
		}
	}
	return r, true
}

// reports tells whether a missing packet is to be reported: not when it was sent
// unreliably (MC-DPL4R 2.2.3), which nothing tells a receiver.
func (p *Peer) reports(seq int64) bool { return p.cfg.Blind || p.promised(seq).reliable }

// ack names the latest packet before everything that is missing.
func (p *Peer) ack() {
	if p.last != nil { // else there is nothing to name
		p.acknowledge(p.last)
	}
}

func (p *Peer) acknowledge(a *arrival) {
	n := p.note(dp4.TypeACK)
	n.Ack, n.AckBelow = true, a.seq+1
	p.send(n, p.encode(&dp4.Frame{Flags: dp4.ACK, MessageID: uint8(a.msg), Sequence: uint8(a.seq), Serial: a.serial,
		BytesReceived: p.bytes, Tick: p.node.Host.TickAt(p.now())}))
}

// nack names the first missing packet and, by the mask, others.
func (p *Peer) nack(r report) {
	p.nacked = r
	size := (bits.Len32(r.mask) + 7) / 8
	if p.cfg.FullMask {
		size = 3
	}
	n := p.note(dp4.TypeNACK)
	n.Ack, n.AckBelow = true, r.first
	for seq := r.first + 1; seq <= r.first+maskBits; seq++ {
		if r.has(seq) {
			n.Acks = append(n.Acks, seq)
		}
	}
	p.send(n, p.encode(&dp4.Frame{Flags: dp4.ACK | dp4.EXT, ExtFlags: p.cfg.Order.ExtFlags(size), MaskSize: uint8(size), Mask: r.mask,
		MessageID: uint8(p.promised(r.first).msg), Sequence: uint8(r.first), BytesReceived: p.bytes, Tick: p.node.Host.TickAt(p.now())}))
}
