package report

import (
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session"
)

var checkText = &CheckFormat{
	Name: "text", Use: " for people",
	One:     func(c *Check, o TextOptions) []byte { return AppendCheckText(nil, c, o) },
	Several: func(s *Checks, o TextOptions) []byte { return AppendChecksText(nil, s, o) },
}

// AppendCheckText appends the check for people: what was read, what was found, which
// rules were evaluated, how budgets ended, and the verdict in the last line. Of what
// could not be opened there is nothing to say.
func AppendCheckText(dst []byte, c *Check, opts TextOptions) []byte {
	if c.unopened() {
		return dst
	}
	p := newPainter(&opts)
	dst = p.appendCheck(dst, c, opts)
	dst = p.appendIdle(dst, c.Baseline, c.Suppressions)
	return p.appendVerdict(append(dst, '\n'), c, c.headline())
}

// AppendChecksText appends the checks of several files, one after the other, and
// last a table with the verdict on each.
func AppendChecksText(dst []byte, s *Checks, opts TextOptions) []byte {
	p := newPainter(&opts)
	for _, c := range s.Files {
		if c.unopened() || opts.Quiet && c.silent() {
			continue
		}
		if opts.Quiet {
			dst = append(terminal.AppendStyled(dst, p.Heading, render.Logged(inputName(c.path()))), '\n')
		}
		dst = append(p.appendCheck(dst, c, opts), '\n')
	}
	if idle := p.appendIdle(nil, s.Baseline, s.Suppressions); len(idle) > 0 {
		dst = append(append(dst, idle[1:]...), '\n') // an empty line stands before it already
	}
	return p.appendFiles(dst, s.Files, opts.Width)
}

// silent reports whether there is nothing to say of a check but the verdict.
func (c *Check) silent() bool {
	return c.Against == nil && len(c.Findings)+len(c.Required)+len(c.Budgets)+len(c.Gates) == 0 && len(c.leftOut()) == 0
}

// appendCheck appends all but the verdict, and what rules file and baseline name
// though nothing is found.
func (p *painter) appendCheck(dst []byte, c *Check, opts TextOptions) []byte {
	wrap := opts.Width // what is not on a terminal keeps its lines whole
	if opts.Width <= 0 {
		opts.Width = terminal.DefaultWidth
	}
	if !opts.Quiet {
		dst = p.appendCaptures(dst, c.Captures, &opts)
		dst = p.appendTotalsOf(dst, &c.Totals, c.Conns, opts.Width)
		dst = append(appendSpan(dst, c.Span, "Findings and budgets cover what happened %s.\nRules are counted over the whole life of the connections with packets in that time.\n"), '\n')
	}
	dst = p.appendCheckFindings(dst, c, wrap, opts.Verbose)
	if !opts.Quiet {
		dst = p.appendRules(dst, c, opts)
	}
	dst = p.appendRequired(dst, c.Required)
	dst = p.appendBudgets(dst, c.Budgets, opts.Width)
	dst = p.appendGates(dst, c.Gates)
	return p.appendAgainst(dst, c.Against, opts.Width)
}

// appendVerdict appends a line in the colour of a verdict.
func (p *painter) appendVerdict(dst []byte, c *Check, line string) []byte {
	return append(terminal.AppendStyled(dst, p.outcome(c.Outcome), render.Logged(line)), '\n')
}

// appendCheckFindings appends the fails, then what is inconclusive, with proofs.
func (p *painter) appendCheckFindings(dst []byte, c *Check, width int, all bool) []byte {
	var fails, unclear []session.Finding
	for _, f := range c.Findings {
		if f.Failed() {
			fails = append(fails, f)
		} else {
			unclear = append(unclear, f)
		}
	}
	opts := findingsText{noun: "finding", width: width, all: all, proofs: true}
	dst = p.appendFindingsAs(dst, fails, opts)
	if len(unclear) > 0 {
		dst = p.appendFindingsAs(append(dst, '\n'), unclear, findingsText{noun: "inconclusive opportunity", many: "inconclusive opportunities", width: width, all: all, proofs: true})
	}
	if left := c.leftOut(); len(left) > 0 {
		dst = append(terminal.AppendStyled(dst, p.Derived, "Not shown: "+strings.Join(left, ", ")+"."), '\n')
	}
	return dst
}

// leftOut counts the findings that are not shown, with the reasons.
func (c *Check) leftOut() (left []string) {
	add := func(n uint64, what string) {
		if n > 0 {
			left = append(left, strconv.FormatUint(n, 10)+" "+what)
		}
	}
	if b := c.Baseline; b != nil {
		add(b.Known, "known from the baseline")
	}
	add(c.Suppressed, "suppressed")
	add(c.Off, "of rules that are off")
	return left
}

