package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A Run is what a run found out.
type Run struct {
	Findings []session.Finding
	Rules    []conform.RuleTally
	Numbers  Walk // through the analysis, asked for when budgets or gates need its numbers
	Packets  uint64
	Dropped  uint64   // packets the capture files say they lack
	Unread   []string // inputs that could not be read to their end, each with what is wrong
	Unjudged []string // what could not be judged for lack of room

	Expected  *Expectation // the findings it is to have, nil when they are judged by their severity
	Prior     *Prior       // an earlier report to compare with, nil for none
	Tolerance float64      // by which share a number may differ from it
	Measured  bool         // Result.Measures is wanted
}

// An Outcome is the verdict on a run.
type Outcome uint8

// Outcomes, in the order in which they count.
const (
	Pass         Outcome = iota
	Unreadable           // an input could not be read to its end, whatever was found until there
	Fail                 // a finding at or above FailOn, or a budget exceeded
	NotEvaluated         // what must be evaluated was not
	PoorCapture          // the capture is too poor for the certainty asked for
)

func (o Outcome) String() string {
	return [...]string{"pass", "unreadable", "fail", "not-evaluated", "poor-capture"}[o]
}

// Worse is the graver of two outcomes.
func (o Outcome) Worse(other Outcome) Outcome {
	if o == Pass || other == Pass {
		return max(o, other)
	}
	return min(o, other)
}

// A Result is what came of a run.
type Result struct {
	Outcome      Outcome
	Reasons      []string // why it is no pass, the gravest first
	FailOn       conform.Severity
	Findings     []session.Finding // that count, with the severity of the policy
	Failing      map[string]bool   // rules with findings that fail
	Known        []session.Finding // of the baseline
	Suppressed   uint64
	Off          uint64 // findings of rules that are off
	Suppressions []SuppressionResult
	Baseline     *BaselineResult     // nil without one
	Rules        []conform.RuleTally // that had opportunities
	Idle         []*conform.Rule     // that had none
	Required     []RequiredResult
	Budgets      []BudgetResult
	Gates        []GateResult
	Against      *Against           // nil without an earlier report
	Expected     *ExpectedResult    // nil when no findings are expected
	Measures     map[string]float64 // nil when they were not asked for
	FailFrom     conform.Severity   // least severity of a finding that fails: FailOn, or a warning where it is new since the earlier report

	matched map[string]bool // entries of the baseline that findings matched
}

// A SuppressionResult says what a suppression did.
type SuppressionResult struct {
	*Suppression
	Expired  bool
	Findings uint64 // taken out, or, when it is expired, that would have been
}

// A BaselineResult counts findings; Gone is how many entries matched none.
type BaselineResult struct{ Known, New, Gone uint64 }

// A RequiredResult says whether a required rule was evaluated.
type RequiredResult struct {
	conform.RuleTally
	Met bool
}

// Decide weighs a run. Today, "2026-11-20", is for suppressions that expire.
func Decide(p *Policy, book *Book, base *Baseline, today string, run *Run) (*Result, error) {
	d := &decision{Result: Result{FailOn: p.FailOn, Failing: map[string]bool{}, matched: map[string]bool{}}, policy: p, book: book, base: base}
	for i := range p.Suppressions {
		s := &p.Suppressions[i]
		d.Suppressions = append(d.Suppressions, SuppressionResult{Suppression: s, Expired: s.Expired(today)})
	}
	for _, why := range run.Unread {
		d.because(Unreadable, "%s", why)
	}
	for _, what := range run.Unjudged {
		d.because(PoorCapture, "%s", what)
	}
	d.sort(run.Findings)
	for _, t := range run.Rules {
		if t.Opportunities() > 0 {
			d.Rules = append(d.Rules, t)
		} else {
			d.Idle = append(d.Idle, t.Rule)
		}
	}
	if err := d.weigh(run); err != nil {
		return nil, err
	}
	d.conclude()
	return &d.Result, nil
}

// weigh looks at findings and at the numbers of the run, as far as any are asked for.
func (d *decision) weigh(run *Run) error {
	p := d.policy
	if len(p.Budgets) == 0 && p.Certainty == (Certainty{}) && run.Prior == nil && !run.Measured {
		d.findings(run)
		d.required(run.Rules)
		return nil
	}
	budgets := p.Budgets
	if p.Certainty.MaxCaptureLoss != nil {
		budgets = append(slices.Clip(budgets), captureLoss)
	}
	n, err := NewNumbers(run.Numbers, budgets)
	if err != nil {
		return err
	}
	if run.Measured {
		d.Measures = n.Measures()
	}
	if run.Prior == nil {
		d.findings(run)
		d.budgets(n)
	} else {
		d.Budgets = d.weighed(n)
		if d.Against, err = d.compare(run.Prior, run.Tolerance, n); err != nil {
			return err
		}
		d.findings(run)
		d.worse()
		d.judgeBudgets()
	}
	d.required(run.Rules)
	d.gates(n, run)
	return nil
}

type decision struct {
	Result
	policy  *Policy
	book    *Book
	base    *Baseline
	reasons [PoorCapture + 1][]string
}

func (d *decision) because(o Outcome, format string, args ...any) {
	d.reasons[o] = append(d.reasons[o], fmt.Sprintf(format, args...))
}

