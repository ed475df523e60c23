package session

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

const ms = int64(1e6)

// settled is what is settled in one way.
type settled struct {
	ruling conform.Ruling
	guard  conform.Guard
}

func (s settled) Settle() (conform.Ruling, conform.Guard) { return s.ruling, s.guard }

// court is a connection under the rules of a test, with its findings.
type court struct {
	*story
	c    *Conn
	law  *Evaluation
	list []Finding
}

func (c *court) Finding(f *Finding) { c.list = append(c.list, *f) }

// newCourt opens a connection whose protocol has one rule for each set of guards.
func newCourt(guards ...conform.Guards) *court {
	p := yes()
	for _, g := range guards {
		p.Rules = append(p.Rules, conform.Rule{ID: "TEST-RULE", Guards: g, Severity: conform.Error})
	}
	ct := &court{story: &story{now: 1e9}}
	ct.tab = NewTable(Config{Protocols: []*Protocol{p}, Sink: ct, Inconclusive: true})
	for range 4 {
		ct.say(1, 2, "yes")
	}
	ct.c = ct.tab.Conns()[0]
	ct.law = &ct.c.Rules
	return ct
}

// breakIt breaks rule 0 at the last frame and gives the guard that stood against it.
func (c *court) breakIt(since int64) conform.Guard {
	c.law.Judge(conform.Case{Rule: 0, Frame: c.frame, Time: c.now, HasTime: true, Since: since})
	return c.list[len(c.list)-1].Guard
}

// capture captures first sendings of a side, outside of its frames.
func (c *court) capture(dir dissect.Dir, nums ...seq.Num) {
	for _, n := range nums {
		c.c.Dir[dir].Send(&seq.Sending{Num: n, Mark: seq.MarkFirst, Time: c.now, HasTime: true})
	}
}