func plural(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatUint(n, 10) + " " + many
}

func (p *painter) appendRequired(dst []byte, list []verdict.RequiredResult) []byte {
	for i := range list {
		r := &list[i]
		if i == 0 {
			dst = append(dst, '\n')
		}
		dst = p.appendOK(dst, r.Met, !r.Met)
		dst = append(dst, "required rule "+terminal.Escaped(r.Rule.ID)+": "+plural(r.Opportunities(), "opportunity", "opportunities")...)
		if !r.Met && r.Inconclusive > 0 {
			dst = append(dst, ", all inconclusive"...)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// appendOK appends "ok", "FAIL" or "?" in a column.
func (p *painter) appendOK(dst []byte, ok, unknown bool) []byte {
	switch {
	case ok:
		return append(terminal.AppendStyled(dst, p.Note, "   ok"), "    "...)
	case unknown:
		return append(terminal.AppendStyled(dst, p.Warn, "   ?"), "     "...)
	}
	return append(terminal.AppendStyled(dst, p.Error, "   FAIL"), "  "...)
}

var budgetColumns = []terminal.Column{
	{Head: "Budget", Left: true}, {Head: "Value"}, {Head: "Result", Left: true}, {Head: "Worst", Left: true, Rare: true, Rank: 1},
}

func (p *painter) appendBudgets(dst []byte, list []verdict.BudgetResult, width int) []byte {
	if len(list) == 0 {
		return dst
	}
	t := p.Table(budgetColumns)
	for i := range list {
		b := &list[i]
		name, worst := b.Text, terminal.Cell{Dim: true}
		if b.Name != "" {
			name = b.Name + ": " + name
		}
		if b.Worst != nil {
			worst = p.Plain(worstText(b.Worst) + ": " + b.Format(b.Worst.Value))
		}
		value, result := p.Plain(b.Format(b.Value)), terminal.Cell{Text: "ok", Style: p.Note}
		switch {
		case !b.Evaluated:
			value, result = p.Unknown(), terminal.Cell{Text: "not evaluated: " + b.Why, Style: p.Warn}
		case !b.Held:
			result = terminal.Cell{Text: "FAIL", Style: p.Error}
		}
		t.Rows = append(t.Rows, []terminal.Cell{p.Plain(terminal.Escaped(name)), value, result, worst})
	}
	t.Fit(width)
	return t.Append(append(dst, '\n'))
}

// worstText is "#0 a → b".
func worstText(w *verdict.WorstPlace) string {
	s := "#" + strconv.Itoa(w.Connection)
	switch w.Direction {
	case "a":
		s += arrow(session.SideA)
	case "b":
		s += arrow(session.SideB)
	}
	return s
}

func (p *painter) appendGates(dst []byte, list []verdict.GateResult) []byte {
	for i := range list {
		g := &list[i]
		if i == 0 {
			dst = append(dst, '\n')
		}
		dst = append(p.appendOK(dst, g.Held, !g.Known), g.String()...)
		if g.Worst != nil {
			dst = append(append(dst, ", worst in "...), worstText(g.Worst)...)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// appendIdle tells of what does nothing any more: entries of the baseline, and
// suppressions that expired or hide nothing.
func (p *painter) appendIdle(dst []byte, b *verdict.BaselineResult, list []verdict.SuppressionResult) []byte {
	var lines []string
	for i := range list {
		if what := idleSuppression(&list[i]); what != "" {
			lines = append(lines, "Suppression of "+list[i].Pattern+" (line "+strconv.Itoa(list[i].Line)+") "+what)
		}
	}
	if b != nil && b.Gone > 0 {
		lines = append(lines, plural(b.Gone, "entry", "entries")+" of the baseline did not occur")
	}
	for i, l := range lines {
		if i == 0 {
			dst = append(dst, '\n')
		}
		dst = append(terminal.AppendStyled(append(dst, "   "...), p.Warn, terminal.Escaped(l)), '\n')
	}
	return dst
}

// idleSuppression says why a suppression is worth a word, "" when it is not.
func idleSuppression(s *verdict.SuppressionResult) string {
	switch {
	case s.Expired && s.Findings > 0:
		return "expired on " + s.Expires + " and no longer hides " + terminal.Counted(s.Findings, "finding")
	case s.Expired:
		return "expired on " + s.Expires + " and would hide nothing"
	case s.Findings == 0:
		return "hides nothing"
	}
	return ""
}

func (p *painter) severityOf(f *session.Finding) render.Style {
	if !f.Failed() {
		return p.Derived
	}
	return terminal.SeverityStyle(&p.Palette, f.Severity)
}
