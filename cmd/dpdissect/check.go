package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect/spell"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/inputs"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/source"
	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// check is the flags of the command.
type check struct {
	input
	verbose       bool
	failOn        flags.Choice
	rules         string
	baseline      string
	writeBaseline string
	required      []string
	budget        []string
	reports       []string
	inconclusive  bool
	merge         bool
	today         string
	against       string
	tolerance     flags.Share
	expect        string

	priors   *verdict.Priors
	alone    bool // all inputs are judged as one capture
	book     *verdict.Book
	policy   *verdict.Policy
	base     *verdict.Baseline
	expected *verdict.Expectation
	extra    []extraReport
	files    *outfile.Guard
}

func newCheck() *cobra.Command {
	c := &check{failOn: flags.NewChoice("error", "warn", "note"), tolerance: 0.1}
	c.Delay = source.ReportDelay
	for _, f := range report.CheckFormats {
		c.formats = append(c.formats, f.Name+f.Use)
	}
	cmd := &cobra.Command{
		Use:   "check INPUT...",
		Short: "Judge captures by the rules of their protocols and by budgets",
		Long: `Judge captures: does any endpoint break a rule of its protocol, and do losses,
retries and times stay within budgets? The exit code is the verdict.

A rule is broken only when nothing the network or the capture did can explain
it; otherwise the opportunity is inconclusive, which --show-inconclusive lists.
Rules about the capture (CAP-) and the network (FLD-) fail a check only if a
rules file names them. 'dpdissect rules' lists all rules.

Several files are judged one by one, and the verdict of the command is the worst
of theirs: unreadable, fail, not-evaluated, poor-capture, pass. --merge judges
them as one capture, merged by time, as 'analyze' does.

--connection or -Y selects connections: findings, rules and budgets are theirs
alone. With --from and --to findings and budgets cover that time; rules are
counted over the whole life of the connections that have a packet in it.

--against compares with an earlier report of the same scenario: findings that it
also has, and that are not clearly more frequent now, do not fail; new or worse
ones, beyond --tolerance and chance, do, from warnings on.

--expect compares with a list of findings, whatever their severity: any that is
missing, and any other one, fails.

A budget compares numbers of 'analyze --format json': counters are summed over
all connections, and times must hold for each direction. If a number is not
known the budget is not evaluated, which is not a pass.

Exit codes: 0 pass; 1 findings at or above --fail-on, or a budget exceeded; 2 a
flag, rules file or baseline is wrong; 3 an input could not be read to its end;
4 a required rule or a budget was never evaluated; 5 the capture is too poor for
the requested certainty; 6 dpdissect failed on a connection. With several files
the worst counts: 6, 3, 1, 4, 5, 0. The exit code stays the same if the reader
of the output closes the pipe early.`,
		Example: `  dpdissect check game.pcap
  dpdissect check --budget 'retries < 50' --budget 'rtt.p95_ms < 120' game.pcap
  dpdissect check --rules rules.yaml --format junit -o check.xml *.pcap
  dpdissect check --baseline known.json game.pcap
  dpdissect check --require-evaluated DP8-SIG-FULL --format github game.pcap
  dpdissect check --report sarif=check.sarif game.pcap`,
		Annotations: map[string]string{quietMeans: "only the findings, the requested reports and the verdict, and no progress bar", judgesEach: "yes"},
		RunE:        c.runE,
	}
	f := cmd.Flags()
	c.failOn.Add(cmd, "fail-on", "the lowest severity of a finding that fails the check")
	f.StringVar(&c.rules, "rules", "", "read severities, profiles, suppressions, budgets and required rules from `FILE`, in YAML")
	f.StringVar(&c.baseline, "baseline", "", "findings in `FILE` are known: only new ones fail the check")
	f.StringVar(&c.writeBaseline, "write-baseline", "", "write all findings to `FILE`, to be known from now on")
	f.StringVar(&c.against, "against", "", "fail if worse than an earlier report of the same scenario, the JSON of 'check' or 'analyze' in `FILE`")
	f.Var(&c.tolerance, "tolerance", "with --against: the `SHARE` by which a number may differ, in addition to chance")
	f.StringVar(&c.expect, "expect", "", "pass if the findings are exactly those in `FILE`, as 'reduce --expect' writes it")
	f.StringArrayVar(&c.required, "require-evaluated", nil, "fail unless the captures decide `RULE` at least once")
	f.StringArrayVar(&c.budget, "budget", nil, "a limit that must hold, with an `EXPR` such as 'retries/data_frames < 2%'")
	f.StringArrayVar(&c.reports, "report", nil, "write an additional report: `FORMAT=FILE`")
	f.BoolVar(&c.merge, "merge", false, "judge several files as one capture, merged by time, not one by one")
	f.BoolVar(&c.inconclusive, "show-inconclusive", false, "list cases that looked broken while a guard was not satisfied")
	f.BoolVarP(&c.verbose, "verbose", "V", false, "show every occurrence of a finding")
	f.StringVar(&c.today, "today", "", "the `DAY` to compare suppressions with, instead of today")
	must(f.MarkHidden("today"))
	c.add(cmd)
	return cmd
}

