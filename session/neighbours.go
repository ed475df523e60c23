package session

import (
	"math/bits"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// A leads has a bit for each first byte that a neighbour may have.
type leads [256 / 64]uint64

func (l *leads) add(first []byte) {
	for _, b := range first {
		l[b/64] |= 1 << (b % 64)
	}
}

// has reports whether a datagram begins as a neighbour may.
func (l *leads) has(d *dissect.Datagram) bool {
	if len(d.Payload) == 0 {
		return false
	}
	b := d.Payload[0]
	return l[b/64]>>(b%64)&1 != 0
}

// neighbours is a table as what shows the datagrams of neighbours.
type neighbours struct{ *Table }

// any shows a datagram of a pair that no protocol owns and that belongs to a neighbour of
// one of them.
func (t neighbours) any(d *dissect.Datagram, s Standing) bool {
	if d.Kind != dissect.UDP || len(d.Payload) == 0 {
		return false
	}
	for set := t.lead[d.Payload[0]]; set != 0; set &= set - 1 {
		if t.of(t.cfg.Protocols[bits.TrailingZeros64(set)], d, s) {
			return true
		}
	}
	return false
}

// own shows a datagram that belongs to a neighbour of the protocol that its flow speaks, or
// is said to speak.
func (t neighbours) own(f *Flow, p *Protocol, d *dissect.Datagram) bool {
	return f.leads.has(d) && t.of(p, d, Ours)
}

// leadsOf gives the first bytes that neighbours of a protocol may have.
func (t neighbours) leadsOf(p *Protocol) *leads {
	if i := slices.Index(t.cfg.Protocols, p); i >= 0 {
		return &t.leads[i]
	}
	l := new(leads)
	l.add(p.NeighbourLead)
	return l
}

// A NeighbourCount is how many datagrams of a neighbour there were.
type NeighbourCount struct {
	Protocol *dissect.Protocol
	N        uint64
}

// Neighbours counts the datagrams of neighbours, which are no connections.
func (t *Table) Neighbours() []NeighbourCount { return t.near }

func (t neighbours) count(p *dissect.Protocol) {
	for i := range t.near {
		if t.near[i].Protocol == p {
			t.near[i].N++
			return
		}
	}
	t.near = append(t.near, NeighbourCount{p, 1})
}

// of shows a datagram that belongs to a neighbour of a protocol, as one of its leads may.
func (t neighbours) of(p *Protocol, d *dissect.Datagram, s Standing) bool {
	if p.Neighbour == nil || d.Kind != dissect.UDP {
		return false
	}
	n := p.Neighbour(d, s)
	if n == nil {
		return false
	}
	t.other++
	t.count(n)
	if !t.shows {
		return true
	}
	fr := t.frame(d, n.Name)
	tree := fr.Tree
	if tree == nil {
		tree = new(dissect.Tree)
		tree.Reset(d.Payload)
	}
	fr.Type, fr.Err = n.Decode(tree)
	if t.cfg.Summaries && p.NeighbourSummary != nil {
		fr.Summary = p.NeighbourSummary(fr.Summary, d.Payload)
	}
	t.show(fr, nil)
	return true
}
