package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect/spell"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session/conform"
)

func completeRules(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var all []cobra.Completion
	for _, c := range chapters() {
		for i := range c.rules {
			all = append(all, cobra.CompletionWithDesc(c.rules[i].ID, c.rules[i].Statement))
		}
	}
	if cmd.Name() == "show" {
		for _, e := range explanations() {
			all = append(all, cobra.CompletionWithDesc(e.id, e.about))
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// rulesCommand is the flags of the command.
type rulesCommand struct {
	format    flags.Choice
	protocols []string
	levels    []string
	evaluated bool
	operation bool
	markdown  bool
}

func newRules() *cobra.Command {
	c := &rulesCommand{format: flags.NewChoice("text", "json")}
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List the rules that check judges by",
		Long: `List the rules of all protocols: what the texts require (MUST), advise (SHOULD),
recommend (REC) or imply (IMPL), how severe a violation is, and what an
evaluation looks at: one frame (F), the state of one direction (D) or both (B),
times (T).

Rules with 'yes' under Operation matter to operators of endpoints; 'profiles:
[operation]' in a file for check --rules selects only these. Sessions in the
field hardly ever give an opportunity for rules marked 'seldom', so finding
nothing proves little.

A rule that is not evaluated is listed with the reason; one that is equivalent
to another is reported under that one's id. 'dpdissect rules show ID' explains a
rule. --markdown prints the page docs/rules.md.`,
		Example: `  dpdissect rules --protocol dp8 --level MUST
  dpdissect rules --evaluated --format json | jq -r '.[].id'
  dpdissect rules show DP8-SIG-FULL`,
		Args: noArgs,
		RunE: c.runE,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVar(&c.protocols, "protocol", nil, "only rules of these protocols, a comma-separated `LIST`; capture and field are rules about captures and networks")
	f.StringSliceVar(&c.levels, "level", nil, "only rules of these levels, a comma-separated `LIST` of MUST, SHOULD, REC, IMPL")
	f.BoolVar(&c.evaluated, "evaluated", false, "only rules that are evaluated")
	f.BoolVar(&c.operation, "operation", false, "only rules that matter to operators of endpoints: those of the profile operation")
	f.BoolVar(&c.markdown, "markdown", false, "print the reference page in Markdown")
	c.format.Add(cmd, "format", "text for people or one JSON document")
	cmd.AddCommand(newRulesShow())
	return cmd
}

func (c *rulesCommand) runE(cmd *cobra.Command, _ []string) error {
	if c.markdown && cmd.Flags().Changed("format") {
		return exit.Usagef("--markdown is a format of its own and cannot be combined with --format")
	}
	chosen, err := c.chosen()
	if err != nil {
		return err
	}
	var b []byte
	switch {
	case c.markdown:
		b = rulesMarkdown(chosen)
	case c.format.Value == "json":
		b = rulesJSON(chosen)
	default:
		b = rulesText(chosen, textWidth(cmd.OutOrStdout()))
	}
	return writePage(cmd, b)
}

// chosen gives the rules that pass the flags.
func (c *rulesCommand) chosen() (all []chapter, err error) {
	chapters := chapters()
	var names []string
	for _, h := range chapters {
		names = append(names, h.name)
	}
	if err := known("--protocol", c.protocols, names); err != nil {
		return nil, err
	}
	for i, l := range c.levels {
		c.levels[i] = strings.ToUpper(l)
	}
	if err := known("--level", c.levels, levelNames()); err != nil {
		return nil, err
	}
	for _, h := range chapters {
		if c.protocols != nil && !slices.Contains(c.protocols, h.name) {
			continue
		}
		h.rules = slices.DeleteFunc(slices.Clone(h.rules), func(r conform.Rule) bool {
			return c.levels != nil && !slices.Contains(c.levels, r.Level.String()) || c.evaluated && (r.Unchecked != "" || r.Alias != "") || c.operation && !r.Operation
		})
		all = append(all, h)
	}
	return all, nil
}

// known refuses words that are not in a list.
func known(flag string, words, list []string) error {
	for _, w := range words {
		if !slices.Contains(list, w) {
			return exit.Usagef("%s: unknown %q: want %s", flag, w, spell.OrList(list))
		}
	}
	return nil
}

// status says whether a rule is evaluated: "yes", "seldom", "as ID", "no".
func status(r *conform.Rule) string {
	switch {
	case r.Alias != "":
		return "as " + r.Alias
	case r.Unchecked != "":
		return "no"
	}
	if r.Seldom {
		return "seldom"
	}
	return "yes"
}

func rulesText(all []chapter, width int) []byte {
	var rows [][]string
	for _, h := range all {
		for i := range h.rules {
			r := &h.rules[i]
			text := r.Statement
			if r.Unchecked != "" && r.Alias == "" {
				text += " [" + r.Unchecked + "]"
			}
			mark := ""
			if r.Operation {
				mark = "yes"
			}
			rows = append(rows, []string{r.ID, r.Level.String(), r.Severity.String(), r.Scope, status(r), mark, text})
		}
	}
	if len(rows) == 0 {
		return []byte("No rules.\n")
	}
	return terminal.AppendReference(nil, []terminal.Column{
		{Head: "Rule"}, {Head: "Level", Rank: 1}, {Head: "Severity", Rank: 2}, {Head: "Scope", Rank: 5}, {Head: "Evaluated", Rank: 3}, {Head: "Operation", Rank: 4},
		{Head: "Statement", Least: leastText, Whole: "'dpdissect rules show ID' has the whole text"},
	}, rows, width)
}

// ruleRow is a rule in JSON.
type ruleRow struct {
	ID        string   `json:"id"`
	Protocol  string   `json:"protocol"`
	Clause    string   `json:"clause"`
	Level     string   `json:"level"`
	Severity  string   `json:"severity"`
	Scope     string   `json:"scope"`
	Guards    []string `json:"guards"`
	Statement string   `json:"statement"`
	Care      string   `json:"care,omitempty"`
	Example   string   `json:"example,omitempty"`
	Evaluated bool     `json:"evaluated"`
	Operation bool     `json:"operation,omitempty"`
	Seldom    bool     `json:"seldom,omitempty"`
	Alias     string   `json:"alias,omitempty"`
	Reason    string   `json:"reason,omitempty"`
}

func rowOf(protocol string, r *conform.Rule) ruleRow {
	guards := []string{}
	for _, g := range (r.Guards | conform.Always).List() {
		guards = append(guards, g.String())
	}
	row := ruleRow{ID: r.ID, Protocol: protocol, Clause: r.Clause, Level: r.Level.String(), Severity: r.Severity.String(), Scope: r.Scope, Guards: guards,
		Statement: r.Statement, Care: r.Care, Example: r.Example, Evaluated: r.Unchecked == "" && r.Alias == "", Alias: r.Alias,
		Operation: r.Operation, Seldom: r.Seldom}
	if r.Alias == "" {
		row.Reason = r.Unchecked
	}
	return row
}

func rulesJSON(all []chapter) []byte {
	rows := []ruleRow{}
	for _, h := range all {
		for i := range h.rules {
			rows = append(rows, rowOf(h.name, &h.rules[i]))
		}
	}
	return indented(rows)
}

func rulesMarkdown(all []chapter) []byte {
	b := []byte("# Rules\n\nGenerated by `make docs` from the tables that are evaluated; `dpdissect rules show ID` has the rest of a rule: its\n" +
		"guards, what to be careful about, and an example of a violation. [ci.md](ci.md) says how `dpdissect check` uses them.\n\n" +
		"A rule ends each of its opportunities as pass, fail or inconclusive, and fails only while its guards are satisfied. The\n" +
		"guards DUP, SNAP, SUM and LIFE belong to every rule.\n\n| guard | requires that |\n|---|---|\n")
	for g := conform.GuardDup; g.String() != ""; g++ {
		b = fmt.Appendf(b, "| %s | %s |\n", g, g.Asks())
		if g == conform.GuardSample {
			break
		}
	}
	for _, h := range all {
		of := map[string]int{}
		for i := range h.rules {
			of[status(&h.rules[i])]++
		}
		seldom := ""
		if n := of["seldom"]; n > 0 {
			seldom = fmt.Sprintf("; of %d real sessions hardly ever give an opportunity", n)
		}
		b = fmt.Appendf(b, "\n## %s\n\n%d rules, %d of them evaluated%s.\n\n| rule | what it requires | clause | level | severity |\n|---|---|---|---|---|\n", h.title, len(h.rules), of["yes"]+of["seldom"], seldom)
		for i := range h.rules {
			b = append(b, report.RuleRow(&h.rules[i])...)
		}
	}
	return b
}

func newRulesShow() *cobra.Command {
	format := flags.NewChoice("text", "json")
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Explain a rule, a guard, or an ambiguity of a specification",
		Long: `Explain a rule: what it requires, the clause of the text, level and severity,
what must be certain before it is reported as broken, and an example of a
violation. Also what a guard such as VANT requires, and how an ambiguity of a
specification, such as AMB-HZ-02, is read.`,
		Example: `  dpdissect rules show DP8-2.2.1.2-POLL-LISTENER
  dpdissect rules show VANT
  dpdissect rules show DP8-SIG-FULL --format json`,
		ValidArgsFunction: completeRules,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return exit.Usagef("show takes one ID, of a rule, a guard or an ambiguity")
			}
			return showRule(cmd, args[0], format.Value)
		},
	}
	format.Add(cmd, "format", "text for people or one JSON document")
	return cmd
}

func showRule(cmd *cobra.Command, id, format string) error {
	var ids []string
	for _, h := range chapters() {
		for i := range h.rules {
			r := &h.rules[i]
			ids = append(ids, r.ID)
			if !strings.EqualFold(r.ID, id) {
				continue
			}
			b := indented(rowOf(h.name, r))
			if format == "text" {
				b = []byte(report.RuleText(r, cmp.Or(textWidth(cmd.OutOrStdout()), terminal.DefaultWidth)))
			}
			return writePage(cmd, b)
		}
	}
	explained := explanations()
	for i := range explained {
		e := &explained[i]
		ids = append(ids, e.id)
		if !strings.EqualFold(e.id, id) {
			continue
		}
		if format == "json" {
			return writePage(cmd, indented(e.record))
		}
		return writePage(cmd, []byte(e.text(cmp.Or(textWidth(cmd.OutOrStdout()), terminal.DefaultWidth))))
	}
	return exit.Usagef("unknown rule %s%s", id, spell.DidYouMean(id, ids))
}
