package session

import (
	"bytes"

	"github.com/dpdissect/dpdissect/dissect"
)

// leads reports whether a datagram begins as a neighbour of the protocol may.
func (p *Protocol) leads(d *dissect.Datagram) bool {
	return len(d.Payload) > 0 && bytes.IndexByte(p.NeighbourLead, d.Payload[0]) >= 0
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
	if d.Kind != dissect.UDP || len(d.Payload) == 0 || !t.lead[d.Payload[0]] {
		return false
	}
	for _, p := range t.cfg.Protocols {
		if t.neighbour(p, d, s) {
			return true
		}
	}
	return false
}

// neighbour shows a datagram that belongs to a neighbour of a protocol.
func (t *Table) neighbour(p *Protocol, d *dissect.Datagram, s Standing) bool {
	if p.Neighbour == nil || d.Kind != dissect.UDP || !p.leads(d) {
		return false
	}
	n := p.Neighbour(d, s)
	if n == nil {
		return false
	}
	t.other++
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
