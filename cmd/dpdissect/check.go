package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session"
)

// check is the flags of the command.
type check struct {
	input
	verbose       bool
	failOn        choice
	rules         string
	baseline      string
	writeBaseline string
	required      []string
	budget        []string
	reports       []string
	inconclusive  bool
	today         string

	book   *verdict.Book
	policy *verdict.Policy
	base   *verdict.Baseline
	extra  []extraReport
}

func newCheck() *cobra.Command {
	c := &check{failOn: newChoice("error", "warn", "note")}
	c.delay = reportDelay
	c.formats = []string{"text", "json", "ndjson", "sarif", "junit", "github"}
	cmd := &cobra.Command{
		Use:   "check INPUT...",
		Short: "Judge captures by the rules of their protocols and by budgets",
		Long: `Judge captures: does any endpoint break a rule of its protocol, and do losses,
retries and times keep within budgets? The exit code is the verdict.

A rule is broken only when nothing the network or the capture did can explain
it; otherwise the opportunity is inconclusive, which --show-inconclusive lists.
Rules about the capture (CAP-) and the network (FLD-) fail nothing unless a
rules file names them. 'dpdissect rules' lists all rules.

A budget compares numbers of 'analyze --format json': counters are added up over
all connections, times must hold for each direction. Where a number is not known
the budget is not evaluated, which is no pass.

Exit codes: 0 pass; 1 findings at or above --fail-on, or a budget exceeded; 2 a
flag, rules file or baseline is wrong; 3 an input could not be read to its end;
4 a required rule or a budget was never evaluated; 5 the capture is too poor for
the certainty asked for.`,
		Example: `  dpdissect check game.pcap
  dpdissect check --budget 'retries/data_frames < 2%' --budget 'rtt.p95_ms < 120' game.pcap
  dpdissect check --rules rules.yaml --baseline known.json --format junit -o check.xml *.pcap
  dpdissect check --require-evaluated DP8-SIG-FULL --format github --report sarif=check.sarif game.pcap`,
		Annotations: map[string]string{quietMeans: "the findings, what was asked for and the verdict alone, and no progress bar"},
		RunE:        c.runE,
	}
	f := cmd.Flags()
	c.failOn.add(cmd, "fail-on", "the least severity of a finding that fails")
	f.StringVar(&c.rules, "rules", "", "read severities, profiles, suppressions, budgets and required rules from `FILE`, in YAML")
	f.StringVar(&c.baseline, "baseline", "", "findings in `FILE` are known: only new ones fail")
	f.StringVar(&c.writeBaseline, "write-baseline", "", "write all findings to `FILE`, as known from now on")
	f.StringArrayVar(&c.required, "require-evaluated", nil, "the captures must decide `RULE` at least once")
	f.StringArrayVar(&c.budget, "budget", nil, "a limit that must hold: `EXPR` is as in 'retries/data_frames < 2%'")
	f.StringArrayVar(&c.reports, "report", nil, "write a further report: `FORMAT=FILE`")
	f.BoolVar(&c.inconclusive, "show-inconclusive", false, "list what looked broken while a guard was not satisfied")
	f.BoolVarP(&c.verbose, "verbose", "V", false, "show every place of a finding")
	f.StringVar(&c.today, "today", "", "the `DAY` that suppressions are compared with")
	must(f.MarkHidden("today"))
	c.add(cmd)
	must(cmd.RegisterFlagCompletionFunc("require-evaluated", completeRules))
	return cmd
}

// verdictConns is how many connections of a live run a verdict is about at most: the
// latest that ended.
const verdictConns = 1 << 16

func (c *check) runE(cmd *cobra.Command, paths []string) error {
	if err := c.prepare(cmd, paths); err != nil {
		return err
	}
	j, err := c.open(cmd, paths, true)
	if err != nil {
		return err
	}
	j.run.Config.Inconclusive = c.inconclusive
	j.run.Config.Profile = c.policy.Profile
	j.keep = verdictConns
	places := newPlaces(&j.run, max(len(paths), len(c.interfaces)))
	a, err := j.analyse()
	if err != nil {
		return j.finish(err)
	}
	result, err := c.decide(j, a)
	if err != nil {
		return j.finish(err)
	}
	r := &report.Check{Result: result, Version: buildVersion().Version, Captures: a.Captures, Totals: a.Totals, Conns: len(a.Conns), Locate: places.of}
	err = cmp.Or(c.writeKnown(result), c.write(j, r))
	return cmp.Or(j.finish(err), exitOf(result.Outcome))
}

