package pipeline

import (
	"testing"

	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// TestFindingsAreBounded: a rule that is broken all the time hides no other.
func TestFindingsAreBounded(t *testing.T) {
	loud, quiet := &conform.Rule{ID: "LOUD"}, &conform.Rule{ID: "QUIET"}
	var c collected
	for range MaxFindings + 5000 {
		c.Finding(&session.Finding{Rule: loud})
	}
	if n := len(c.findings); n != MaxFindings {
		t.Errorf("%d findings of one rule are kept", n)
	}
	for range maxOfRule + 7 {
		c.Finding(&session.Finding{Rule: quiet})
		c.Finding(&session.Finding{Rule: loud, Guard: conform.GuardClean})
	}
	if n := len(c.findings); n != MaxFindings+2*maxOfRule {
		t.Errorf("%d findings are kept, want %d", n, MaxFindings+2*maxOfRule)
	}
}

// TestLiveFindingsAreBounded: a run without end keeps fewer, of each rule some.
func TestLiveFindingsAreBounded(t *testing.T) {
	c := collected{live: true, watched: true}
	loud, quiet := &conform.Rule{ID: "LOUD"}, &conform.Rule{ID: "QUIET"}
	for _, r := range []*conform.Rule{loud, quiet} {
		for range liveFindings + liveOfRule + 7 {
			c.Finding(&session.Finding{Rule: r})
		}
	}
	if n, fresh := len(c.findings), len(c.fresh); n != liveFindings+liveOfRule || fresh != liveFindings {
		t.Errorf("%d findings are kept, %d for the next report; want %d and %d", n, fresh, liveFindings+liveOfRule, liveFindings)
	}
}

// TestFindingsOfAConnectionAreBounded: of each connection as many are listed, however many others
// have, and no rule hides another.
func TestFindingsOfAConnectionAreBounded(t *testing.T) {
	loud, quiet := &conform.Rule{ID: "LOUD"}, &conform.Rule{ID: "QUIET"}
	var c collected
	for range MaxOfConn + 500 {
		c.Finding(&session.Finding{Rule: loud, Conn: &session.Conn{}})
	}
	one := &session.Conn{}
	for _, r := range []*conform.Rule{loud, quiet} {
		for range MaxOfConn + 500 {
			c.Finding(&session.Finding{Rule: r, Conn: one})
		}
	}
	if n, want := len(c.findings), 2*MaxOfConn+500+maxOfRule; n != want {
		t.Errorf("%d findings are kept, want %d", n, want)
	}
	if c.forget(map[*session.Conn]bool{one: true}); c.of[one] != nil || len(c.findings) != MaxOfConn+500 {
		t.Errorf("%d are kept of others, and the connection: %v", len(c.findings), c.of[one])
	}
}

// TestInconclusiveHidesNothing: what is inconclusive takes no room of what failed, however much of it
// there is.
func TestInconclusiveHidesNothing(t *testing.T) {
	var l Listing
	rule := &conform.Rule{ID: "X-1"}
	for range 2 * MaxOfConn {
		l.Lists(&session.Finding{Rule: rule, Guard: conform.GuardUnwrap})
	}
	for n := range MaxOfConn {
		if !l.Lists(&session.Finding{Rule: rule}) {
			t.Fatalf("failure %d is not listed", n)
		}
	}
	if l.Lists(&session.Finding{Rule: rule}) {
		t.Error("there is no bound")
	}
}
