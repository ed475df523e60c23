package session

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// pairOf makes two hosts talk that differ for every n.
func (s *story) pairOf(n int, text string) {
	s.frame++
	s.now += ms
	d := pairDatagram(n, text)
	d.Frame, d.Time = s.frame, s.now
	s.tab.Add(&d)
}

// pairDatagram is a datagram of a pair of its own.
func pairDatagram(n int, text string) dissect.Datagram {
	d := dissect.Datagram{HasTime: true, Src: endpoint(1, 2302), Dst: endpoint(2, uint16(n)), Payload: []byte(text), Length: len(text)}
	d.Src.IP[13], d.Src.IP[14] = byte(n>>8), byte(n)
	return d
}

func (s *story) lockPair(n int) {
	for range 4 {
		s.pairOf(n, "yes")
	}
}

// Of more connections than MaxOpen those that were silent the longest are summed
// up: they stay in the list, go on counting, and open ones stay bounded.
func TestCrowdIsSummedUp(t *testing.T) {
	for _, idle := range []int64{0, 100e9} {
		t.Run(fmt.Sprint(idle), func(t *testing.T) {
			const all = 3 * MaxOpen
			s := newStory(Config{Protocols: []*Protocol{yes()}, Idle: idle})
			for n := range all {
				s.lockPair(n)
				if open, _, _ := s.tab.Live(); open > MaxOpen || open != s.tab.open {
					t.Fatalf("%d are open, or %d", open, s.tab.open)
				}
				s.pairOf(0, "yes") // the first one goes on all the time
			}
			s.pairOf(1, "yes")
			s.pairOf(1, "bad")
			conns := s.tab.Conns()
			if len(conns) != all {
				t.Fatalf("%d connections, want %d", len(conns), all)
			}
			summedUp := 0
			for _, c := range conns {
				if c.SummedUp {
					summedUp++
				}
				if c.SummedUp && !c.Closed() {
					t.Fatal("a connection is summed up and open")
				}
			}
			if open, _, _ := s.tab.Live(); summedUp+open != all || open < openLeft {
				t.Errorf("%d summed up and %d open of %d", summedUp, open, all)
			}
			if conns[0].SummedUp || conns[0].Dir[0].Frames != 4+all {
				t.Errorf("the busiest one has %d frames, summed up: %v", conns[0].Dir[0].Frames, conns[0].SummedUp)
			}
			if c := conns[1]; !c.SummedUp || c.Dir[0].Frames != 6 || c.LastFrame != s.frame {
				t.Errorf("one that was summed up has %d frames up to %d, want 6 up to %d", c.Dir[0].Frames, c.LastFrame, s.frame)
			}
			if decoded, malformed, other := s.tab.Totals(); decoded != s.frame || malformed != 0 || other != 0 {
				t.Errorf("%d decoded, %d malformed, %d others of %d", decoded, malformed, other, s.frame)
			}
			if len(s.shown) != int(s.frame) {
				t.Errorf("%d of %d frames were shown", len(s.shown), s.frame)
			}
			s.pass(2*HoldTime + idle)
			s.pairOf(0, "yes")
			s.lockPair(1) // it is remembered no longer
			if conns := s.tab.Conns(); len(conns) != all+1 && idle == 0 {
				t.Errorf("%d connections after a silence, want %d", len(conns), all+1)
			}
			s.tab.Close(s.now)
			if open, _, _ := s.tab.Live(); open != 0 || s.tab.open != 0 {
				t.Errorf("%d are open at the end", s.tab.open)
			}
		})
	}
}

// What a table remembers of pairs that were summed up is bounded, too.
func TestCrowdIsForgotten(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	for n := range maxSummedUp*3 + 2*MaxOpen {
		s.lockPair(n)
		if len(s.tab.flows) > maxSummedUp+2*MaxOpen {
			t.Fatalf("%d pairs are remembered", len(s.tab.flows))
		}
	}
	if n := len(s.tab.Conns()); n != maxSummedUp*3+2*MaxOpen {
		t.Errorf("%d connections", n)
	}
	if flows := slices.Collect(func(yield func(*Flow) bool) {
		for _, f := range s.tab.flows {
			if f.summedUp && !yield(f) {
				return
			}
		}
	}); len(flows) != s.tab.counting {
		t.Errorf("%d pairs were summed up, %d are counted", len(flows), s.tab.counting)
	}
}

// Pairs that are not recognised are many: of a pair that sent one datagram nothing is kept but that, and
// when there are many, those that look like none of the protocols are left alone.
func TestManyStrangers(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	for n := range 2 * MaxHopeless {
		s.pairOf(n, "no")
	}
	for _, f := range s.tab.flows {
		if f.probes != nil {
			t.Fatal("a pair of one datagram has probes")
		}
	}
	for n := range 2 * MaxHopeless {
		s.pairOf(n, "no")
	}
	if s.tab.undecided() != MaxHopeless {
		t.Errorf("%d are undecided, want %d", s.tab.undecided(), MaxHopeless)
	}
	s.lockPair(7777)
	if n := len(s.tab.Conns()); n != 1 {
		t.Errorf("%d connections beside them", n)
	}
	s.pass(2 * HoldTime)
	s.lockPair(1) // it begins again
	s.tab.Close(s.now)
	if n := len(s.tab.Conns()); n != 2 {
		t.Errorf("%d connections after a silence, want 2", n)
	}
}