// prepare reads what is asked for. The rules file comes first, flags add to it.
func (c *check) prepare(cmd *cobra.Command, paths []string) (err error) {
	c.book = ruleBook()
	c.policy = verdict.NewPolicy()
	if c.rules != "" {
		text, err := os.ReadFile(c.rules)
		if err != nil {
			return fmt.Errorf("--rules: %w", err)
		}
		if c.policy, err = verdict.ReadPolicy(c.rules, text, c.book); err != nil {
			return err
		}
	}
	if cmd.Flags().Changed("fail-on") {
		c.policy.FailOn = session.Severity(slices.Index(c.failOn.allowed, c.failOn.value))
	}
	for _, id := range c.required {
		rule, err := c.book.Rule(id)
		if err != nil {
			return usagef("--require-evaluated: %w", err)
		}
		c.policy.Require(rule)
	}
	for _, text := range c.budget {
		b, err := verdict.ParseBudget(text)
		if err != nil {
			return fmt.Errorf("--budget: %w", err)
		}
		c.policy.Budgets = append(c.policy.Budgets, b)
	}
	if c.baseline != "" {
		text, err := os.ReadFile(c.baseline)
		if err != nil {
			return fmt.Errorf("--baseline: %w", err)
		}
		if c.base, err = verdict.ReadBaseline(c.baseline, text, c.book); err != nil {
			return err
		}
	}
	if c.today == "" {
		c.today = time.Now().UTC().Format(time.DateOnly)
	} else if _, err := time.Parse(time.DateOnly, c.today); err != nil {
		return usagef("--today: want a day as 2026-12-31")
	}
	return c.prepareFiles(paths)
}

// decide weighs what the run found out. A baseline that is to be written is in
// force at once.
func (c *check) decide(j *job, a *report.Analysis) (*verdict.Result, error) {
	run := &verdict.Run{Findings: a.Findings, Rules: j.run.Rules(), Packets: a.Totals.Packets}
	for i := range a.Captures {
		run.Dropped += a.Captures[i].Dropped
	}
	run.Numbers = func() (*verdict.Numbers, error) { return verdict.ReadNumbers(report.AppendRecord(nil, a)) }
	base := c.base
	if c.writeBaseline != "" {
		base = verdict.Everything()
	}
	return verdict.Decide(c.policy, c.book, base, c.today, run)
}

// writeKnown writes the baseline.
func (c *check) writeKnown(r *verdict.Result) error {
	if c.writeBaseline == "" {
		return nil
	}
	text := verdict.BaselineOf(r.Known).Append(nil)
	if err := os.WriteFile(c.writeBaseline, text, 0o666); err != nil {
		return fmt.Errorf("--write-baseline: %w", err)
	}
	return nil
}

// exitOf is the exit code of an outcome as an error, nil when it is a pass.
func exitOf(o verdict.Outcome) error {
	switch o {
	case verdict.Fail:
		return exitCode(exitFail)
	case verdict.NotEvaluated:
		return exitCode(exitNotEvaluated)
	case verdict.PoorCapture:
		return exitCode(exitPoor)
	}
	return nil
}

// An extraReport is one of --report.
type extraReport struct{ format, path string }

// prepareFiles looks at the files that are to be written: none is an input.
func (c *check) prepareFiles(paths []string) error {
	if err := notAnInput("--write-baseline", c.writeBaseline, paths); err != nil {
		return err
	}
	for _, s := range c.reports {
		format, path, ok := strings.Cut(s, "=")
		if !ok || path == "" || !slices.Contains(c.formats, format) {
			return usagef("--report %q: want FORMAT=FILE with %s", s, orList(c.formats))
		}
		if err := notAnInput("--report", path, paths); err != nil {
			return err
		}
		c.extra = append(c.extra, extraReport{format, path})
	}
	return nil
}

// write writes all reports, the main one last, and the summary that GitHub shows
// of a step.
func (c *check) write(j *job, r *report.Check) error {
	github := c.format.value == "github"
	for _, e := range c.extra {
		if err := os.WriteFile(e.path, c.render(r, e.format, &screen{}), 0o666); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
		github = github || e.format == "github"
	}
	if path := os.Getenv("GITHUB_STEP_SUMMARY"); path != "" && github {
		if err := appendFile(path, report.AppendSummary(nil, r)); err != nil {
			return err
		}
	}
	_, err := j.out.Write(c.render(r, c.format.value, &j.screen))
	return err
}

func appendFile(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err)
	}
	_, err = f.Write(text)
	return cmp.Or(err, f.Close())
}

func (c *check) render(r *report.Check, format string, s *screen) []byte {
	switch format {
	case "json":
		return report.AppendCheckJSON(nil, r)
	case "ndjson":
		return report.AppendCheckRecords(nil, r)
	case "sarif":
		return report.AppendSARIF(nil, r)
	case "junit":
		return report.AppendJUnit(nil, r)
	case "github":
		return report.AppendGitHub(nil, r)
	}
	return report.AppendCheckText(nil, r, report.TextOptions{Palette: s.palette, Width: s.width, Verbose: c.verbose, Quiet: c.quiet})
}
