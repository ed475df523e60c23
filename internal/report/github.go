package report

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session"
)

// githubPerKind is how many annotations of one kind GitHub shows of a step.
const githubPerKind = 10

// Rows of the step summary; GitHub takes 1 MiB of it.
const (
	summaryFindings = 200
	summaryRules    = 500
)

// AppendGitHub appends workflow commands that annotate a run of GitHub Actions, and
// the verdict in the last line.
func AppendGitHub(dst []byte, c *Check) []byte {
	g := &github{Check: c, out: dst, left: map[string]int{}}
	for i := range c.Captures {
		if in := &c.Captures[i]; in.Problem != "" {
			kind := "warning"
			if in.Failed {
				kind = "error"
			}
			g.annotate(kind, in.Path, 0, "input", in.Problem)
		}
	}
	g.asked()
	for _, b := range shared(bundles(c.Findings), githubPerKind-1) {
		g.finding(b)
	}
	g.rest()
	return append(append(g.out, escaped("dpdissect: "+c.headline())...), '\n')
}

type github struct {
	*Check
	out   []byte
	count [3]int // by kind
	left  map[string]int
}

var githubKinds = [...]string{"error", "warning", "notice"}

// annotate writes a workflow command, or counts it when there are enough of its kind.
func (g *github) annotate(kind, path string, line uint64, title, message string) {
	for i, k := range githubKinds {
		if k != kind {
			continue
		}
		if g.count[i]++; g.count[i] >= githubPerKind { // the last one is for the rest
			g.left[kind]++
			return
		}
	}
	g.command(kind, path, line, title, message)
}

func (g *github) command(kind, path string, line uint64, title, message string) {
	var props []string
	if path != "" && path != "-" {
		props = append(props, "file="+githubProperty(filepath.ToSlash(path)))
		if line > 0 {
			props = append(props, "line="+strconv.FormatUint(line, 10))
		}
	}
	props = append(props, "title="+githubProperty(title))
	g.out = fmt.Appendf(g.out, "::%s %s::%s\n", kind, strings.Join(props, ","), githubData(message))
}

// githubData escapes the text of a workflow command.
func githubData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(escaped(s))
}

// githubProperty escapes the value of a property.
func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData(s))
}

// asked annotates what was asked for and not met.
func (g *github) asked() {
	for i := range g.Budgets {
		switch b := &g.Budgets[i]; {
		case b.Evaluated && !b.Held:
			text := "does not hold: it is " + b.Format(b.Value)
			if b.Worst != nil {
				text += ", " + budgetPlace(b)
			}
			g.annotate("error", "", 0, "budget "+b.Text, text)
		case !b.Evaluated && !b.Optional:
			g.annotate("error", "", 0, "budget "+b.Text, "not evaluated: "+b.Why)
		}
	}
	for i := range g.Required {
		if r := &g.Required[i]; !r.Met {
			text := "required, but never evaluated"
			if r.Inconclusive > 0 {
				text = "required, but never decided: " + verdict.Blockers(&r.Tally)
			}
			g.annotate("error", "", 0, r.Rule.ID, text)
		}
	}
	for i := range g.Gates {
		if r := &g.Gates[i]; !r.Held {
			g.annotate("error", "", 0, r.Name, r.String())
		}
	}
	for i := range g.Suppressions {
		if s := &g.Suppressions[i]; s.Expired {
			g.annotate("warning", "", 0, "suppression of "+s.Pattern, "expired on "+s.Expires+": "+s.Reason)
		}
	}
}

func (g *github) finding(b *bundle) {
	f := b.first
	kind := [...]string{session.Error: "error", session.Warn: "warning", session.Note: "notice"}[f.Severity]
	text := f.Message
	if !f.Failed() {
		kind, text = "notice", text+guardText(f)
	}
	path, line := g.locate(f.Frame)
	g.annotate(kind, path, line, f.Rule.ID, placeText(f)+": "+text+times(b.count)+proofText(f))
}

// rest says how many annotations there would be beyond what GitHub shows.
func (g *github) rest() {
	for _, kind := range githubKinds {
		if n := g.left[kind]; n > 0 {
			g.command(kind, "", 0, "dpdissect", fmt.Sprintf("%d more of this kind; the step summary lists them", n))
		}
	}
}

// AppendSummary appends the check as Markdown, for the summary of a step.
func AppendSummary(dst []byte, c *Check) []byte {
	mark := map[verdict.Outcome]string{verdict.Pass: "✅", verdict.Fail: "❌"}[c.Outcome]
	if mark == "" {
		mark = "⚠️"
	}
	dst = fmt.Appendf(dst, "## %s dpdissect: %s\n\n", mark, c.Outcome)
	for _, r := range c.Reasons {
		dst = fmt.Appendf(dst, "- %s\n", markdown(r))
	}
	for i := range c.Captures {
		if in := &c.Captures[i]; in.Problem != "" {
			dst = fmt.Appendf(dst, "- %s: %s\n", markdown(in.Path), markdown(in.Problem))
		}
	}
	dst = fmt.Appendf(dst, "\n%s in %s, %s evaluated.\n", counted(uint64(c.Conns), "connection"), counted(c.Totals.Packets, "packet"), counted(uint64(len(c.Rules)), "rule"))
	dst = summaryOfFindings(dst, c)
	dst = summaryOfBudgets(dst, c)
	return summaryOfRules(dst, c)
}

func summaryOfFindings(dst []byte, c *Check) []byte {
	for i, b := range shared(bundles(c.Findings), summaryFindings) {
		f := b.first
		switch i {
		case 0:
			dst = append(dst, "\n| severity | rule | where | times | finding |\n|---|---|---|---|---|\n"...)
		case summaryFindings:
			return append(dst, "\nThere are more; `--format ndjson` has all.\n"...)
		}
		kind := f.Severity.String()
		if !f.Failed() {
			kind = "inconclusive"
		}
		dst = fmt.Appendf(dst, "| %s | %s | %s | %d | %s |\n", kind, markdown(f.Rule.ID), markdown(placeText(f)), b.count, markdown(f.Message+proofText(f)))
	}
	return dst
}

func summaryOfBudgets(dst []byte, c *Check) []byte {
	for i := range c.Budgets {
		b := &c.Budgets[i]
		if i == 0 {
			dst = append(dst, "\n| budget | value | result | worst |\n|---|---|---|---|\n"...)
		}
		value, result := b.Format(b.Value), "ok"
		switch {
		case !b.Evaluated:
			value, result = "", "not evaluated: "+b.Why
		case !b.Held:
			result = "does not hold"
		}
		dst = fmt.Appendf(dst, "| %s | %s | %s | %s |\n", markdown(b.Text), markdown(value), markdown(result), markdown(strings.TrimPrefix(budgetPlace(b), "worst: ")))
	}
	return dst
}

func summaryOfRules(dst []byte, c *Check) []byte {
	if len(c.Rules) == 0 {
		return dst
	}
	dst = append(dst, "\n<details><summary>Rules evaluated</summary>\n\n| rule | opportunities | pass | fail | inconclusive |\n|---|---:|---:|---:|---:|\n"...)
	for i := range c.Rules[:min(len(c.Rules), summaryRules)] {
		r := &c.Rules[i]
		dst = fmt.Appendf(dst, "| %s | %d | %d | %d | %d |\n", markdown(r.Rule.ID), r.Opportunities(), r.Pass, r.Fail, r.Inconclusive)
	}
	return append(dst, "\n</details>\n"...)
}
