package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/internal/verdict"
)

// Rows of the step summary; GitHub takes 1 MiB of it.
const (
	summaryFiles    = 1000
	summaryFindings = 200
	summaryRules    = 500
)

// checkSummary is Markdown for the summary that GitHub shows of a step.
var checkSummary = &CheckFormat{
	Name:    "summary",
	One:     func(c *Check, _ TextOptions) []byte { return AppendSummary(nil, c) },
	Several: func(s *Checks, _ TextOptions) []byte { return AppendChecksSummary(nil, s) },
}

// AppendSummary appends the check as Markdown, for the summary of a step.
func AppendSummary(dst []byte, c *Check) []byte {
	dst = fmt.Appendf(dst, "## %s dpdissect: %s\n\n", markOf(c.Outcome, c.note()), c.Outcome)
	for _, line := range slices.Concat(c.Reasons, c.remarks()) {
		dst = fmt.Appendf(dst, "- %s\n", Markdown(line))
	}
	dst = fmt.Appendf(dst, "\n%s in %s, %s evaluated.\n", terminal.Counted(uint64(c.Conns), "connection"), terminal.Counted(c.Totals.Packets, "packet"), terminal.Counted(uint64(len(c.Rules)), "rule"))
	dst = summaryOfFindings(dst, c.bundles(), false)
	dst = summaryOfBudgets(dst, c)
	return summaryOfRules(dst, c)
}

// AppendChecksSummary is AppendSummary for several files: a table of their verdicts,
// and below it what was found in all of them.
func AppendChecksSummary(dst []byte, s *Checks) []byte {
	note := ""
	for _, c := range s.Files {
		note += c.note()
	}
	dst = fmt.Appendf(dst, "## %s dpdissect: %s\n\n| | file | verdict | connections | packets | rules evaluated | because |\n|---|---|---|---:|---:|---:|---|\n", markOf(s.Outcome, note), s.Outcome)
	for i, c := range s.Files {
		if i == summaryFiles {
			dst = fmt.Appendf(dst, "\nThere are %d more files.\n", len(s.Files)-i)
			break
		}
		because := strings.Join(slices.Concat(c.Reasons, c.remarks()), "; ")
		dst = fmt.Appendf(dst, "| %s | %s | %s | %d | %d | %d | %s |\n", markOf(c.Outcome, c.note()), Markdown(inputName(c.path())), c.Outcome,
			c.Conns, c.Totals.Packets, len(c.Rules), Markdown(because))
	}
	return summaryOfFindings(dst, s.bundles(), true)
}

// markOf is the sign of a verdict. Only a pass without any reservation is green.
func markOf(o verdict.Outcome, note string) string {
	switch {
	case o == verdict.Pass && note == "":
		return "✅"
	case o == verdict.Fail, o == verdict.Unreadable:
		return "❌"
	}
	return "⚠️"
}

// remarks are what is odd about inputs that could be read, and the note.
func (c *Check) remarks() (lines []string) {
	for i := range c.Captures {
		if in := &c.Captures[i]; in.Problem != "" && !in.Failed {
			lines = append(lines, in.Path+": "+in.Problem)
		}
	}
	if note := c.note(); note != "" {
		lines = append(lines, note)
	}
	return lines
}

func summaryOfFindings(dst []byte, list []*bundle, several bool) []byte {
	for i, b := range shared(list, summaryFindings) {
		f := b.first
		switch i {
		case 0:
			dst = append(dst, "\n| severity | rule | where | times | finding |\n|---|---|---|---|---|\n"...)
		case summaryFindings:
			return append(dst, "\nThere are more; `--format ndjson` has all.\n"...)
		}
		kind, where := f.Severity.String(), placeText(f)
		if !f.Failed() {
			kind = "inconclusive"
		}
		if several {
			where = inputName(b.of.path()) + " " + where
		}
		dst = fmt.Appendf(dst, "| %s | %s | %s | %d | %s |\n", kind, Markdown(f.Rule.ID), Markdown(where), b.count, Markdown(f.Message+proofText(f)))
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
		dst = fmt.Appendf(dst, "| %s | %s | %s | %s |\n", Markdown(b.Text), Markdown(value), Markdown(result), Markdown(strings.TrimPrefix(budgetPlace(b), "worst: ")))
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
		dst = fmt.Appendf(dst, "| %s | %d | %d | %d | %d |\n", Markdown(r.Rule.ID), r.Opportunities(), r.Pass, r.Fail, r.Inconclusive)
	}
	return append(dst, "\n</details>\n"...)
}
