package verdict

import (
	"cmp"
	"math"
	"slices"

	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A Change says how a number or a finding of a run stands to that of an earlier run.
type Change string

// Changes. Only Worse, New and More are held against a run.
const (
	Same   Change = "same"
	Better Change = "better"
	Worse  Change = "worse"
	New    Change = "new"   // findings where there were none
	More   Change = "more"  // clearly more findings a data frame
	Fewer  Change = "fewer" // clearly fewer
	Gone   Change = "gone"
)

// An Against is what came of comparing a run with an earlier report.
type Against struct {
	Path      string
	Tolerance float64
	Worse     bool
	Numbers   []NumberChange
	Budgets   []NumberChange
	Findings  []FindingChange
}

// A NumberChange compares one number.
type NumberChange struct {
	Name        string
	Before, Now float64
	Share       bool // it is one, to be shown in per cent
	Change      Change
}

// A FindingChange compares how often a side broke a rule.
type FindingChange struct {
	Rule, Direction string
	Before, Now     uint64
	Change          Change
}

// unlikely is how likely chance may be to make at least as great a difference for it to be
// taken for noise: above that nothing is called worse, or better.
const unlikely = 0.001

// shares are the shares of two counters that are compared, the fewer the better.
var shares = [][2]string{
	{"retries", transmissions}, {"unneeded_retries", transmissions}, {"lost.before_capture", transmissions}, {"lost.after_capture", transmissions},
	{"incomplete_messages", "messages"}, {"totals.malformed", "totals.decoded"},
}

// leastTime is by how much a time must differ to differ, in ms: timers and schedulers of
// endpoints make that much of a difference from run to run.
const leastTime = 2

// leastTrips keeps percentiles of a few round trips out of the comparison: one of them decides such a figure.
const leastTrips = 20

// compare compares a run with the earlier report.
func (d *decision) compare(p *Prior, tolerance float64, n *Numbers) (*Against, error) {
	a := &Against{Path: p.Path, Tolerance: tolerance}
	now := n.Measures()
	for _, s := range shares {
		was, known := ratesOf(p.measures, now, s[0], s[1])
		if known {
			a.Numbers = append(a.Numbers, NumberChange{s[0] + "/" + s[1], was.before(), was.now(), true, was.change(tolerance)})
		}
	}
	enough := p.measures["rtt.samples"] >= leastTrips && now["rtt.samples"] >= leastTrips
	for _, name := range []string{"rtt.p50_ms", "rtt.p95_ms"} {
		before, known := p.measures[name]
		if v, ok := now[name]; ok && known && enough {
			a.Numbers = append(a.Numbers, NumberChange{name, before, v, false, moved(before, v, tolerance, leastTime)})
		}
	}
	if err := d.compareBudgets(a, p, n); err != nil {
		return nil, err
	}
	d.compareFindings(a, p, now)
	worse := func(c NumberChange) bool { return c.Change == Worse }
	a.Worse = slices.ContainsFunc(a.Numbers, worse) || slices.ContainsFunc(a.Budgets, worse) ||
		slices.ContainsFunc(a.Findings, func(c FindingChange) bool { return d.counts(c) })
	return a, nil
}

// moved compares two values of which the lower is the better; by less than least they
// differ from run to run.
func moved(before, now, tolerance, least float64) Change {
	switch {
	case now > before*(1+tolerance) && now-before > least:
		return Worse
	case before > now*(1+tolerance) && before-now > least:
		return Better
	}
	return Same
}

// A rates is how often something happened of so many times in two runs.
type rates struct{ hits, of, hitsNow, ofNow float64 }

func ratesOf(before, now map[string]float64, counter, of string) (r rates, known bool) {
	for i, at := range []*float64{&r.hits, &r.of, &r.hitsNow, &r.ofNow} {
		from := before
		if i > 1 {
			from = now
		}
		v, ok := from[[]string{counter, of}[i%2]]
		if !ok {
			return r, false
		}
		*at = v
	}
	return r, r.of > 0 && r.ofNow > 0
}

func (r rates) before() float64 { return r.hits / r.of }
func (r rates) now() float64    { return r.hitsNow / r.ofNow }

// change reports a difference that is beyond the tolerance, and that chance would make
// once in a thousand runs if nothing had changed.
func (r rates) change(tolerance float64) Change {
	share := r.ofNow / (r.of + r.ofNow) // of all hits, if the rates were equal
	switch {
	case r.now() > r.before()*(1+tolerance) && atLeast(r.hitsNow, r.hits+r.hitsNow, share) < unlikely:
		return Worse
	case r.before() > r.now()*(1+tolerance) && atLeast(r.hits, r.hits+r.hitsNow, 1-share) < unlikely:
		return Better
	}
	return Same
}

// atLeast is how likely k or more of n independent events are of a kind that takes the
// share p of them: the upper tail of the binomial distribution.
func atLeast(k, n, p float64) float64 {
	if k <= 0 || p >= 1 {
		return 1
	}
	if p <= 0 {
		return 0
	}
	if n > 1e5 { // the normal distribution is as good, and quick
		return math.Erfc((k-0.5-n*p)/math.Sqrt(2*n*p*(1-p))) / 2
	}
	all, _ := math.Lgamma(n + 1)
	sum := 0.0
	for i := k; i <= n; i++ {
		a, _ := math.Lgamma(i + 1)
		b, _ := math.Lgamma(n - i + 1)
		sum += math.Exp(all - a - b + i*math.Log(p) + (n-i)*math.Log1p(-p))
	}
	return min(sum, 1)
}

// compareBudgets compares the values of budgets. Of a share of two counters only what is
// beyond chance counts.
func (d *decision) compareBudgets(a *Against, p *Prior, n *Numbers) error {
	values, err := p.budgetsOf(d.policy.Budgets)
	if err != nil {
		return err
	}
	for i := range d.Budgets {
		b := &d.Budgets[i]
		before, known := values[b.Text]
		if !known || !b.Evaluated {
			continue
		}
		c := NumberChange{b.Text, before, b.Value, b.percent, b.moved(before, a.Tolerance)}
		if r, ok := b.rates(p, n); ok && c.Change != Same && r.change(a.Tolerance) == Same {
			c.Change = Same
		}
		a.Budgets = append(a.Budgets, c)
	}
	return nil
}

// budgetsOf are the values of budgets in the earlier run, by their text.
func (p *Prior) budgetsOf(list []*Budget) (map[string]float64, error) {
	if p.analysis == nil {
		return p.budgets, nil
	}
	n, err := NewNumbers(p.analysis, list)
	if err != nil {
		return nil, err
	}
	values := map[string]float64{}
	for _, b := range list {
		if r := b.Weigh(n); r.Evaluated {
			values[b.Text] = r.Value
		}
	}
	return values, nil
}

// moved compares the value with an earlier one: worse is what is closer to the limit, or
// farther beyond it.
func (b *BudgetResult) moved(before, tolerance float64) Change {
	beyond := math.Abs(b.Value-before) > tolerance*math.Abs(before)
	was, is := b.badness(before, b.Limit), b.badness(b.Value, b.Limit)
	switch {
	case beyond && is > was:
		return Worse
	case beyond && is < was:
		return Better
	}
	return Same
}

// rates gives the counters of a budget about the share of one in another.
func (b *BudgetResult) rates(p *Prior, n *Numbers) (rates, bool) {
	x := b.left
	if x.op != '/' || x.x.op != 'a' || x.y.op != 'a' || x.x.side != 0 || x.y.side != 0 || b.Worst != nil && b.Value == b.Worst.Value {
		return rates{}, false
	}
	return ratesOf(p.measures, n.Measures(), x.x.num.name, x.y.num.name)
}

// compareFindings compares how often each side broke each rule, by its data frames. A rule
// that was not broken before and is now is new, however seldom.
func (d *decision) compareFindings(a *Against, p *Prior, now map[string]float64) {
	counts := map[findingPlace]uint64{}
	for i := range d.Findings {
		if f := &d.Findings[i]; d.mayFail(f) {
			counts[placeOfFinding(f)] += f.Times()
		}
	}
	places := map[findingPlace]bool{}
	for at := range counts {
		places[at] = true
	}
	for at := range p.findings {
		if r := d.book.byID[at.rule]; r != nil && !d.book.mild[at.rule] {
			places[at] = true
		}
	}
	frames, framesNow := p.measures["data_frames"], now["data_frames"]
	for at := range places {
		c := FindingChange{at.rule, at.direction, p.findings[at], counts[at], Same}
		switch change := (rates{float64(c.Before), frames, float64(c.Now), framesNow}).change(a.Tolerance); {
		case c.Before == 0:
			c.Change = New
		case c.Now == 0:
			c.Change = Gone
		case frames == 0 || framesNow == 0:
		case change == Worse:
			c.Change = More
		case change == Better:
			c.Change = Fewer
		}
		a.Findings = append(a.Findings, c)
	}
	stable.Sort(a.Findings, func(x, y FindingChange) int {
		return cmp.Or(cmp.Compare(x.Rule, y.Rule), cmp.Compare(x.Direction, y.Direction))
	})
}

// counts reports whether a change makes the run worse: new findings, and clearly more of
// them, from warnings on, and notes where these fail.
func (d *decision) counts(c FindingChange) bool {
	if !c.against() {
		return false
	}
	least := max(d.policy.FailOn, conform.Warn)
	for i := range d.Findings {
		f := &d.Findings[i]
		if placeOfFinding(f) == (findingPlace{c.Rule, c.Direction}) && d.mayFail(f) && f.Severity <= least {
			return true
		}
	}
	return false
}

func (c *FindingChange) against() bool { return c.Change == New || c.Change == More }

// held reports whether a finding is one of those that are new or clearly more.
func (a *Against) held(f *session.Finding) bool {
	at := placeOfFinding(f)
	return slices.ContainsFunc(a.Findings, func(c FindingChange) bool {
		return c.against() && at == (findingPlace{c.Rule, c.Direction})
	})
}

func placeOfFinding(f *session.Finding) findingPlace {
	at := findingPlace{rule: f.Rule.ID}
	if f.Conn != nil && (f.Dir == session.SideA || f.Dir == session.SideB) {
		at.direction = f.Dir.String()
	}
	return at
}

// worse says what is worse than in the earlier run.
func (d *decision) worse() {
	for _, c := range d.Against.Findings {
		switch {
		case !d.counts(c):
		case c.Change == New:
			d.because(Fail, "%s is new: %s", c.Name(), Counted(c.Now, "finding"))
		default:
			d.because(Fail, "%s is more frequent: %d before, %d now", c.Name(), c.Before, c.Now)
		}
	}
	for _, list := range [][]NumberChange{d.Against.Numbers, d.Against.Budgets} {
		for i := range list {
			if c := &list[i]; c.Change == Worse {
				d.because(Fail, "%s is worse: %s before, %s now", c.Name, c.Format(c.Before), c.Format(c.Now))
			}
		}
	}
}

// Name is the rule with the side that broke it: "DP8-SIG-FULL a → b".
func (c *FindingChange) Name() string {
	switch c.Direction {
	case "a":
		return c.Rule + " a → b"
	case "b":
		return c.Rule + " b → a"
	}
	return c.Rule
}

// Format writes a value for people.
func (c *NumberChange) Format(v float64) string {
	b := Budget{percent: c.Share}
	return b.Format(v)
}
