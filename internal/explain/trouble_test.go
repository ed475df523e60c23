package explain

import (
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// TestCausesFirst: a cause weighs more than what it makes at the same time, and no more than that
// otherwise.
func TestCausesFirst(t *testing.T) {
	const s = Instant(second)
	for _, tt := range []struct {
		name         string
		cause, other Contribution
		first        bool
	}{
		{"a wait for what was lost", Contribution{Cause: Loss, weight: 0.1, From: 10 * s, To: 12 * s}, Contribution{Cause: Delay, weight: 0.5, From: 11 * s, To: 13 * s}, true},
		{"it begins soon after", Contribution{Cause: Loss, weight: 0.1, From: 10 * s, To: 12 * s}, Contribution{Cause: Delay, weight: 0.5, From: 14 * s, To: 15 * s}, true},
		{"it begins later", Contribution{Cause: Loss, weight: 0.1, From: 10 * s, To: 12 * s}, Contribution{Cause: Delay, weight: 0.5, From: 14*s + 1, To: 15 * s}, false},
		{"it was over before", Contribution{Cause: Loss, weight: 0.1, From: 10 * s, To: 12 * s}, Contribution{Cause: Delay, weight: 0.5, From: 5 * s, To: 8*s - 1}, false},
		{"a loss that is open", Contribution{Cause: Loss, Certainty: Unsettled, weight: 0.1, From: 10 * s, To: 12 * s}, Contribution{Cause: Delay, weight: 0.5, From: 11 * s, To: 13 * s}, false},
		{"no consequence of it", Contribution{Cause: Loss, weight: 0.1, From: 10 * s, To: 12 * s}, Contribution{Cause: Reordering, weight: 0.5, From: 11 * s, To: 13 * s}, false},
		{"the other way round", Contribution{Cause: Delay, weight: 0.1, From: 10 * s, To: 12 * s}, Contribution{Cause: Loss, weight: 0.5, From: 11 * s, To: 13 * s}, false},
	} {
		all := []Contribution{tt.other, tt.cause}
		if causesFirst(all); all[0].weight != tt.other.weight || (all[1].weight > all[0].weight) != tt.first || !tt.first && all[1].weight != tt.cause.weight {
			t.Errorf("%s: %v beside %v", tt.name, all[1].weight, all[0].weight)
		}
	}
	all := []Contribution{{Cause: PeerStalled, weight: 0.1}, {Cause: LateAcks, weight: 0.2}, {Cause: Delay, weight: 0.5}}
	if causesFirst(all); all[0].weight <= all[1].weight || all[1].weight <= all[2].weight {
		t.Errorf("a cause of a cause: %+v", all)
	}
}

// TestRetriesTell: most retries of a side, and enough of them, must seem to have been needed.
func TestRetriesTell(t *testing.T) {
	for _, tt := range []struct {
		name            string
		needed, retries uint64
		change          func(*subject)
		want            bool
	}{
		{"half of twelve", 6, 12, nil, true},
		{"fewer than half", 6, 13, nil, false},
		{"too few", 5, 5, nil, false},
		{"each has an answer of its own", 6, 1, func(s *subject) {
			for range 2 {
				s.Dir[0].Trips().Paired(start, 40e6)
			}
		}, false},
		{"clocks differ", 6, 12, func(s *subject) { s.side(1).ClockLead = at(5, 1) }, false},
		{"the path reorders", 6, 12, func(s *subject) { s.side(1).Signs.Late = seen(9, 20, 2) }, false},
	} {
		s := established()
		s.side(0).Losses.Needed, s.Dir[0].Retries = seen(tt.needed, 20, 2), tt.retries
		if tt.change != nil {
			tt.change(s)
		}
		if got := s.retriesTell(0); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// TestChangedNumbers: several numbers came again with other bytes, where the capture misses
// packets of the side; one whose start was captured began again for certain or not at all.
func TestChangedNumbers(t *testing.T) {
	s := established()
	s.side(0).Signs.Changed = seen(3, 20, 2)
	if s.mayHaveRestarted(0) {
		t.Error("nothing is missing")
	}
	s.side(0).Signs.Uncaptured = at(20, 2)
	if !s.mayHaveRestarted(0) {
		t.Error("three numbers have other bytes")
	}
	if s.side(0).Signs.Changed.N = 2; s.mayHaveRestarted(0) {
		t.Error("two may be damaged")
	}
}

// TestTakesOver: what is missing near the start of a connection that goes on with the numbers of the
// one before was captured there.
func TestTakesOver(t *testing.T) {
	for name, prev := range map[string]bool{"the first of its addresses": false, "one was before": true} {
		s := established()
		s.side(0).Signs.PassedOver, s.side(0).Signs.LongestHole, s.side(0).Signs.Holes = 8, 8, at(20, 2)
		if prev {
			s.prev = established()
		}
		contributes(t, name, s, Loss, path, !prev)
		contributes(t, name, s, LossBurst, path, !prev)
		if s.side(0).Signs.Holes.Time += 20 * second; prev {
			contributes(t, "long after the start", s, Loss, path, true)
		}
	}
}

// TestPassedOverAndAnswered: what was passed over, where each transmission has an answer of its own, came
// after its retry.
func TestPassedOverAndAnswered(t *testing.T) {
	s := established()
	s.side(0).Signs.PassedOver, s.side(0).Signs.Holes = 8, seen(8, 20, 2)
	contributes(t, "passed over", s, Loss, path, true)
	s.Dir[0].Trips().Paired(start, 40e6)
	contributes(t, "each has its answer", s, Loss, path, false)
}

// TestLateCopies: a copy whose original the capture lacks looks as if that came late.
func TestLateCopies(t *testing.T) {
	s := established()
	s.side(0).Signs.Late, s.side(0).Signs.LateBy, s.Dir[0].Duplicates, s.Dir[0].Frames = seen(6, 20, 2), 1e6, 6, 100
	contributes(t, "nothing is missing", s, Reordering, path, true)
	s.side(1).Signs.Uncaptured = at(20, 2)
	contributes(t, "some is", s, Reordering, path, false)
	s.Dir[0].Duplicates = 5
	contributes(t, "more late ones than copies", s, Reordering, path, true)
}

// TestNoQueue: none fits between the capture point and the machine at which it is, and none silences
// a side.
func TestNoQueue(t *testing.T) {
	swell := seq.Swell{Base: 2e6, Peak: 900e6, BaseRate: [2]float32{1000, 1000}, PeakRate: [2]float32{1000, 60000}, At: at(50, 5), Rose: 3, Recovered: true}
	s := established()
	s.side(1).Swell, s.side(1).Trips.Least = swell, 20e6
	contributes(t, "from half way", s, Bufferbloat, path, true)
	s.side(1).Trips.Least = 1e6
	contributes(t, "at the machine itself", s, Bufferbloat, path, false)
	s.side(1).Trips.Least = 20e6
	s.side(0).Healed = seq.Deaf{First: at(40, 3), Last: start + 5*second, Units: 11}
	contributes(t, "nothing was answered before", s, Bufferbloat, path, false)
	s.side(0).Healed.Last = s.side(1).Swell.At.Time - 901e6
	contributes(t, "that was over", s, Bufferbloat, path, true)
}

// TestNearMisses: a capture that misses packets is at one side only where many answers in a row are
// as soon as the first.
func TestNearMisses(t *testing.T) {
	s := established()
	if s.point().Near != "a" {
		t.Fatal(s.point().Near)
	}
	s.side(1).Trips.Slow = 30e6
	if s.point().Near != "a" {
		t.Error("nothing is missing")
	}
	s.side(1).Signs.Uncaptured = at(20, 2)
	if s.point().Near != "unknown" {
		t.Error("the first transmission of what was answered at once may be missing")
	}
}

// TestStoodStill: what came to a program all at once, at the end, was held back before.
func TestStoodStill(t *testing.T) {
	s := established()
	wait(s, 1)
	contributes(t, "three packets came long before the end", s, PeerStalled, "a", true)
	s.side(1).Healed.Several = s.side(1).Healed.Last - 1e6
	contributes(t, "they came just before it", s, PeerStalled, "a", false)
	s.side(1).Healed.Several = 0
	contributes(t, "there were fewer", s, PeerStalled, "a", false)
}

// TestLateAlone: of few answers that are a little late nobody takes notice.
func TestLateAlone(t *testing.T) {
	late := func(n uint64, by int64) *subject {
		s := established()
		s.side(0).Spells = &seq.Spells{seq.Slow: {{From: start + 5*second, To: start + 6*second, N: n, Most: 40e6 + by, Worst: at(50, 5)}}}
		return s
	}
	contributes(t, "one by 399 ms", late(1, 399e6), Delay, path, false)
	contributes(t, "one by 400 ms", late(1, 400e6), Delay, path, true)
	contributes(t, "five by 200 ms", late(5, 200e6), Delay, path, true)
}

// TestSpuriousNamesAFrame: where no acknowledgement shows which retries were not needed, what waited
// the longest is named.
func TestSpuriousNamesAFrame(t *testing.T) {
	s := established()
	wait(s, 0)
	s.Dir[0].Retries = 5
	for range 6 {
		s.Dir[0].Trips().Paired(start, 40e6)
	}
	for _, c := range s.contributions() {
		if c.Cause == SpuriousRetries && (len(c.Frames) != 1 || c.Frames[0] != 50) {
			t.Errorf("%v", c.Frames)
		}
	}
	contributes(t, "each sending was answered", s, SpuriousRetries, "a", true)
}

// TestGaveUpMaybe: what happened when a gap opened, soon before a close that says nothing, is that.
func TestGaveUpMaybe(t *testing.T) {
	for seconds, want := range map[float64]Cause{2: Closed, -12: ""} {
		s := established()
		s.Wordless = true
		s.closes(0, 90, 9.9)
		s.side(0).Waiting = seen(2, 20, seconds)
		x := s.explain()
		if o, _ := x.oddity(start + 2*second); o.cause != want {
			t.Errorf("a gap at %v s: %q, want %q", seconds, o.cause, want)
		}
	}
}

// TestEarly: packets that only the clock of one capture puts before their connection are no
// connection of their own.
func TestEarly(t *testing.T) {
	s, next := established(), established()
	s.LastFrame, s.side(0).Last, s.side(1).Last, s.Next = 9, seen(5, 9, 0.1), seq.Sign{}, next.Conn
	next.FirstFrame, next.FirstTime = 10, start+second/5
	next.side(1).ClockLead, next.side(1).LeadBy = seen(20, 12, 0.3), 150e6
	expect(t, "the clocks differ", s, StillOpen, "", Likely, "clocks of the merged captures differ")
	next.side(1).ClockLead.N = 4
	if s.early() {
		t.Error("hardly anything shows that they do")
	}
	next.side(1).ClockLead.N, next.FirstTime = 20, start+second
	if s.early() {
		t.Error("by less than that")
	}
}

// TestStarvedUnit: who sent a message again to the end, whichever packets it was in, gave up first.
func TestStarvedUnit(t *testing.T) {
	stuck := seq.StuckUnit{Num: 7, Sends: 5, Frame: 20, Time: start, Latest: start + 9*second}
	for _, tt := range []struct {
		name  string
		put   func(x *session.Trouble)
		cause Cause
	}{
		{"nothing", func(*session.Trouble) {}, PeerSilent},
		{"a unit", func(x *session.Trouble) { x.Losses.Starved = stuck }, RetriesExhausted},
		{"a number that is remembered no more", func(x *session.Trouble) { x.Signs.Stuck = stuck }, RetriesExhausted},
		{"three times", func(x *session.Trouble) { x.Losses.Starved = stuck; x.Losses.Starved.Sends = 3 }, PeerSilent},
		{"not to the end", func(x *session.Trouble) { x.Losses.Starved = stuck; x.Losses.Starved.Latest = start + 4*second }, PeerSilent},
	} {
		s := established()
		s.State = session.TimedOut
		s.side(1).Last, s.side(1).Alone = seen(60, 99, 20), 14
		s.side(0).LatestAcked = start + 8*second
		s.later(60)
		tt.put(s.side(0).Trouble)
		if v := s.verdict(); v.Cause != tt.cause || tt.cause == RetriesExhausted && (v.Certainty != Likely || !strings.Contains(v.Sentence, "one message 5 times")) {
			t.Errorf("%s: %s (%s): %s", tt.name, v.Cause, v.Certainty, v.Sentence)
		}
	}
}
