package track

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session/seq"
)

// decidedIDs is the number of votes that one map of ids must be ahead of the other.
const decidedIDs = 2

// vote learns which ids the control messages have from their sizes. What only one map
// explains counts for that; a message that is a PacketAck by one map and the
// application's by the other counts as far as it names what was just sent. It gives the
// parameters that the datagram at hand is to be read with when these are others than it
// was read with.
func (p *pair) vote(fr *dissect.Frame) (params knet.Params, other bool) {
	votes, noAck := 0, false
	for i := range p.d.Messages {
		m := &p.d.Messages[i]
		if m.ID.Value > 4 || m.IsFragment() {
			continue
		}
		switch [2]int{int(m.ID.Value), len(m.Body)} {
		case [2]int{4, knet.AckSize}:
			n, known := p.ackVotes(fr, m)
			votes += n
			noAck = noAck || known && n == 0
		case [2]int{3, 2}, [2]int{2, 1}:
			votes++
		case [2]int{2, 2}:
			votes--
		case [2]int{3, knet.AckSize}:
			if n, known := p.ackVotes(fr, m); n > 0 || !known {
				votes -= 2
			}
		case [2]int{0, 1}:
			votes -= 2
		}
	}
	if p.votes += votes; p.decideIDs() {
		return p.params, true
	}
	params = p.params
	if noAck && params.Dialect == knet.Spec && params.IDs == knet.IDsUnknown {
		params.IDs = knet.IDsFromZero // by which the message is the application's
		return params, true
	}
	return params, false
}

// decideIDs settles the map of ids when the votes are clear, and reports whether it is
// another than was assumed.
func (p *pair) decideIDs() bool {
	before, unknown := p.assumed(), p.params.IDs == knet.IDsUnknown
	switch {
	case p.votes >= decidedIDs:
		p.params.IDs = knet.IDsFromOne
	case p.votes <= -decidedIDs:
		p.params.IDs = knet.IDsFromZero
	default:
		return false
	}
	p.votes, p.doubt = 0, false
	for _, c := range p.conns {
		c.recount(before, p.params.IDs)
	}
	return unknown || before != p.params.IDs
}

// ackVotes is what a message with the size of a PacketAck counts for being one: it names
// a datagram that the other side has just sent, and that none before it named. known
// says whether anything can be told: a datagram of the other side was captured.
func (p *pair) ackVotes(fr *dissect.Frame, m *knet.Message) (n int, known bool) {
	if len(p.conns) == 0 {
		return 0, false
	}
	c := p.newest()
	dir := c.c.DirOf(fr.Datagram)
	ids := &c.side[dir.Other()].ids
	ref, ok := ids.Known()
	if !ok {
		return 0, false
	}
	a := knet.AckOf(m.Body, p.params.Dialect)
	first := ids.Peek(a.PacketID & knet.PacketIDMask)
	last := first + seq.Num(bits.Len64(a.Bits))
	out := &c.c.Dir[dir.Other()]
	x, _ := out.Look(first)
	switch {
	case a.PacketID > knet.PacketIDMask, first < ref-FarIDs, last > ref+NearIDs, x.NoAck:
		return 0, true
	case !x.Captured && c.c.Complete && first < out.Window().Lowest():
		return 0, true // before the first of all
	case !x.Captured, first < p.voted[dir]:
		return 0, false // the capture may have missed it; or it is acknowledged again
	}
	p.voted[dir] = first + 1
	return 1, true
}
