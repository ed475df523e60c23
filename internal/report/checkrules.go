package report

import (
	"strings"

	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A bookPart is the rules of one protocol, or those about captures or networks, and
// how they came off.
type bookPart struct {
	pattern string // "DP8-*", as in a rules file
	tallies [ruleFates]uint64
	names   [ruleFates][]string
}

// What became of a rule.
const (
	rulePassed    = iota // at each opportunity
	ruleFailed           // at least once
	ruleUnclear          // inconclusive at least once, and never failed
	ruleIdle             // no opportunity
	ruleUnchecked        // the program does not evaluate it
	ruleFates
)

func fateOf(t *conform.RuleTally) int {
	switch {
	case t.Fail > 0:
		return ruleFailed
	case t.Inconclusive > 0:
		return ruleUnclear
	case t.Pass > 0:
		return rulePassed
	case t.Rule.Unchecked != "":
		return ruleUnchecked
	}
	return ruleIdle
}

// parts are the parts of the book of which some rule had an opportunity. Rules that
// are reported under another id are left out.
func (c *Check) parts() (list []*bookPart) {
	byPattern := map[string]*bookPart{}
	enter := func(t *conform.RuleTally) {
		if t.Rule.Alias != "" {
			return
		}
		prefix, _, _ := strings.Cut(t.Rule.ID, "-")
		p := byPattern[prefix]
		if p == nil {
			p = &bookPart{pattern: terminal.Escaped(prefix) + "-*"}
			byPattern[prefix] = p
			list = append(list, p)
		}
		fate := fateOf(t)
		p.tallies[fate]++
		p.names[fate] = append(p.names[fate], terminal.Escaped(t.Rule.ID))
	}
	for i := range c.Rules {
		enter(&c.Rules[i])
	}
	seen := len(list)
	for i := range c.Idle {
		enter(&conform.RuleTally{Rule: c.Idle[i]})
	}
	return list[:seen]
}

var partColumns = []terminal.Column{
	{Head: "Rules", Left: true}, {Head: "Evaluated"}, {Head: "Passed"}, {Head: "Failed"}, {Head: "Inconclusive"}, {Head: "No opportunity"},
	{Head: "Not supported", Rank: 1},
}

var ruleColumns = []terminal.Column{
	{Head: "Rule", Left: true}, {Head: "Opportunities"}, {Head: "Pass"}, {Head: "Fail"}, {Head: "Inconclusive"},
	{Head: "Guards not satisfied", Left: true, Rare: true, Rank: 1},
}

// appendRules appends how many rules were evaluated and came off well, and how the
// opportunities of the others ended; verbosely of all, and which had none.
func (p *painter) appendRules(dst []byte, c *Check, opts TextOptions) []byte {
	if len(c.Rules) == 0 {
		return append(dst, "\nNo rule had an opportunity.\n"...)
	}
	parts := c.parts()
	t := p.Table(partColumns)
	for _, part := range parts {
		n := &part.tallies
		t.Rows = append(t.Rows, []terminal.Cell{p.Plain(part.pattern), p.Count(n[rulePassed] + n[ruleFailed] + n[ruleUnclear]), p.Count(n[rulePassed]),
			p.Judged(n[ruleFailed], p.Error), p.Judged(n[ruleUnclear], p.Warn), p.Count(n[ruleIdle]), p.Count(n[ruleUnchecked])})
	}
	t.Fit(opts.Width)
	dst = p.appendTallies(t.Append(append(dst, '\n')), c.Rules, opts)
	if !opts.Verbose {
		return append(terminal.AppendStyled(dst, p.Derived, "-V lists all rules, --show-inconclusive the doubtful cases."), '\n')
	}
	for _, part := range parts {
		dst = appendNames(dst, part.pattern+" without an opportunity:", part.names[ruleIdle], opts.Width)
		dst = appendNames(dst, part.pattern+" not supported ('dpdissect rules show ID' says why):", part.names[ruleUnchecked], opts.Width)
	}
	return dst
}

// appendTallies appends a table of rules: those that did not just pass, or all.
func (p *painter) appendTallies(dst []byte, rules []conform.RuleTally, opts TextOptions) []byte {
	t := p.Table(ruleColumns)
	for i := range rules {
		r := &rules[i]
		if !opts.Verbose && fateOf(r) == rulePassed {
			continue
		}
		blocked := terminal.Cell{Text: verdict.Blockers(&r.Tally), Style: p.Derived}
		blocked.Dim = blocked.Text == ""
		t.Rows = append(t.Rows, []terminal.Cell{p.Plain(terminal.Escaped(r.Rule.ID)), p.Count(r.Opportunities()), p.Count(r.Pass),
			p.Judged(r.Fail, terminal.SeverityStyle(&p.Palette, r.Rule.Severity)), p.Judged(r.Inconclusive, p.Warn), blocked})
	}
	if len(t.Rows) == 0 {
		return dst
	}
	t.Fit(opts.Width)
	return t.Append(append(dst, '\n'))
}

// appendNames appends a list of ids below a line that says what they share.
func appendNames(dst []byte, head string, names []string, width int) []byte {
	if len(names) == 0 {
		return dst
	}
	dst = append(append(append(dst, '\n'), head...), "\n   "...)
	return terminal.AppendWrapped(dst, terminal.Cells(names), 3, width)
}