// verdictConns is how many connections of a live run a verdict is about at most: the
// latest that ended.
const verdictConns = 1 << 16

func (c *check) runE(cmd *cobra.Command, paths []string) error {
	if err := c.prepare(cmd, paths); err != nil {
		return err
	}
	out, err := c.createOutput(cmd, c.files)
	if err != nil {
		return err
	}
	c.tellPorts(cmd.ErrOrStderr())
	checks, err := c.judgeAll(cmd, paths, out)
	if err == nil {
		err = cmp.Or(c.writeKnown(checks), c.write(out, checks))
	}
	if err == nil || isBrokenPipe(err) { // who stops to read changes no verdict
		err = exitOf(checks)
	}
	return out.end(err)
}

// judgeAll judges each capture: of several files each is one, unless they are merged.
func (c *check) judgeAll(cmd *cobra.Command, paths []string, out *destination) ([]*report.Check, error) {
	c.alone = c.merge || len(paths) < 2
	if c.alone {
		one, err := c.judge(cmd, paths, out)
		return []*report.Check{one}, err
	}
	if err := onceEach(paths); err != nil {
		return nil, err
	}
	var checks []*report.Check
	for i := range paths {
		one, err := c.judge(cmd, paths[i:i+1], out)
		if err != nil {
			return nil, err
		}
		checks = append(checks, one)
	}
	return checks, nil
}

// onceEach refuses what can't be read twice.
func onceEach(paths []string) error {
	if i := slices.Index(paths, "-"); i >= 0 && slices.Contains(paths[i+1:], "-") {
		return exit.Usagef("standard input (-) is given more than once")
	}
	return nil
}

// judge judges one capture.
func (c *check) judge(cmd *cobra.Command, paths []string, out *destination) (*report.Check, error) {
	j, err := c.read(cmd, paths)
	if err != nil {
		return nil, err
	}
	if err := j.begin(out, true); err != nil {
		return nil, j.close(err)
	}
	j.run.Config.Inconclusive = c.inconclusive
	j.run.Config.Profile = c.policy.Profile
	j.run.Config.Tallies = c.selects(j)
	j.keep = verdictConns
	places := newPlaces(&j.run, max(len(paths), len(c.Interfaces)))
	a, err := j.analyse()
	if err = j.close(err); err != nil && !exit.Told(err) {
		return nil, err
	}
	result, err := c.decide(j, a, paths)
	if err != nil {
		return nil, err
	}
	return &report.Check{Result: result, Version: buildVersion().Version, Captures: a.Captures, Totals: a.Totals, Conns: len(a.Conns),
		Internal: len(j.run.Internal()), Locate: places.of, Span: c.span.words()}, nil
}