// conclude takes the gravest outcome there is a reason for.
func (d *decision) conclude() {
	for o := PoorCapture; o > Pass; o-- {
		if len(d.reasons[o]) > 0 {
			d.Outcome = o
		}
	}
	for o := Unreadable; o <= PoorCapture; o++ {
		d.Reasons = append(d.Reasons, d.reasons[o]...)
	}
}

// sort takes out what is off, suppressed or known.
func (d *decision) sort(all []session.Finding) {
	for i := range all {
		f := all[i]
		grade, named := d.policy.Severities[f.Rule.ID]
		switch {
		case grade.Off, d.policy.Operation && !named && !f.Rule.Operation:
			d.Off++
			continue
		case named:
			f.Severity = min(grade.Severity+(f.Severity-f.Rule.Severity), conform.Note)
		}
		if d.suppressed(&f) {
			d.Suppressed++
		} else if d.mayFail(&f) && d.knows(&f) {
			d.Known = append(d.Known, f)
		} else {
			d.Findings = append(d.Findings, f)
		}
	}
}

// suppressed looks at all suppressions, so that each shows what it is for.
func (d *decision) suppressed(f *session.Finding) (taken bool) {
	for i := range d.Suppressions {
		if s := &d.Suppressions[i]; s.applies(f) {
			s.Findings++
			taken = taken || !s.Expired
		}
	}
	return taken
}

// mayFail reports whether a finding may make a run fail: one about the capture or
// the network does so only when the rules file names its rule.
func (d *decision) mayFail(f *session.Finding) bool {
	_, named := d.policy.Severities[f.Rule.ID]
	return f.Failed() && (named || !d.book.mild[f.Rule.ID])
}

func (d *decision) findings(run *Run) {
	d.FailFrom = d.policy.FailOn
	if run.Expected != nil {
		d.FailFrom = conform.Note // what is unexpected fails whatever its severity
		d.expected(run.Expected)
		return
	}
	if d.Against != nil {
		d.FailFrom = max(d.FailFrom, conform.Warn)
	}
	var counted [conform.Note + 1]uint64
	var fails uint64
	for i := range d.Findings {
		f := &d.Findings[i]
		if !d.mayFail(f) {
			continue
		}
		if fails++; d.held(f) {
			counted[f.Severity]++
			d.Failing[f.Rule.ID] = true
		}
	}
	for s, n := range counted {
		if n > 0 && d.Against == nil {
			d.because(Fail, "%s", Counted(n, nouns[s]))
		}
	}
	if d.base != nil {
		d.Baseline = &BaselineResult{Known: uint64(len(d.Known)), New: fails, Gone: d.base.gone(d.matched)}
	}
}

// held reports whether a finding of an endpoint's fault is held against the run.
func (d *decision) held(f *session.Finding) bool {
	return f.Severity <= d.FailFrom && (d.Against == nil || d.Against.held(f))
}

// knows reports whether a finding is in the baseline, and remembers that it came.
func (d *decision) knows(f *session.Finding) bool {
	key, known := d.base.find(f)
	if key != "" {
		d.matched[key] = true
	}
	return known
}

// nouns are the severities as people count them.
var nouns = [...]string{conform.Error: "error", conform.Warn: "warning", conform.Note: "note"}

// Counted is a number with its noun: "1 error", "2 errors".
func Counted(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (d *decision) budgets(n *Numbers) {
	d.Budgets = d.weighed(n)
	d.judgeBudgets()
}

func (d *decision) weighed(n *Numbers) (list []BudgetResult) {
	for _, b := range d.policy.Budgets {
		list = append(list, b.Weigh(n))
	}
	return list
}

func (d *decision) judgeBudgets() {
	for i := range d.Budgets {
		switch r := &d.Budgets[i]; {
		case r.Evaluated && !r.Held:
			d.because(Fail, "budget %s does not hold: it is %s", r.Text, r.Format(r.Value))
		case !r.Evaluated && !r.Optional:
			d.because(NotEvaluated, "budget %s not evaluated: %s", r.Text, r.Why)
		}
	}
}

func (d *decision) required(tallies []conform.RuleTally) {
	for _, rule := range d.policy.Required {
		r := RequiredResult{RuleTally: conform.RuleTally{Rule: rule}}
		for i := range tallies {
			if tallies[i].Rule.ID == rule.ID {
				r.RuleTally = tallies[i]
			}
		}
		r.Rule = rule
		r.Met = r.Pass+r.Fail > 0
		d.Required = append(d.Required, r)
		switch {
		case r.Met:
		case r.Inconclusive > 0:
			d.because(PoorCapture, "required rule %s was never decided: %s inconclusive (%s)", rule.ID, all(r.Inconclusive), Blockers(&r.Tally))
		case rule.Unchecked != "":
			d.because(NotEvaluated, "required rule %s is not evaluated: %s", rule.ID, rule.Unchecked)
		default:
			d.because(NotEvaluated, "required rule %s was never evaluated: the capture gave no opportunity", rule.ID)
		}
	}
}

func all(n uint64) string {
	if n == 1 {
		return "its 1 opportunity was"
	}
	return fmt.Sprintf("all %d opportunities were", n)
}

// Blockers names the guards that stood against verdicts: "CLEAN 3, START 1".
func Blockers(t *conform.Tally) string {
	var parts []string
	for g, n := range t.Blocked {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", conform.Guard(g), n))
		}
	}
	return strings.Join(parts, ", ")
}
