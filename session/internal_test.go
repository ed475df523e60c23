package session

import (
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// faulty is yes with a fault: it panics wherever it meets a word.
func faulty() *Protocol {
	p := yes()
	p.NewProbe = func() Probe { return &faultyProbe{} }
	p.NewSession = func(f *Flow, _ Probe) Session { return &faultySession{yesSession: yesSession{flow: f}} }
	return p
}

type faultyProbe struct{ yesProbe }

func (p *faultyProbe) Observe(d *dissect.Datagram, side dissect.Dir) float64 {
	if string(d.Payload) == "panic in the probe" {
		panic("the probe")
	}
	return p.yesProbe.Observe(d, side)
}

type faultySession struct {
	yesSession
	last string
}

func (s *faultySession) Input(fr *dissect.Frame) *Conn {
	s.last = string(fr.Payload)
	if s.last == "panic before" {
		panic("before it is counted")
	}
	c := s.yesSession.Input(fr)
	if s.last == "panic" {
		var none []int
		_ = none[len(s.last)]
	}
	return c
}

func (s *faultySession) Sweep(int64) {
	if s.last == "panic in the sweep" {
		panic("sweeping")
	}
}

func (s *faultySession) Close(end int64) {
	if s.last == "panic at the end" {
		panic("closing")
	}
	s.yesSession.Close(end)
}

// adding calls f, which adds one datagram, as a caller of Add does that goes on when
// it panics.
func (s *story) adding(f func()) {
	defer func() {
		if reason := recover(); reason != nil && !s.tab.Rescue(reason) {
			panic(reason)
		}
	}()
	f()
}

// What panics outside of a pair is not kept.
func TestRescueOfNothing(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	s.lock(1, 2)
	if s.tab.Rescue("something else") || len(s.tab.Internal()) != 0 {
		t.Error("a panic between two datagrams was kept")
	}
}

// A fault in what one pair sent ends its connection at that frame. Other pairs go
// on, every datagram is shown and counted once, and what comes of the pair later is
// plain UDP.
func TestInternalErrorStaysInItsPair(t *testing.T) {
	for _, tc := range []struct {
		word, message string
		frame         uint64 // of the fault
		other         uint64 // datagrams of no connection
	}{
		{"panic", "index out of range [5]", 9, 1},
		{"panic before", "before it is counted", 9, 2},
		{"panic in the sweep", "sweeping", 10, 1},
		{"panic at the end", "closing", 10, 0},
	} {
		s := newStory(Config{Protocols: []*Protocol{faulty()}})
		s.lock(1, 2)
		s.lock(3, 4)
		s.adding(func() { s.say(1, 2, tc.word) })
		s.pass(HoldTime + 1e9)
		s.say(3, 4, "yes")
		if tc.word != "panic at the end" {
			s.say(1, 2, "yes")
		}
		s.tab.Close(s.now)
		all := s.tab.Internal()
		if len(all) != 1 || all[0].Frame != tc.frame || !strings.Contains(all[0].Message, tc.message) || !strings.Contains(all[0].Message, "session/internal_test.go:") {
			t.Errorf("%s: %+v, want one at frame %d", tc.word, all, tc.frame)
			continue
		}
		conns := s.tab.Conns()
		if len(conns) != 2 || !conns[0].Closed() || !conns[1].Closed() || conns[0].Internal == nil || conns[1].Internal != nil || all[0].Conn != conns[0] {
			t.Errorf("%s: %d connections, the first with %v, the second with %v", tc.word, len(conns), conns[0].Internal, conns[1].Internal)
		}
		if n := conns[1].Dir[0].Frames; n != 5 {
			t.Errorf("%s: the other connection has %d frames, want 5", tc.word, n)
		}
		decoded, malformed, other := s.tab.Totals()
		if decoded+other != s.frame || malformed != 0 || other != tc.other {
			t.Errorf("%s: %d decoded and %d others of %d", tc.word, decoded, other, s.frame)
		}
		if len(s.shown) != int(s.frame) {
			t.Errorf("%s: %d of %d frames were shown: %v", tc.word, len(s.shown), s.frame, s.shown)
		}
		if open, _, _ := s.tab.Live(); open != 0 {
			t.Errorf("%s: %d are open", tc.word, open)
		}
	}
}

func TestInternalErrorOfAProbe(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{faulty()}})
	s.say(1, 2, "yes")
	s.adding(func() { s.say(1, 2, "panic in the probe") })
	s.say(1, 2, "yes")
	s.lock(3, 4)
	s.tab.Close(s.now)
	if all := s.tab.Internal(); len(all) != 1 || all[0].Frame != 2 || all[0].Conn != nil {
		t.Errorf("%+v", all)
	}
	if want := []string{"1:udp", "2:udp", "3:udp", "4:yes:4a", "5:yes:4a", "6:yes:4a", "7:yes:4a"}; !slices.Equal(s.shown, want) {
		t.Errorf("shown: %v, want %v", s.shown, want)
	}
	if _, _, undecided := s.tab.Live(); undecided != 0 {
		t.Errorf("%d undecided", undecided)
	}
}