// prepare reads what is asked for. The rules file comes first, flags add to it.
func (c *check) prepare(cmd *cobra.Command, paths []string) (err error) {
	if err := c.checkSpan(); err != nil {
		return err
	}
	c.book = ruleBook()
	if c.policy, err = readPolicy(c.rules, c.book); err != nil {
		return err
	}
	if cmd.Flags().Changed("fail-on") {
		c.policy.FailOn = conform.Severity(slices.Index(c.failOn.Allowed, c.failOn.Value))
	}
	for _, id := range c.required {
		rule, err := c.book.Rule(id)
		if err != nil {
			return exit.Usagef("--require-evaluated: %w", err)
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
	if err := c.readPriors(); err != nil {
		return err
	}
	if c.baseline != "" {
		text, err := inputs.ReadBounded(c.baseline, maxBaseline)
		if err != nil {
			return fmt.Errorf("--baseline: %w", err)
		}
		if c.base, err = verdict.ReadBaseline(c.baseline, text, c.book); err != nil {
			return err
		}
	}
	if err := c.readExpected(cmd, paths); err != nil {
		return err
	}
	if c.writeBaseline != "" {
		c.base = verdict.Everything() // what is to be written is in force at once
	}
	if c.today, err = dayOf(c.today); err != nil {
		return err
	}
	return c.prepareFiles(paths)
}

// decide weighs what the run found out.
func (c *check) decide(j *job, a *report.Analysis, paths []string) (*verdict.Result, error) {
	run := &verdict.Run{Expected: c.expected, Findings: a.Findings, Rules: c.rulesOf(j, a.Conns), Packets: a.Totals.Packets, Unread: unread(a.Captures), Unjudged: unjudged(a)}
	for i := range a.Captures {
		run.Dropped += a.Captures[i].Dropped
	}
	if err := c.compareWith(run, paths); err != nil {
		return nil, err
	}
	run.Numbers = report.Numbers(a)
	return verdict.Decide(c.policy, c.book, c.base, c.today, run)
}

// selects reports whether the rules are counted of some connections only. A live run
// forgets connections, and counts all.
func (c *check) selects(j *job) bool { return !j.Live() && (j.show != nil || c.span.given()) }

// rulesOf counts how the opportunities of the rules ended.
func (c *check) rulesOf(j *job, conns []*session.Conn) []conform.RuleTally {
	if c.selects(j) {
		return j.run.RulesOf(conns)
	}
	return j.run.Rules()
}

// unread lists what is wrong with inputs that could not be read to their end.
func unread(infos []capture.Info) (list []string) {
	for i := range infos {
		switch in := &infos[i]; {
		case !in.Failed:
		case len(infos) == 1:
			list = append(list, in.Problem)
		default:
			list = append(list, inputs.Name(in.Path)+": "+in.Problem)
		}
	}
	return list
}

// unjudged lists what was not judged for lack of room: address pairs, and connections of
// which frames came after they were summed up.
func unjudged(a *report.Analysis) (list []string) {
	if n := a.Totals.Undecided; n > 0 {
		list = append(list, report.UndecidedText(n))
	}
	var conns uint64
	for _, c := range a.Conns {
		if c.Unjudged > 0 {
			conns++
		}
	}
	if conns > 0 {
		list = append(list, verdict.Counted(conns, "connection")+" not judged to the end: too many were open at the same time")
	}
	return list
}

// writeKnown writes the baseline.
func (c *check) writeKnown(checks []*report.Check) error {
	if c.writeBaseline == "" {
		return nil
	}
	var known []session.Finding
	for _, r := range checks {
		known = append(known, r.Known...)
	}
	text := verdict.BaselineOf(known).Append(nil)
	if err := outfile.Write(c.writeBaseline, text, outfile.Shared, nil); err != nil {
		return notWritten("--write-baseline", err)
	}
	return nil
}

// exitOf is the exit code of the worst verdict as an error, nil when all are a pass.
func exitOf(checks []*report.Check) error {
	code := exit.OK
	for _, r := range checks {
		code = exit.Worse(code, exitCodes[r.Outcome])
		if r.Internal > 0 {
			code = exit.Internal
		}
	}
	if code == exit.OK {
		return nil
	}
	return exit.Code(code)
}

var exitCodes = map[verdict.Outcome]int{
	verdict.Pass: exit.OK, verdict.Unreadable: exit.Input, verdict.Fail: exit.Fail, verdict.NotEvaluated: exit.NotEvaluated, verdict.PoorCapture: exit.Poor,
}

// An extraReport is one of --report.
type extraReport struct {
	*report.CheckFormat
	path string
}

// prepareFiles looks at the files that are to be written: none is one that is read,
// but that a baseline may be written again.
func (c *check) prepareFiles(paths []string) error {
	c.files = c.guard(paths)
	c.files.Reads("the rules file", c.rules)
	c.files.Reads("the earlier report", c.against)
	c.files.Reads("the file of --expect", c.expect)
	if err := c.files.Writes("the file of --write-baseline", c.writeBaseline); err != nil {
		return notWritten("--write-baseline", err)
	}
	c.files.Reads("the baseline", c.baseline)
	for _, s := range c.reports {
		format, path, ok := strings.Cut(s, "=")
		if !ok || path == "" || !slices.Contains(flags.FormatNames(c.formats), format) {
			return exit.Usagef("--report %q: want FORMAT=FILE with %s", s, spell.OrList(flags.FormatNames(c.formats)))
		}
		if err := c.files.Writes("the file of another --report", path); err != nil {
			return notWritten("--report", err)
		}
		c.extra = append(c.extra, extraReport{report.CheckFormatOf(format), path})
	}
	if _, path := c.summary(); path != "" {
		if err := c.files.Writes("the file of "+summaryVariable, path); err != nil {
			return notWritten(summaryVariable, err)
		}
	}
	return nil
}
