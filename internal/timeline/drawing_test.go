package timeline

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// TestMarksTakenBack: retries that turn out to be none come off the latest marks, and marks
// of other kinds stay.
func TestMarksTakenBack(t *testing.T) {
	var g drawing
	g.add(Mark{Time: 1}, NeededRetry, 2)
	g.add(Mark{Time: 2}, UnneededRetry, 1)
	g.add(Mark{Time: 3}, Closing, 1)
	g.add(Mark{Time: 4}, NeededRetry, -2)
	if len(g.marks) != 3 || g.marks[0].N != 1 || g.marks[1].N != 0 || g.marks[2].N != 1 {
		t.Errorf("%+v", g.marks)
	}
}

// TestMarksDropped: marks beyond what is kept are counted.
func TestMarksDropped(t *testing.T) {
	g := drawing{marks: make([]Mark, MaxMarks-1)}
	g.add(Mark{Time: 1}, NeededRetry, 1)
	g.add(Mark{Time: 2}, NeededRetry, 3)
	if len(g.marks) != MaxMarks || g.dropped != 3 {
		t.Errorf("%d marks, %d dropped", len(g.marks), g.dropped)
	}
}

// TestTransmissionOf: what the latest frames sent is remembered, and no other; what left without the
// acknowledgement that it asked for was not acknowledged.
func TestTransmissionOf(t *testing.T) {
	var g drawing
	for i := range 2 * uint64(maxTransmissions) {
		g.keep(transmission{frame: 2 * i, num: seq.Num(i) + 7, waiting: i == 3 || i == 2*maxTransmissions-1})
	}
	if p := g.transmissionOf(4*maxTransmissions - 2); p == nil || p.num != 2*maxTransmissions+6 {
		t.Errorf("the latest is %+v", p)
	}
	if p := g.transmissionOf(2 * maxTransmissions); p == nil || p.num != maxTransmissions+7 {
		t.Errorf("the oldest is %+v", p)
	}
	for _, frame := range []uint64{2*maxTransmissions - 2, 4*maxTransmissions - 1, 4 * maxTransmissions} {
		if p := g.transmissionOf(frame); p != nil {
			t.Errorf("frame %d is %+v", frame, p)
		}
	}
	if len(g.unacked) != 1 || g.unacked[0].Frame != 6 {
		t.Errorf("not acknowledged were %+v, want frame 6", g.unacked)
	}
	g.keep(transmission{frame: 4*maxTransmissions - 2, num: 1})
	if p := g.transmissionOf(4*maxTransmissions - 2); p.num != 1 || p.waiting {
		t.Errorf("a frame that came again is %+v", p)
	}
}

// TestOpeningAndClosingAreMarked: a picture shows where a side opens the connection and where
// it closes it, once each.
func TestOpeningAndClosingAreMarked(t *testing.T) {
	tl := NewDrawing(func(*session.Conn) int64 { return 1e9 }, nil)
	ends := [2]dissect.Endpoint{{Port: 1}, {Port: 2}}
	c := &session.Conn{A: ends[0], B: ends[1], Dir: new([2]seq.Direction)}
	for dir := range dissect.Dirs {
		c.Dir[dir].Open(new(seq.Work), &c.Dir[dir.Other()], seq.Options{})
	}
	for i, w := range []dissect.Words{dissect.Handshake, 0, dissect.Close} {
		d := &dissect.Datagram{Frame: uint64(i + 1), Time: int64(i+1) * 1e6, HasTime: true, Src: ends[0], Dst: ends[1]}
		tl.Recount(&dissect.Frame{Datagram: d, Words: w}, c)
	}
	marks, _ := tl.Marks(c, 0)
	if len(marks) != 2 || marks[0].Kind != Closing || marks[0].Frame != 1 || marks[0].N != 1 || marks[1].Kind != Closing || marks[1].Frame != 3 || marks[1].N != 1 {
		t.Errorf("%+v", marks)
	}
	if marks, _ := tl.Marks(c, 1); len(marks) != 0 {
		t.Errorf("marks of the side that did neither: %+v", marks)
	}
}