func TestGuardsStandAgainstFails(t *testing.T) {
	for _, tt := range []struct {
		name  string
		guard conform.Guard
		spoil func(c *court) // what makes the guard stand
		mend  func(c *court) // what satisfies it
	}{
		{"START", conform.GuardStart, func(c *court) { c.c.Complete = false }, func(c *court) { c.c.Complete = true }},
		{"BIDIR", conform.GuardBidir, func(*court) {}, func(c *court) { c.say(2, 1, "yes") }},
		{"CLEAN", conform.GuardClean, func(c *court) { c.capture(1, 0, 2) }, func(c *court) { c.capture(1, 1) }},
		{"CLOCK", conform.GuardClock, func(c *court) { c.law.sight.backwards.N, c.law.sight.backAt = 1, c.now }, func(c *court) { c.law.sight.backwards.N = 0 }},
		{"ROLE", conform.GuardRole, func(*court) {}, func(c *court) { c.c.Roles = [2]string{"connector", "listener"} }},
		{"VER", conform.GuardVer, func(*court) {}, func(c *court) { c.c.Version = 0x10006 }},
		{"DIAL", conform.GuardDial, func(*court) {}, func(c *court) { c.c.Dialect = "spec" }},
		{"RTT", conform.GuardRTT, func(*court) {}, func(c *court) {
			for n := range seq.Num(2 * seq.HistoryLimit) {
				c.capture(0, n)
				c.c.Dir[0].Acknowledge(&seq.Acknowledgement{Next: n + 1, Time: c.now + ms, HasTime: true}, nil)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCourt(conform.Of(tt.guard))
			tt.spoil(c)
			if g := c.breakIt(0); g != tt.guard {
				t.Errorf("stood against it: %q", g)
			}
			tt.mend(c)
			if g := c.breakIt(0); g != conform.GuardNone {
				t.Errorf("%s still stands", g)
			}
			if tally := c.tab.Tallies(c.tab.cfg.Protocols[0])[0]; tally.Fail != 1 || tally.Inconclusive != 1 || tally.Blocked[tt.guard] != 1 {
				t.Errorf("%+v", tally)
			}
		})
	}
}

// A gap before the window of the rule is no matter.
func TestCleanSince(t *testing.T) {
	c := newCourt(conform.Of(conform.GuardClean))
	c.now -= 5 * ms
	c.capture(0, 0, 2)
	c.now += 5 * ms
	if g := c.breakIt(c.now - 10*ms); g != conform.GuardClean {
		t.Errorf("%q", g)
	}
	if g := c.breakIt(c.now - 4*ms); g != conform.GuardNone {
		t.Errorf("%q", g)
	}
}

// A frame cut by the capture proves nothing, whatever the rule.
func TestSnap(t *testing.T) {
	c := newCourt(0)
	fr := &dissect.Frame{Datagram: &dissect.Datagram{Frame: c.frame, Length: 9, Payload: []byte("cut")}}
	c.law.beginFrame(fr.Datagram, 0)
	c.c.active.fr = fr
	c.law.Broken(0, "broken")
	if f := c.list[len(c.list)-1]; f.Guard != conform.GuardSnap {
		t.Errorf("%q", f.Guard)
	}
}

// What was concluded and not seen makes a finding one step milder.
func TestMilder(t *testing.T) {
	c := newCourt(conform.Of(conform.GuardVer))
	c.c.Version = 0x10006
	c.c.Infer("version")
	c.breakIt(0)
	if s := c.list[len(c.list)-1].Severity; s != conform.Warn {
		t.Errorf("%s", s)
	}
}

// A case is held until time has passed and frames of the side have come, and is
// then what settle says.
func TestHold(t *testing.T) {
	for _, tt := range []struct {
		ruling conform.Ruling
		guard  conform.Guard
		want   conform.Tally
	}{
		{conform.Failed, conform.GuardNone, conform.Tally{Fail: 1}},
		{conform.Passed, conform.GuardNone, conform.Tally{Pass: 1}},
		{conform.Dropped, conform.GuardNone, conform.Tally{}},
		{conform.Doubtful, conform.GuardReord, conform.Tally{Inconclusive: 1}},
	} {
		c := newCourt(0)
		c.law.Hold(conform.Case{Rule: 0, Frame: 4}, settled{tt.ruling, tt.guard})
		for range HoldSideFrames - 1 {
			c.now += HoldLeast / 10
			c.say(1, 2, "yes")
		}
		if got := c.tally(); got != (conform.Tally{}) {
			t.Fatalf("settled early: %+v", got)
		}
		c.say(1, 2, "yes")
		got := c.tally()
		got.Blocked = conform.Tally{}.Blocked
		if got != tt.want {
			t.Errorf("%+v, want %+v", got, tt.want)
		}
	}
}

func (c *court) tally() conform.Tally { return c.tab.Tallies(c.tab.cfg.Protocols[0])[0] }

// What is held when the capture ends might still have been explained; when the
// session has ended, or the time has passed, nothing will.
func TestHoldAtTheEnd(t *testing.T) {
	for _, tt := range []struct {
		state State
		after int64
		want  conform.Guard
	}{
		{Established, 0, conform.GuardHold},
		{Established, HoldLeast, conform.GuardNone},
		{Closed, 0, conform.GuardNone},
	} {
		c := newCourt(0)
		c.law.Hold(conform.Case{Rule: 0, Frame: 4}, nil)
		c.c.State = tt.state
		c.tab.end += tt.after
		c.c.flow.Finish(c.c)
		if f := c.list[0]; f.Guard != tt.want {
			t.Errorf("%s after %d ms: %q, want %q", tt.state, tt.after/ms, f.Guard, tt.want)
		}
	}
}

// Too many cases at a time: the oldest is given up, without a verdict, under guard HOLD.
func TestHoldIsBounded(t *testing.T) {
	c := newCourt(0)
	for range maxHolds + 5 {
		c.law.Hold(conform.Case{Rule: 0, Frame: 4}, nil)
	}
	if got := c.tally(); len(c.law.holds) != maxHolds || got.Inconclusive != 5 || got.Blocked[conform.GuardHold] != 5 {
		t.Errorf("%d held, %+v", len(c.law.holds), got)
	}
}

// Rules that most frames pass together are counted together.
func TestPassSet(t *testing.T) {
	p := yes()
	p.Rules = []conform.Rule{{ID: "TEST-0"}, {ID: "TEST-1"}, {ID: "TEST-2"}}
	p.RuleSets = [][]int{{0, 2}}
	s := newStory(Config{Protocols: []*Protocol{p}})
	for range 4 {
		s.say(1, 2, "yes")
	}
	rules := &s.tab.Conns()[0].Rules
	rules.PassSet(0)
	rules.Pass(2)
	got := s.tab.Tallies(p)
	if got[0].Pass != 1 || got[1].Pass != 0 || got[2].Pass != 2 {
		t.Errorf("%+v", got)
	}
}

// A rule that is reported once a side gives one finding for each, which counts all breaches.
func TestSummedRuleIsToldOnceASide(t *testing.T) {
	c := newCourt(0)
	c.law.rules = []conform.Rule{{ID: "TEST-RULE", Severity: conform.Note, Summed: true}}
	c.list = nil
	for range 3 {
		c.law.Judge(conform.Case{Rule: 0, Frame: c.frame, Dir: 0, Message: "habit"})
	}
	c.law.Judge(conform.Case{Rule: 0, Frame: c.frame, Dir: 1, Message: "habit"})
	if len(c.list) != 2 || c.list[0].Times() != 3 || c.list[1].Times() != 1 {
		t.Errorf("%d findings: %+v", len(c.list), c.list)
	}
	if n := c.c.Findings[conform.Note]; n != 2 {
		t.Errorf("%d notes are counted of the connection, want 2", n)
	}
}

// TestCasesOfAFrameAreBounded: of a frame with thousands of faults maxCases are told; the next
// frame is judged as ever.
func TestCasesOfAFrameAreBounded(t *testing.T) {
	c := newCourt(0)
	for range 2 {
		for n := range maxCases {
			if c.law.Enough() {
				t.Fatalf("enough after %d cases", n)
			}
			c.breakIt(0)
		}
		if !c.law.Enough() {
			t.Error("a frame has no end of cases")
		}
		c.say(1, 2, "yes")
	}
	if got := c.tally(); got.Fail != 2*maxCases {
		t.Errorf("%d are told", got.Fail)
	}
}

// TestProofIsBounded: of the frames that prove a case the first maxProof are cited, and always
// the offending one.
func TestProofIsBounded(t *testing.T) {
	x := conform.Case{Frame: 1000}
	for n := range uint64(2 * maxProof) {
		x.Proof = append(x.Proof, n+1)
	}
	if got := proofOf(&x); len(got) != maxProof+1 || got[0] != 1 || got[maxProof-1] != maxProof || got[maxProof] != 1000 {
		t.Errorf("frames %v", got)
	}
}

// TestRipeCasesAreOfOtherFrames: what was held is of the frames it was found at, however much of it
// is settled when another one comes.
func TestRipeCasesAreOfOtherFrames(t *testing.T) {
	c := newCourt(0)
	for range maxCases {
		c.law.Hold(conform.Case{Rule: 0, Frame: 4}, settled{conform.Failed, conform.GuardNone})
	}
	for range HoldSideFrames {
		c.now += HoldLeast / 10
		c.say(1, 2, "yes")
	}
	if got := c.tally().Fail; got != maxCases || c.law.Enough() {
		t.Errorf("%d are settled; the frame at hand has enough: %v", got, c.law.Enough())
	}
}
