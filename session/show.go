package session

import "github.com/dpdissect/dpdissect/dissect"

// show hands a frame to the sink.
func (t *Table) show(fr *dissect.Frame, c *Conn) {
	if t.shows {
		t.tellFrame(fr, c)
	}
}

// tellFrame hands a frame to the sink, with the time of the capture.
func (t *Table) tellFrame(fr *dissect.Frame, c *Conn) {
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
	fr.Words, fr.RetryOf, fr.AckedIn, fr.Answers, fr.Awaits, fr.Unreliable, fr.Skippable, fr.Err, fr.Possible = 0, 0, 0, 0, false, false, false, nil, ""
	fr.Layout = dissect.Layout{}
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
	if (neighbours{t}).any(d, Stranger) {
		return
	}
	t.other++
	if t.shows {
		fr := t.frame(d, "udp")
		fr.Possible = f.possible
		t.show(fr, nil)
	}
}
