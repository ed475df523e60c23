package session

import (
	"math/bits"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// A leads says of each first byte whether a neighbour may have it.
type leads [256]bool

func (l *leads) add(p *Protocol) {
	if p.Neighbour == nil {
		return
	}
	for _, b := range p.NeighbourLead {
		l[b] = true
	}
}

// may reports whether a datagram begins as a neighbour may.
func (l *leads) may(d *dissect.Datagram) bool { return len(d.Payload) > 0 && l[d.Payload[0]] }

// neighbours is a table as what shows the datagrams of neighbours.
type neighbours struct{ *Table }

// any shows a datagram of a pair that no protocol owns and that belongs to a neighbour of
// one of them.
func (t neighbours) any(d *dissect.Datagram, s Standing) bool {
	if len(d.Payload) == 0 || d.Kind != dissect.UDP {
		return false
	}
	for set := t.lead[d.Payload[0]]; set != 0; set &= set - 1 {
		p := t.cfg.Protocols[bits.TrailingZeros64(set)]
		if n := p.Neighbour(d, s); n != nil {
			t.showNeighbour(p, n, d)
			return true
		}
	}
	return false
}

// own shows a datagram that belongs to a neighbour of the protocol that its flow speaks, or
// is said to speak.
func (t neighbours) own(f *Flow, p *Protocol, d *dissect.Datagram) bool {
	return f.leads.may(d) && t.ours(p, d)
}

// leadsOf gives the first bytes that neighbours of a protocol may have.
func (t neighbours) leadsOf(p *Protocol) *leads {
	if i := slices.Index(t.cfg.Protocols, p); i >= 0 {
		return &t.leads[i]
	}
	l := new(leads)
	l.add(p)
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

// ours is own for a datagram that begins as a neighbour of the protocol may.
func (t neighbours) ours(p *Protocol, d *dissect.Datagram) bool {
	if d.Kind == dissect.UDP {
		if n := p.Neighbour(d, Ours); n != nil {
			t.showNeighbour(p, n, d)
			return true
		}
	}
	return false
}

// showNeighbour shows a datagram of a neighbour of a protocol.
func (t neighbours) showNeighbour(p *Protocol, n *dissect.Protocol, d *dissect.Datagram) {
	t.other++
	t.count(n)
	if !t.shows {
		return
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
}
