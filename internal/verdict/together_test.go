package verdict

import (
	"testing"

	"github.com/dpdissect/dpdissect/session"
)

// TestWorse: of the outcomes of several captures the gravest counts, in the order of
// exit codes 3, 1, 4, 5, 0.
func TestWorse(t *testing.T) {
	order := []Outcome{Unreadable, Fail, NotEvaluated, PoorCapture, Pass}
	for i, grave := range order {
		for _, mild := range order[i:] {
			if grave.Worse(mild) != grave || mild.Worse(grave) != grave {
				t.Errorf("of %s and %s the worse is %s and %s", grave, mild, grave.Worse(mild), mild.Worse(grave))
			}
		}
	}
}

// TestTogether: an entry of the baseline, or a suppression, that does nothing in one
// capture may be needed in another.
func TestTogether(t *testing.T) {
	c := testConn(0, "10.0.0.1:50000", "10.0.0.9:2302")
	head, tail, other := finding("TP-1-HEAD", "head", c), finding("TP-1-TAIL", "tail", c), finding("TP-2-RESEND", "sent", c)
	base := BaselineOf([]session.Finding{head, tail, other})
	policy := "suppressions: [{rule: TP-2-RESEND, reason: x}, {rule: TP-3-NEVER, reason: y}]"
	one := decide(t, policy, base, Run{Findings: []session.Finding{head, other}})
	two := decide(t, policy, base, Run{Findings: []session.Finding{head, tail, finding("TP-1-HEAD", "new", c)}})
	if one.Baseline.Gone != 2 || two.Baseline.Gone != 1 {
		t.Errorf("%+v and %+v", one.Baseline, two.Baseline)
	}
	s := Together(base, []*Result{one, two})
	if s.Outcome != Fail || *s.Baseline != (BaselineResult{Known: 3, New: 1, Gone: 1}) {
		t.Errorf("%s, %+v", s.Outcome, s.Baseline)
	}
	if n := len(s.Suppressions); n != 2 || s.Suppressions[0].Findings != 1 || s.Suppressions[1].Findings != 0 || one.Suppressions[0].Findings != 1 {
		t.Errorf("%+v of %+v", s.Suppressions, one.Suppressions)
	}
	if s := Together(nil, []*Result{decide(t, "", nil, Run{})}); s.Outcome != Pass || s.Baseline != nil {
		t.Errorf("%+v", s)
	}
}