// An endingSession ends its connection when it is asked to let go of what it needs no more.
type endingSession struct{ yesSession }

func (s *endingSession) Sweep(now int64) {
	if s.conn != nil && now-s.conn.LastTime > RestTime {
		s.Close(now)
	}
}

// Of pairs whose connections have all ended those that were silent the longest are forgotten:
// the connections stay as they are, and what comes of such a pair is another one.
func TestEndedPairsAreForgotten(t *testing.T) {
	p := yes()
	p.NewSession = func(f *Flow, probe Probe) Session { return &endingSession{yesSession{flow: f, probe: probe}} }
	s := newStory(Config{Protocols: []*Protocol{p}, Pack: true})
	const open, all = 10_000, 3 * maxEnded
	for n := range all {
		s.lockPair(n)
		if n%(MaxOpen/2) == 0 { // before there are too many that are open
			s.pass(RestTime + HoldTime + ms)
		}
	}
	s.pass(RestTime + HoldTime + ms)
	s.lockPair(open)
	conns, ended := slices.Clone(s.tab.Conns()), 0
	for _, f := range s.tab.flows {
		if f.session != nil && f.open == 0 {
			ended++
		}
	}
	if len(conns) != all+1 || ended != maxEnded || len(s.tab.flows) != maxEnded+1 {
		t.Fatalf("%d connections, %d pairs that ended, %d pairs; want %d, %d, %d", len(conns), ended, len(s.tab.flows), all+1, maxEnded, maxEnded+1)
	}
	for i, c := range conns[:all] {
		if !c.Closed() || c.SummedUp || (c.Dir == nil) != (i < all-maxEnded) {
			t.Fatalf("connection %d: closed %v, summed up %v, packed %v", i, c.Closed(), c.SummedUp, c.Dir == nil)
		}
	}
	s.pairOf(all-1, "yes") // it is remembered
	s.lockPair(0)          // it is not
	if c := conns[all-1]; c.Dir[0].Frames != 5 {
		t.Errorf("%d frames of the pair that was heard last, want 5", c.Dir[0].Frames)
	}
	again := s.tab.Conns()
	if len(again) != all+2 || again[all+1].A != conns[0].A {
		t.Errorf("%d connections after the first pair came back, want %d", len(again), all+2)
	}
	s.tab.Close(s.now)
	if conns[0].Unpack(); conns[0].Dir[0].Frames != 4 {
		t.Errorf("%d frames of the pair that was forgotten, want 4", conns[0].Dir[0].Frames)
	}
	if decoded, _, other := s.tab.Totals(); decoded != s.frame || other != 0 {
		t.Errorf("%d decoded and %d others of %d", decoded, other, s.frame)
	}
}

// TestForgottenComesBackInItsMiddle: what comes of a pair whose connection is no longer known
// is another connection, which says that its start is missing: it is not complete, and
// CAP-MIDSTART tells.
func TestForgottenComesBackInItsMiddle(t *testing.T) {
	ending := yes()
	ending.NewSession = func(f *Flow, probe Probe) Session { return &endingSession{yesSession{flow: f, probe: probe}} }
	for _, c := range []struct {
		name string
		cfg  Config
		play func(s *story)
	}{
		{"summed up, of too many", Config{Protocols: []*Protocol{yes()}}, func(s *story) { s.meetPairs(1, maxSummedUp+2*MaxOpen) }},
		{"ended, of too many", Config{Protocols: []*Protocol{ending}}, func(s *story) {
			s.meetPairs(1, 2*maxEnded)
			s.pass(RestTime + HoldTime + ms)
			s.meetPairs(5_000, 1)
		}},
		{"silent for long in a live run", Config{Protocols: []*Protocol{yes()}, Idle: 100e9}, func(s *story) { s.pass(200e9) }},
	} {
		s := newStory(c.cfg)
		s.meetPairs(0, 1)
		c.play(s)
		before := slices.Clone(s.tab.Conns())
		s.lockPair(0)
		s.tab.Close(s.now)
		conns := s.tab.Conns()
		if last := conns[len(conns)-1]; len(conns) != len(before)+1 || last.Complete || !before[0].Complete || last.A != before[0].A {
			t.Errorf("%s: %d connections, then %d", c.name, len(before), len(conns))
		}
		if got := s.tab.QualityTallies()[rCapMidstart]; got.Fail != 1 || got.Pass != uint64(len(before)) {
			t.Errorf("%s: CAP-MIDSTART %+v of %d connections", c.name, got, len(conns))
		}
	}
}

// meetPairs begins connections of n pairs.
func (s *story) meetPairs(first, n int) {
	for i := range n {
		s.pairOf(first+i, "hello")
		s.lockPair(first + i)
	}
}
