package session

import (
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

// show hands a frame to the sink, with the time of the capture.
func (t *Table) show(fr *dissect.Frame, c *Conn) {
	if t.cfg.Sink == nil {
		return
	}
	if fr.Shift != 0 || !fr.HasTime {
		t.shown = *fr.Datagram
		t.shown.Time = t.shown.Stamp()
		t.shown.Shift = 0
		fr.Datagram = &t.shown
	}
	t.cfg.Sink.Frame(fr, c)
}

// frame starts the record of a datagram.
func (t *Table) frame(d *dissect.Datagram, protocol string) *dissect.Frame {
	fr := &t.fr
	// Field by field: assigning a whole Frame takes longer than decoding one.
	fr.Datagram, fr.Protocol, fr.Connection, fr.Direction, fr.Type = d, protocol, -1, 0, ""
	fr.Words, fr.RetryOf, fr.AckedIn, fr.Awaits, fr.Err, fr.Possible = 0, 0, 0, false, nil, ""
	fr.AckRTT, fr.Summary, fr.Acks, fr.Notes = 0, fr.Summary[:0], fr.Acks[:0], fr.Notes[:0]
	if t.cfg.Trees {
		t.tree.Reset(d.Payload)
		fr.Tree = &t.tree
	}
	return fr
}

// plain shows a datagram as UDP.
func (t *Table) plain(f *Flow, d *dissect.Datagram) {
	if d.Kind != dissect.UDP {
		t.notice(d, nil)
		return
	}
	if t.anyNeighbour(d, Stranger) {
		return
	}
	t.other++
	if t.cfg.Sink != nil {
		fr := t.frame(d, "udp")
		fr.Possible = f.possible
		t.show(fr, nil)
	}
}

// anyNeighbour shows a datagram of a pair that no protocol owns and that belongs
// to a neighbour of any.
func (t *Table) anyNeighbour(d *dissect.Datagram, s Standing) bool {
	if d.Kind != dissect.UDP || !t.lead.has(d) {
		return false
	}
	for i, p := range t.cfg.Protocols {
		if t.leads[i].has(d) && t.neighbour(p, d, s) {
			return true
		}
	}
	return false
}

// ownNeighbour shows a datagram that belongs to a neighbour of the protocol that its flow
// speaks, or is said to speak.
func (t *Table) ownNeighbour(f *Flow, p *Protocol, d *dissect.Datagram) bool {
	return f.leads.has(d) && t.neighbour(p, d, Ours)
}

// leadsOf gives the first bytes that neighbours of a protocol may have.
func (t *Table) leadsOf(p *Protocol) *leads {
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
func (t *Table) Neighbours() []NeighbourCount { return t.neighbours }

func (t *Table) countNeighbour(p *dissect.Protocol) {
	for i := range t.neighbours {
		if t.neighbours[i].Protocol == p {
			t.neighbours[i].N++
			return
		}
	}
	t.neighbours = append(t.neighbours, NeighbourCount{p, 1})
}

// neighbour shows a datagram that belongs to a neighbour of a protocol, as one of its
// leads may.
func (t *Table) neighbour(p *Protocol, d *dissect.Datagram, s Standing) bool {
	if p.Neighbour == nil || d.Kind != dissect.UDP {
		return false
	}
	n := p.Neighbour(d, s)
	if n == nil {
		return false
	}
	t.other++
	t.countNeighbour(n)
	if t.cfg.Sink == nil {
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
