package session

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// ended gives what is known of the end of a connection that was played.
func ended(play func(l *trial)) *Ending {
	l := &trial{court: newCourt(0)}
	l.tab.cfg.Endings = true
	play(l)
	l.c.Ending = l.c.ending()
	l.c.concludeEnding()
	return l.c.Ending
}

// Sides without trouble share one Trouble, and a side with some has its own.
func TestEndingKeepsTroubleApart(t *testing.T) {
	e := ended(func(*trial) {})
	if e.Sides[0].Trouble != noTrouble || e.Sides[1].Trouble != noTrouble || *noTrouble != (Trouble{}) {
		t.Errorf("%+v", e.Sides)
	}
	e = ended(func(l *trial) {
		l.send(1, 0, seq.MarkFirst, 100)
		l.send(300, 0, seq.MarkRetry, 100)
	})
	if u := e.Sides[0].Unanswered; u.Num != 0 || u.Sends != 2 || u.Size != 100 || e.Sides[0].Trouble == noTrouble || e.Sides[1].Trouble != noTrouble {
		t.Errorf("%+v", e.Sides[0].Trouble)
	}
}

// What is known of a connection that goes on leaves it as it is.
func TestEndingNow(t *testing.T) {
	l := &trial{court: newCourt(0)}
	if e := l.c.EndingNow(); e != nil {
		t.Errorf("nobody asked for it: %+v", e)
	}
	l.tab.cfg.Endings = true
	l.send(1, 0, seq.MarkFirst, 100)
	l.send(300, 0, seq.MarkRetry, 100)
	e := l.c.EndingNow()
	if e == nil || e.Sides[0].Unanswered.Sends != 2 || l.c.Ending != nil || l.c.Over() {
		t.Fatalf("%+v", e)
	}
	l.ack(40, 1, 0)
	if e := l.c.EndingNow(); e.Sides[0].Unanswered.Sends != 0 {
		t.Errorf("%+v", e.Sides[0])
	}
	l.tab.Close(l.now)
	if e := l.c.EndingNow(); e == nil || e != l.c.Ending {
		t.Error("a connection that is closed has another ending")
	}
}

// Whether only what is large never arrives is one test, FLD-MTU's.
func TestEndingOfABlackHole(t *testing.T) {
	play := func(size int) func(l *trial) {
		return func(l *trial) {
			l.send(1, 0, seq.MarkFirst, 100)
			l.ack(20, 1, 0)
			l.send(1, 1, seq.MarkFirst, size)
			for range 4 {
				l.send(300, 1, seq.MarkRetry, size)
			}
			l.send(1, 2, seq.MarkFirst, 100)
			l.ack(20, 1, 1)
		}
	}
	for size, want := range map[int]bool{4711: true, 60: false} {
		x := ended(play(size)).Sides[0]
		if x.BlackHole != want || x.LargestAcked != 100 || x.Waiting.N != 1 || int(x.Unanswered.Size) != size {
			t.Errorf("%d bytes: %+v", size, x)
		}
	}
}

// Closing frames, and waits for room in the window, are remembered from their first.
func TestRemember(t *testing.T) {
	l := &trial{court: newCourt(0)}
	look := func(frame uint64, at int64, words dissect.Words, data uint64) {
		l.c.Dir[0].DataFrames += data
		l.c.remember(&dissect.Frame{Datagram: &dissect.Datagram{Frame: frame, Time: at}, Direction: 'a', Words: words})
	}
	look(10, 1e9, dissect.WindowFull, 1)
	look(11, 3e9, 0, 1)
	look(12, 4e9, dissect.WindowFull, 1)
	look(13, 5e9, dissect.Retry, 1) // sends nothing new
	look(14, 5.5e9, 0, 1)
	look(15, 6e9, dissect.Close|dissect.Duplicate, 0)
	look(16, 7e9, dissect.Close, 0)
	look(17, 8e9, dissect.Close, 0)
	s := l.c.Rules.sight
	if w := s.full[0].Stall; w.Longest != 2e9 || w.First.N != 2 || w.First.Frame != 10 {
		t.Errorf("%+v", w)
	}
	if c := l.c.Closing[0]; c.Frame != 16 || c.N != 2 {
		t.Errorf("%+v", c)
	}
	if s.data[0].Frame != 14 || s.data[0].N != 5 {
		t.Errorf("%+v", s.data[0])
	}
}

// Who closed first is said by the protocol, and by the frames where it says nothing.
func TestFirstClose(t *testing.T) {
	for _, tt := range []struct {
		name   string
		by     Side
		frames [2]uint64
		want   dissect.Dir
	}{
		{"no close", NoSide, [2]uint64{}, -1},
		{"by the frames", NoSide, [2]uint64{9, 5}, 1},
		{"one alone", NoSide, [2]uint64{9, 0}, 0},
		{"swapped on the way", SideA, [2]uint64{9, 5}, 0},
		{"both", BothSides, [2]uint64{4, 5}, 0},
		{"who closed it was not captured", SideA, [2]uint64{0, 5}, 1},
	} {
		c := Conn{ClosedBy: tt.by}
		for dir, f := range tt.frames {
			if f > 0 {
				c.Closing[dir] = seq.SignAt(f, 1)
			}
		}
		if got := c.FirstClose(); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// The latest error of a side is remembered; what is milder, or nobody's, is not.
func TestBlame(t *testing.T) {
	l := newCourt(0)
	for _, f := range []Finding{
		{Rule: &conform.Rule{ID: "A"}, Severity: conform.Error, Dir: SideA, Frame: 5},
		{Rule: &conform.Rule{ID: "B"}, Severity: conform.Error, Dir: SideA, Frame: 9},
		{Rule: &conform.Rule{ID: "C"}, Severity: conform.Error, Dir: SideA, Frame: 7},
		{Rule: &conform.Rule{ID: "D"}, Severity: conform.Warn, Dir: SideB, Frame: 8},
		{Rule: &conform.Rule{ID: "E"}, Severity: conform.Error, Dir: NoSide, Frame: 8},
	} {
		l.c.blame(&f)
	}
	if f := l.c.Rules.sight.fault; f[0] == nil || f[0].Rule != "B" || f[1] != nil {
		t.Errorf("%+v", f)
	}
}

// The guess is the protocol with most behind it that is not ruled out; with nothing behind
// any, one of which a connection is opened.
func TestGuess(t *testing.T) {
	for _, tt := range []struct {
		name  string
		tries []Try
		want  string
		bits  float64
	}{
		{"none", nil, "", 0},
		{"the most", []Try{{Protocol: "one", Held: 3}, {Protocol: "two", Held: 7}, {Protocol: "three", Held: 5}}, "two", 7},
		{"ruled out", []Try{{Protocol: "one", Held: 3}, {Protocol: "two", Held: 7, Hopeless: true}}, "one", 3},
		{"nothing", []Try{{Protocol: "one"}, {Protocol: "two"}}, "", 0},
		{"an opening alone", []Try{{Protocol: "one"}, {Protocol: "two", Opened: true}}, "two", 0},
	} {
		s := Story{Tries: tt.tries}
		if p, bits := s.Guess(); p != tt.want || bits != tt.bits {
			t.Errorf("%s: %q with %g bits, want %q with %g", tt.name, p, bits, tt.want, tt.bits)
		}
	}
}
