package explain

import (
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// contributes holds what is said of a connection to one cause of a side, "" for none of it.
func contributes(t *testing.T, name string, s *subject, cause Cause, side string, want bool) {
	t.Helper()
	got := false
	for _, c := range s.contributions() {
		got = got || c.Cause == cause && c.Side == side
		if !strings.HasSuffix(c.Sentence, ".") || strings.Contains(c.Sentence, "%!") || c.Frames == nil || c.Numbers == nil {
			t.Errorf("%s: %+v", name, c)
		}
		if c.brief() == "" {
			t.Errorf("%s: no words for %s", name, c.Cause)
		}
	}
	if got != want {
		t.Errorf("%s: %s by %q: %v, want %v", name, cause, side, got, want)
	}
}

func TestLoss(t *testing.T) {
	s := established()
	s.side(0).Losses.Needed = seen(5, 20, 2)
	contributes(t, "five needed their retry", s, Loss, path, true)
	s.side(0).Losses.Needed.N = 1
	contributes(t, "one did", s, Loss, path, false)
}

func TestLossBurst(t *testing.T) {
	s := established()
	s.side(0).Signs.LongestHole, s.side(0).Signs.PassedOver, s.side(0).Signs.Holes = 8, 8, at(20, 2)
	contributes(t, "eight in a row", s, LossBurst, path, true)
	s.side(0).Signs.Uncaptured = at(20, 2)
	contributes(t, "the capture lost them", s, LossBurst, path, false)
}

// wait makes what a side sent wait for 3 s, and be answered then.
func wait(s *subject, dir dissect.Dir) {
	s.side(dir).Healed = seq.Deaf{First: at(50, 5), Last: start + 8*second, Units: 11, Several: start + 6*second}
	s.side(dir).Spells = &seq.Spells{seq.Slow: {{From: start + 5*second, To: start + 8*second, N: 10, Most: 3 * second, Worst: at(50, 5)}}}
}

func TestDelay(t *testing.T) {
	s := established()
	contributes(t, "as ever", s, Delay, path, false)
	wait(s, 0)
	contributes(t, "one wait of 3 s", s, Delay, path, true)
	contributes(t, "nothing shows a loss", s, LossBurst, path, false)
	s.side(0).Losses.Unacked = seen(4, 51, 5.1)
	contributes(t, "something was lost at another time", s, LossBurst, path, false)
	s.side(0).Spells[seq.Missed] = []seq.Spell{{From: start + 5*second, To: start + 6*second, N: 4, Worst: at(51, 5.1)}}
	contributes(t, "what was sent meanwhile was lost", s, LossBurst, path, true)
}

func TestBufferbloat(t *testing.T) {
	s := established()
	s.side(0).Swell = seq.Swell{Base: 40e6, Peak: 900e6, BaseRate: [2]float32{1000, 1000}, PeakRate: [2]float32{60000, 1000}, At: at(50, 5), Rose: 3, Recovered: true}
	contributes(t, "the queue drains again", s, Bufferbloat, path, true)
	s.side(0).Swell.Recovered = false
	contributes(t, "it never does", s, Bufferbloat, path, false)
	s.side(0).Swell.Recovered, s.side(0).Swell.Rose = true, 1
	contributes(t, "it jumped", s, Bufferbloat, path, false)
	s.side(0).Swell.Rose = 3
	s.side(0).Swell.Recovered, s.side(0).Swell.PeakRate[0] = true, 1000
	contributes(t, "nobody sends more", s, Bufferbloat, path, false)
}

func TestWindowStall(t *testing.T) {
	s := established()
	s.side(0).Stall = session.Stall{First: at(30, 3), Longest: 2 * second}
	contributes(t, "for 2 s", s, WindowStall, "a", true)
	s.side(0).Stall.Longest = 50e6
	contributes(t, "for a moment", s, WindowStall, "a", false)
}

func TestPeerStalled(t *testing.T) {
	s := established()
	wait(s, 1) // the capture was made at a: b is 20 ms away
	s.side(0).Trips.Least, s.side(1).Trips.Least = 40e6, 1e6
	contributes(t, "at the host that stood still", s, PeerStalled, "a", true)
	s.side(1).Trips.Least = 40e6
	contributes(t, "from half way", s, PeerStalled, "a", false)
	s.side(1).Trips.Least = 1e6
	s.side(1).Spells = nil
	contributes(t, "what it was sent is never answered", s, PeerStalled, "a", false)
}

// TestLateAcks: each transmission was acknowledged, some 3 s late. That is the peer's doing where
// nothing was lost; without an acknowledgement for each transmission it shows no more than delay.
func TestLateAcks(t *testing.T) {
	s := established()
	wait(s, 0)
	contributes(t, "nothing tells sendings apart", s, LateAcks, "b", false)
	for _, ns := range []int64{40e6, 3 * second} {
		s.Dir[0].Trips().Paired(start+ns, ns)
	}
	contributes(t, "each sending was acknowledged", s, LateAcks, "b", true)
	s.side(0).Healed = seq.Deaf{}
	contributes(t, "no wait", s, LateAcks, "b", false)
	wait(s, 0)
	s.side(0).Trips.Least, s.side(1).Trips.Least = 1e6, 40e6
	contributes(t, "at the host that stood still", s, LateAcks, "b", true)
	contributes(t, "and its program stood still", s, PeerStalled, "b", true)
}

func TestUnitStarved(t *testing.T) {
	s := established()
	s.side(0).Losses.Starved = seq.StuckUnit{Num: 12, Sends: 4, Frame: 30, Time: start + 2*second, Latest: start + 9*second}
	s.side(0).LatestAcked = start + 9*second
	contributes(t, "others pass", s, UnitStarved, path, true)
	s.side(0).LatestAcked = start + 3*second
	contributes(t, "nothing passes", s, UnitStarved, path, false)
	s.side(0).LatestAcked, s.side(0).Losses.Starved.Latest = start+9*second, start+3*second
	contributes(t, "it is sent no more", s, UnitStarved, path, false)
}

func TestSpuriousRetries(t *testing.T) {
	s := established()
	s.Dir[0].Retries, s.Dir[0].UnneededRetries = 20, 10
	contributes(t, "half of them", s, SpuriousRetries, "a", true)
	s.Dir[0].UnneededRetries = 2
	contributes(t, "two", s, SpuriousRetries, "a", false)
}

func TestReordering(t *testing.T) {
	s := established()
	s.side(1).Signs.Late = seen(9, 20, 2)
	contributes(t, "nine came late", s, Reordering, path, true)
	s.side(1).Signs.Late.N = 2
	contributes(t, "two", s, Reordering, path, false)
}

func TestHiddenCopies(t *testing.T) {
	s := established()
	s.Dir[1].Duplicates, s.Dir[1].Frames = 20, 46
	contributes(t, "many", s, HiddenCopies, path, true)
	s.Dir[1].Duplicates = 2
	contributes(t, "two", s, HiddenCopies, path, false)
}

func TestClockSkew(t *testing.T) {
	s := established()
	contributes(t, "one clock", s, ClockSkew, path, false)
	s.side(0).ClockLead, s.side(0).LeadBy = seen(30, 2, 0.1), 300e6
	contributes(t, "two clocks", s, ClockSkew, path, true)
}

func TestApplicationIdle(t *testing.T) {
	s := established()
	s.Dir[0].KeepAlives = 5
	s.side(0).Data, s.side(0).Last = seen(20, 40, 4), seen(60, 90, 40)
	contributes(t, "pings alone for 36 s", s, ApplicationIdle, "a", true)
	s.side(0).Data = seen(20, 88, 39)
	contributes(t, "data to the end", s, ApplicationIdle, "a", false)
}

func TestCapturePoint(t *testing.T) {
	s := established()
	if p := s.point(); p.Near != "a" || *p.ToB != 20 || *p.ToA != 0.5 {
		t.Errorf("%+v", p)
	}
	s.side(1).Trips.Least = 40e6
	if p := s.point(); p.Near != "middle" {
		t.Errorf("%+v", p)
	}
	s.Dir[1].Trips().Pinged(start, 1e6) // what is acknowledged waits for others, and pings do not
	if p := s.point(); p.Near != "a" || *p.ToA != 0.5 {
		t.Errorf("%+v", p)
	}
	s.side(0).Trips.Known = false
	if p := s.point(); p.Near != "unknown" || p.ToB != nil {
		t.Errorf("%+v", p)
	}
}

// TestAsk: what libraries print finds what it is about.
func TestAsk(t *testing.T) {
	lost, kicked := established(), established()
	lost.ID, kicked.ID = 4, 5
	lost.State = session.TimedOut
	lost.longUnanswered(0, 8)
	lost.later(40)
	kicked.closes(1, 92, 10.1)
	story := storyOf(lost, kicked)
	for text, want := range map[string]int{
		"Reliable packet 38 (size=60) was not ack'd after 5005ms (7 resends)":                                            4,
		"It's been 18220.50ms since last heard from other end. connectionLostTimeout=15000.00ms, so closing connection.": 4,
		"The remote sent a disconnect request":                                                                           5,
	} {
		if a := story.Ask(text); a.Connection == nil || *a.Connection != want || len(a.Frames) == 0 || !strings.HasSuffix(a.Sentence, ".") {
			t.Errorf("%q: %+v, want #%d", text, a, want)
		}
	}
	lost.side(0).Unanswered.Num = 1<<16 + 39
	if a := storyOf(lost, kicked).Ask("Reliable packet 39 (size=60) was not ack'd after 5005ms (7 resends)"); a.Connection == nil || *a.Connection != 4 {
		t.Errorf("numbers of the wire have 16 bits: %+v", a)
	}
	for _, text := range []string{"Reliable packet 77 was not ack'd after 5005ms", "the cake is a lie", ""} {
		if a := story.Ask(text); a.Connection != nil || a.Sentence == "" {
			t.Errorf("%q: %+v", text, a)
		}
	}
}
