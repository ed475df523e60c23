package verdict

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

func tally(id string, pass, fail, unclear uint64) conform.RuleTally {
	t := conform.RuleTally{Rule: rule(id)}
	t.Pass, t.Fail, t.Inconclusive = pass, fail, unclear
	t.Blocked[conform.GuardClean] = unclear
	return t
}

// decide weighs findings and tallies by a rules file.
func decide(t *testing.T, policy string, base *Baseline, run Run) *Result {
	t.Helper()
	p, err := ReadPolicy("rules.yaml", []byte(policy), testBook())
	if err != nil {
		t.Fatal(err)
	}
	run.Numbers = walkText([]byte(document))
	r, err := Decide(p, testBook(), base, "2026-11-20", &run)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOutcomes(t *testing.T) {
	c := testConn(0, "10.0.0.1:50000", "10.0.0.9:2302")
	head, tail, note, gap := finding("TP-1-HEAD", "h", c), finding("TP-1-TAIL", "t", c), finding("TP-2-RESEND", "n", c), finding("CAP-GAP", "g", nil)
	unclear := finding("TP-1-HEAD", "h", c)
	unclear.Guard = conform.GuardClean
	matters := head
	matters.Rule = &conform.Rule{ID: "TP-1-HEAD", Operation: true}
	mild := head
	mild.Severity = conform.Warn // part of it was inferred
	all := func(f ...session.Finding) Run { return Run{Findings: f, Packets: 100} }
	tallies := func(l ...conform.RuleTally) Run { return Run{Rules: l, Packets: 100} }
	for _, x := range []struct {
		name, policy string
		run          Run
		want         Outcome
		reason       string
	}{
		{"nothing", "", all(), Pass, ""},
		{"an error", "", all(head), Fail, "1 error"},
		{"a warning", "", all(tail), Pass, ""},
		{"a warning counts", "fail-on: warn", all(tail, tail), Fail, "2 warnings"},
		{"a note counts", "fail-on: note", all(note), Fail, "1 note"},
		{"inconclusive", "fail-on: note", all(unclear), Pass, ""},
		{"capture rules fail nothing", "", all(gap), Pass, ""},
		{"unless they are named", "severities: {CAP-GAP: error}", all(gap), Fail, "1 error"},
		{"raised", "severities: {TP-1-TAIL: error}", all(tail), Fail, "1 error"},
		{"lowered", "severities: {TP-1-*: note}", all(head), Pass, ""},
		{"milder stays milder", "severities: {TP-1-HEAD: error}", all(mild), Pass, ""},
		{"off", "severities: {TP-1-HEAD: off}", all(head), Pass, ""},
		{"off in operation", "profiles: [operation]", all(head), Pass, ""},
		{"unless it is named", "{profiles: [operation], severities: {TP-1-HEAD: error}}", all(head), Fail, "1 error"},
		{"that matters in operation", "profiles: [operation]", all(matters), Fail, "1 error"},
		{"suppressed", "suppressions: [{rule: TP-1-HEAD, reason: x}]", all(head), Pass, ""},
		{"suppressed to the day", "suppressions: [{rule: TP-1-HEAD, reason: x, expires: 2026-11-20}]", all(head), Pass, ""},
		{"expired", "suppressions: [{rule: TP-1-HEAD, reason: x, expires: 2026-11-19}]", all(head), Fail, "1 error"},
		{"at the address", "suppressions: [{rule: TP-1-HEAD, reason: x, address: '10.0.0.9:2302'}]", all(head), Pass, ""},
		{"in the network", "suppressions: [{rule: TP-1-HEAD, reason: x, address: 10.0.0.0/8}]", all(head), Pass, ""},
		{"at another port", "suppressions: [{rule: TP-1-HEAD, reason: x, address: '10.0.0.9:2303'}]", all(head), Fail, "1 error"},
		{"on the connection", "suppressions: [{rule: TP-1-HEAD, reason: x, connection: 0}]", all(head), Pass, ""},
		{"on another one", "suppressions: [{rule: TP-1-HEAD, reason: x, connection: 1}]", all(head), Fail, "1 error"},
		{"a budget", "budgets: retries == 0", all(), Fail, "budget retries == 0 does not hold: it is 6"},
		{"a budget without numbers", "budgets: lost.after_capture == 0", all(), NotEvaluated, "budget lost.after_capture == 0 not evaluated"},
		{"that is optional", "budgets: [{budget: lost.after_capture == 0, optional: true}]", all(), Pass, ""},
		{"required", "required: TP-1-HEAD", tallies(tally("TP-1-HEAD", 1, 0, 3)), Pass, ""},
		{"required by its alias", "required: TP-2-OLD", tallies(tally("TP-1-HEAD", 1, 0, 0)), Pass, ""},
		{"never evaluated", "required: TP-1-HEAD", tallies(tally("TP-1-TAIL", 1, 0, 0)), NotEvaluated, "required rule TP-1-HEAD was never evaluated"},
		{"not evaluated at all", "required: TP-3-NEVER", all(), NotEvaluated, "required rule TP-3-NEVER is not evaluated: never observable"},
		{"never decided", "required: TP-1-HEAD", tallies(tally("TP-1-HEAD", 0, 0, 2)), PoorCapture, "required rule TP-1-HEAD was never decided: all 2 opportunities were inconclusive (CLEAN 2)"},
		{"too unclear", "certainty: {max-inconclusive: 10%}", tallies(tally("TP-1-HEAD", 4, 0, 1)), PoorCapture, "max-inconclusive: 20% is more than 10%"},
		{"clear enough", "certainty: {max-inconclusive: 20%}", tallies(tally("TP-1-HEAD", 4, 0, 1), tally("CAP-GAP", 0, 0, 9)), Pass, ""},
		{"nothing to be clear about", "certainty: {max-inconclusive: 20%}", all(), PoorCapture, "max-inconclusive: the capture does not show it"},
		{"loss is not known", "certainty: {max-capture-loss: 50%}", all(), PoorCapture, "max-capture-loss: the capture does not show it"},
		{"unreadable is before all", "required: TP-2-RESEND", Run{Findings: []session.Finding{head}, Packets: 100, Unread: []string{"x.pcap: cut short"}}, Unreadable, "x.pcap: cut short"},
		{"fail is before the rest", "required: TP-2-RESEND\nbudgets: lost.after_capture == 0", all(head), Fail, "1 error"},
		{"not evaluated is before poor", "required: [TP-1-TAIL, TP-1-HEAD]", tallies(tally("TP-1-HEAD", 0, 0, 2)), NotEvaluated, "required rule TP-1-TAIL"},
	} {
		r := decide(t, x.policy, nil, x.run)
		if r.Outcome != x.want || x.reason == "" != (len(r.Reasons) == 0) || x.reason != "" && !strings.HasPrefix(r.Reasons[0], x.reason) {
			t.Errorf("%s: %s because of %q, want %s because of %q", x.name, r.Outcome, r.Reasons, x.want, x.reason)
		}
	}
}

func TestDropsOfFiles(t *testing.T) {
	clean := strings.ReplaceAll(document, `"lost": {}`, `"lost": {"not_captured": 0}`)
	for dropped, want := range map[uint64]Outcome{0: Pass, 40: PoorCapture} {
		p, err := ReadPolicy("r", []byte("certainty: {max-capture-loss: 10%}"), testBook())
		if err != nil {
			t.Fatal(err)
		}
		run := &Run{Packets: 60, Dropped: dropped, Numbers: walkText([]byte(clean))}
		r, err := Decide(p, testBook(), nil, "2026-11-20", run)
		if err != nil || r.Outcome != want {
			t.Errorf("%d dropped: %v, %v", dropped, r.Outcome, err)
		}
	}
}

func TestSuppressionsAreCounted(t *testing.T) {
	c := testConn(0, "10.0.0.1:50000", "10.0.0.9:2302")
	policy := "suppressions: [{rule: TP-1-HEAD, reason: x, expires: 2020-01-01}, {rule: TP-*, reason: y}, {rule: TP-1-TAIL, reason: z}]"
	r := decide(t, policy, nil, Run{Findings: []session.Finding{finding("TP-1-HEAD", "h", c), finding("TP-1-HEAD", "h", c)}})
	var got []uint64
	for _, s := range r.Suppressions {
		got = append(got, s.Findings)
	}
	if !slices.Equal(got, []uint64{2, 2, 0}) || !r.Suppressions[0].Expired || r.Suppressed != 2 || len(r.Findings) != 0 {
		t.Errorf("%v, %d suppressed, %d left", got, r.Suppressed, len(r.Findings))
	}
}

func TestKnownFindings(t *testing.T) {
	c := testConn(0, "10.0.0.1:50000", "10.0.0.9:2302")
	head, tail := finding("TP-1-HEAD", "head 3", c), finding("TP-1-TAIL", "tail", c)
	again := finding("TP-1-HEAD", "head 4", testConn(3, "10.0.0.2:50001", "10.0.0.9:2302"))
	base := BaselineOf([]session.Finding{head, tail})
	r := decide(t, "fail-on: note", base, Run{Findings: []session.Finding{again}})
	if r.Outcome != Pass || *r.Baseline != (BaselineResult{1, 0, 1}) || len(r.Known) != 1 {
		t.Errorf("%s, %+v", r.Outcome, r.Baseline)
	}
	other := finding("TP-1-HEAD", "no head", c)
	if r := decide(t, "", base, Run{Findings: []session.Finding{again, other}}); r.Outcome != Fail || r.Baseline.New != 1 {
		t.Errorf("%s, %+v", r.Outcome, r.Baseline)
	}
	if r := decide(t, "", Everything(), Run{Findings: []session.Finding{head}}); r.Outcome != Pass || len(r.Known) != 1 {
		t.Errorf("%s, %+v", r.Outcome, r.Baseline)
	}
}

func TestNumbersThatFail(t *testing.T) {
	p, _ := ReadPolicy("r", []byte("budgets: retries == 0"), testBook())
	broken := errors.New("broken")
	if _, err := Decide(p, testBook(), nil, "", &Run{Numbers: func(Teller) error { return broken }}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	for _, text := range []string{"{", `{"connections":[{"id":`, "[]", ""} {
		if _, err := NewNumbers(walkText([]byte(text)), nil); err == nil {
			t.Errorf("%q is read as a document", text)
		}
	}
}
