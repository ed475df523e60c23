package report

import (
	"strings"

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
			p = &bookPart{pattern: escaped(prefix) + "-*"}
			byPattern[prefix] = p
			list = append(list, p)
		}
		fate := fateOf(t)
		p.tallies[fate]++
		p.names[fate] = append(p.names[fate], escaped(t.Rule.ID))
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

var partColumns = []column{
	{head: "Rules", left: true}, {head: "Evaluated"}, {head: "Passed"}, {head: "Failed"}, {head: "Inconclusive"}, {head: "No opportunity"},
	{head: "Not supported", rank: 1},
}

var ruleColumns = []column{
	{head: "Rule", left: true}, {head: "Opportunities"}, {head: "Pass"}, {head: "Fail"}, {head: "Inconclusive"},
	{head: "Guards not satisfied", left: true, rare: true, rank: 1},
}

// appendRules appends how many rules were evaluated and came off well, and how the
// opportunities of the others ended; verbosely of all, and which had none.
func (p *painter) appendRules(dst []byte, c *Check, opts TextOptions) []byte {
	if len(c.Rules) == 0 {
		return append(dst, "\nNo rule had an opportunity.\n"...)
	}
	parts := c.parts()
	t := p.table(partColumns)
	for _, part := range parts {
		n := &part.tallies
		t.rows = append(t.rows, []cell{p.plain(part.pattern), p.count(n[rulePassed] + n[ruleFailed] + n[ruleUnclear]), p.count(n[rulePassed]),
			p.judged(n[ruleFailed], p.Error), p.judged(n[ruleUnclear], p.Warn), p.count(n[ruleIdle]), p.count(n[ruleUnchecked])})
	}
	t.fit(opts.Width)
	dst = p.appendTallies(t.append(append(dst, '\n')), c.Rules, opts)
	if !opts.Verbose {
		return append(appendStyled(dst, p.Derived, "-V lists all rules, --show-inconclusive the doubtful cases."), '\n')
	}
	for _, part := range parts {
		dst = appendNames(dst, part.pattern+" without an opportunity:", part.names[ruleIdle], opts.Width)
		dst = appendNames(dst, part.pattern+" not supported ('dpdissect rules show ID' says why):", part.names[ruleUnchecked], opts.Width)
	}
	return dst
}

// appendTallies appends a table of rules: those that did not just pass, or all.
func (p *painter) appendTallies(dst []byte, rules []conform.RuleTally, opts TextOptions) []byte {
	t := p.table(ruleColumns)
	for i := range rules {
		r := &rules[i]
		if !opts.Verbose && fateOf(r) == rulePassed {
			continue
		}
		blocked := cell{text: verdict.Blockers(&r.Tally), style: p.Derived}
		blocked.dim = blocked.text == ""
		t.rows = append(t.rows, []cell{p.plain(escaped(r.Rule.ID)), p.count(r.Opportunities()), p.count(r.Pass),
			p.judged(r.Fail, SeverityStyle(&p.Palette, r.Rule.Severity)), p.judged(r.Inconclusive, p.Warn), blocked})
	}
	if len(t.rows) == 0 {
		return dst
	}
	t.fit(opts.Width)
	return t.append(append(dst, '\n'))
}

// appendNames appends a list of ids below a line that says what they share.
func appendNames(dst []byte, head string, names []string, width int) []byte {
	if len(names) == 0 {
		return dst
	}
	dst = append(append(append(dst, '\n'), head...), "\n   "...)
	return appendWrapped(dst, plainCells(names), 3, width)
}
