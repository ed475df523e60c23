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
