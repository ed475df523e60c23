package lab

import (
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// TestEnds: a sample of the sessions meets the goals: causes of ends are named right, and
// most that can be told are told, and no side is blamed for certain that did nothing.
func TestEnds(t *testing.T) {
	all, err := Ends(EndOptions{Seeds: 1, First: 41, Sample: 6})
	if err != nil {
		t.Fatal(err)
	}
	var report strings.Builder
	WriteEnds(&report, all)
	s := sumEnds(all)
	if s.Runs < 500 {
		t.Fatalf("%d runs", s.Runs)
	}
	if !s.Good() {
		t.Error(report.String())
	}
	if s.Lies > 0 || s.Sentences < 1000 {
		t.Errorf("%d of %d sentences are not true, or not known:\n%s", s.Lies, s.Sentences, report.String())
	}
	if s.Right+s.Open+s.Wrong != s.Runs {
		t.Errorf("%+v does not add up", s)
	}
	var paper strings.Builder
	WriteEndAccuracy(&paper, all, 1)
	for _, line := range strings.Split(paper.String(), "\n") {
		if strings.Contains(line, "NaN") || strings.Contains(line, "%!") {
			t.Error(line)
		}
	}
}

// TestEndCauses: every cause of an end and everything that makes connections slow is
// played, and nothing is expected that explain does not know.
func TestEndCauses(t *testing.T) {
	played := map[explain.Cause]bool{}
	for _, c := range tracegen.EndCases() {
		for _, place := range tracegen.EndPlaces {
			truth := c.Truth(place)
			played[explain.Cause(truth.Cause)] = true
			for _, x := range slices.Concat(truth.Must, truth.MustNot) {
				played[explain.Cause(x)] = true
			}
			for _, v := range truth.Accept {
				played[explain.Cause(v.Cause)] = true
			}
		}
	}
	known := []explain.Cause{explain.StillOpen, explain.PoorCapture, explain.NoAnswer, explain.PortClosed, explain.Refused, explain.VersionMismatch,
		explain.SecretMismatch, explain.ProtocolViolation, explain.PeerRestarted, explain.RetriesExhausted, explain.SizeBlackHole, explain.OneWay,
		explain.NATExpired, explain.NATRebinding, explain.PeerSilent, explain.PathDead, explain.Closed, explain.Reset, explain.Undecided,
		explain.Loss, explain.LossBurst, explain.Delay, explain.Bufferbloat, explain.WindowStall, explain.LateAcks, explain.PeerStalled,
		explain.UnitStarved, explain.HiddenCopies, explain.SpuriousRetries, explain.Reordering, explain.ApplicationIdle, explain.ClockSkew}
	for _, x := range known {
		if !played[x] {
			t.Errorf("%s is not played", x)
		}
		delete(played, x)
	}
	delete(played, "*")
	for x := range played {
		t.Errorf("no cause %q", x)
	}
}

// TestEndRunNames: a run is found again by its name.
func TestEndRunNames(t *testing.T) {
	for _, name := range []string{"hazel/cut/middle/5/1", "dp8-full/secret/b/0/3", "knet/no-answer/a/20/9"} {
		r, err := ParseEndRun(name)
		if err != nil || r.Name() != name {
			t.Errorf("%s is %s, %v", name, r.Name(), err)
		}
	}
	for _, name := range []string{"", "hazel/cut", "hazel/cut/nowhere/5/1", "hazel/nothing/a/5/1"} {
		if _, err := ParseEndRun(name); err == nil {
			t.Errorf("%q names a run", name)
		}
	}
}

// TestEndMarks: what counts as right, left open and wrong.
func TestEndMarks(t *testing.T) {
	silent := []tracegen.EndVerdict{{Cause: "peer-silent", Sides: []string{"a", ""}}}
	for _, c := range []struct {
		name        string
		cause, side string
		sure        bool
		loss        float64
		decidable   bool
		mark        int
		blamed      bool
	}{
		{"right", "peer-silent", "a", false, 0, true, endRight, false},
		{"another side, likely", "peer-silent", "b", false, 0, true, endWrong, false},
		{"another side, proved", "peer-silent", "b", true, 0, true, endWrong, true},
		{"another cause, proved", "closed", "b", true, 0.05, true, endWrong, true},
		{"another cause, likely, and nothing captured tells", "closed", "b", false, 0.05, false, endOpen, false},
		{"undecided", "undecided", "", false, 0, true, endOpen, false},
		{"the capture lost something", "poor-capture", "", true, 0.05, true, endOpen, false},
		{"the capture lost nothing", "poor-capture", "", true, 0, true, endWrong, false},
		{"nothing said", "", "", false, 0, true, endOpen, false},
	} {
		r := EndResult{Run: EndRun{Loss: c.loss}, Truth: tracegen.EndTruth{Accept: silent, Decidable: c.decidable}, Cause: c.cause, Side: c.side, Sure: c.sure}
		r.mark()
		if r.Mark != c.mark || r.Blamed != c.blamed {
			t.Errorf("%s: %d, blamed %v", c.name, r.Mark, r.Blamed)
		}
	}
}

// TestClaims: every sentence says which event would make it false, and that event is played.
func TestClaims(t *testing.T) {
	played := map[string]bool{}
	for _, c := range tracegen.EndCases() {
		played[c.Event] = true
	}
	for _, c := range append(append([]claim{}, claims...), verdictClaims...) {
		if c.refuted == "" || !played[c.played] {
			t.Errorf("%s: refuted by %q in %q", c.pattern, c.refuted, c.played)
		}
	}
}

// TestUntrue: a sentence that is not true of a session is found.
func TestUntrue(t *testing.T) {
	r, err := ParseEndRun("hazel/open/middle/0/1")
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Play()
	if err != nil {
		t.Fatal(err)
	}
	for _, sentence := range []string{
		"Most likely about 12.4% of what the player sent, or of the answers to it, was lost (2200 of 17700; no loss is proven).",
		"12.4% of what the server sent was lost (22 of 177) after this capture point.",
		"The network reordered what the player sent: 14 packets were overtaken by later ones, by up to 88 ms.",
		"50 of 100 packets of the player are duplicates made by the network or the capture.",
	} {
		c := &explain.Connection{Contributing: []explain.Contribution{{Sentence: sentence}}}
		if untrue, _, _ := untrue(s, c); len(untrue) != 1 {
			t.Errorf("%q is taken for true", sentence)
		}
	}
	c := &explain.Connection{Contributing: []explain.Contribution{{Sentence: "Something else."}}}
	if _, unknown, _ := untrue(s, c); len(unknown) != 1 {
		t.Error("a sentence that no claim knows")
	}
}

// TestSentencesOnceUntrue: a program that ended did not stand still, and an answer to what the
// capture missed is no sign of a second clock.
func TestSentencesOnceUntrue(t *testing.T) {
	for _, name := range []string{
		"hazel/client-restarts/a/0/3", "hazel/client-restarts/a/5/5", "hazel-2019/client-restarts/a/0/4",
		"hazel/spurious/a/20/3", "hazel/spurious/b/20/4", "hazel/one-way/a/20/4", "hazel-fork36/one-way/middle/20/3",
		"dp8/idle-open/b/20/2", "knet/idle/a/20/2", "hazel-2019/client-restarts/a/5/3", "dp4/one-way-back/b/5/2", // the answers were not captured
		"hazel/client-restarts/middle/0/2", "hazel-v01/reordering/middle/0/4", "hazel-fork36/skew/middle/0/5", // nothing was lost
		"knet-spec/outage/middle/0/2", "knet-2010/delay/middle/0/5", // a ping is named, not its reply
		"dp8-full/window-stall/middle/0/5", "dp8-fast/delay/middle/0/3", "dp8/window-stall/b/0/5", // held back: no queue, no loss
		"dp8-full/delay/a/0/53", "dp8-full/delay/b/0/111", "dp8/window-stall/a/0/21", // the retries were held back, too
		"dp8-fast/window-stall/a/20/6", "dp8/window-stall/a/20/107", // no queue fits between the capture and the machine at which it is
		"hazel/spurious/middle/20/952",                            // of a queue that never drains, a capture that misses packets is no proof
		"dp8-full/outage/middle/0/110", "dp4/outage/middle/0/102", // nothing was answered for a while: no queue
		"hazel-2019/client-restarts/b/0/51", "hazel/client-restarts/b/0/110", // captured in the connection before
		"hazel-2019/client-restarts/a/20/102", "hazel-2019/client-restarts/middle/20/107", // other bytes under old numbers
		"dp4/copies/b/5/52", "dp4-eager/copies/middle/20/52", "dp4/copies/middle/20/106", // a copy, whose original was not captured
		"dp8-full/copies/a/5/103",                                           // an acknowledgement that was held is no copy of itself
		"hazel-v01/reordering/a/0/102",                                      // what was passed over came after its retry
		"hazel-2019/delay/middle/20/112", "dp4-eager/window-stall/a/20/108", // the program did not stand still
	} {
		if r := judgedRun(t, name); len(r.Untrue) > 0 || r.Sentences == 0 {
			t.Errorf("%s: %d sentences, untrue are %q", name, r.Sentences, r.Untrue)
		}
	}
}

// TestOnceBlamed: who cut a connection off is not certain where the capture misses packets of
// either side, nor that a path was dead whose peer may have discarded what it cannot verify.
func TestOnceBlamed(t *testing.T) {
	for _, name := range []string{"dp8-fast/reset-b/middle/5/51", "dp8-fast/secret/b/20/1302"} {
		if judgedRun(t, name).Blamed {
			t.Errorf("%s: somebody is blamed for certain that did nothing", name)
		}
	}
}

// judgedRun plays a session and compares what explain says of it with what happened.
func judgedRun(t *testing.T, name string) *EndResult {
	t.Helper()
	run, err := ParseEndRun(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := run.Play()
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.judge(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
