package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/reduce"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/source"
	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// reduceCommand is the flags of the command.
type reduceCommand struct {
	input
	rule         string
	frame        flags.Positive
	write        string
	expect       string
	rules        string
	inconclusive bool
	maxTries     flags.Positive
	today        string

	of    *conform.Rule
	judge *reduce.Judge
}

func newReduce() *cobra.Command {
	c := &reduceCommand{maxTries: 2000}
	c.formats = []string{flags.Text, flags.JSON}
	cmd := &cobra.Command{
		Use:   "reduce INPUT --rule RULE -w FILE",
		Short: "Write the smallest capture found that still shows a finding",
		Long: `Write a capture in which a finding of 'dpdissect check' stays and that has as
few packets as can be found: to understand it, to report it, to keep it as a
test. Packets are left out, and the rest is checked, again and again: other
connections first, then what was long before and after it, messages with what
acknowledges them, and single packets, until none can be left out.

The finding is the first of the rule, or that at --frame, with the rules file,
protocols and secrets given. It stays when a finding of the same rule, severity
and verdict is at the same packet. Packets are written byte for byte with their
times, as pcapng; the same input gives the same file.

--expect writes what check finds in that file. 'dpdissect check --expect' passes
as long as it finds exactly that.`,
		Example: `  dpdissect reduce game.pcap --rule DP8-SIG-FULL -w small.pcapng
  dpdissect reduce game.pcap --rule DP8-SIG-FULL -w t.pcapng --expect t.json
  dpdissect check --expect t.json t.pcapng`,
		Annotations: map[string]string{quietMeans: "no progress bar", judgesEach: "yes"},
		RunE:        c.runE,
	}
	f := cmd.Flags()
	f.StringVar(&c.rule, "rule", "", "the `RULE` of the finding")
	f.Var(&c.frame, "frame", "the finding at `FRAME`, not the first of the rule")
	f.StringVarP(&c.write, "write", "w", "", "write the packets to `FILE`, as pcapng")
	f.StringVar(&c.expect, "expect", "", "write the findings that check has in it to `FILE`")
	f.StringVar(&c.rules, "rules", "", "read severities, profiles and suppressions from `FILE`, as check does")
	f.BoolVar(&c.inconclusive, "show-inconclusive", false, "look also for cases that looked broken while a guard was not satisfied")
	f.Var(&c.maxTries, "max-tries", "check `N` captures at most; the best until then is written")
	f.StringVar(&c.today, "today", "", "the `DAY` to compare suppressions with, instead of today")
	must(f.MarkHidden("today"))
	c.add(cmd)
	source.HideLive(cmd)
	for _, name := range notOfReduce {
		must(f.MarkHidden(name))
	}
	return cmd
}

// notOfReduce are flags of reading commands that choose what is shown: all is judged here.
var notOfReduce = []string{"display-filter", "connection", "from", "to", "recursive", "numeric", "time-format"}

func (c *reduceCommand) runE(cmd *cobra.Command, paths []string) error {
	if err := c.check(cmd, paths); err != nil {
		return err
	}
	if err := c.readRules(); err != nil {
		return err
	}
	c.prepare = c.guardOutputs
	stamps := stampsOf(paths)
	j, err := c.open(cmd, paths, true)
	if err != nil {
		return err
	}
	err = c.reduce(j, paths)
	if err == nil {
		err = sameFiles(j.stderr, paths, stamps)
	}
	return j.finish(err)
}

// check refuses what has no meaning.
func (c *reduceCommand) check(cmd *cobra.Command, paths []string) error {
	for _, name := range notOfReduce {
		if cmd.Flags().Changed(name) && name != "numeric" && name != "time-format" {
			return exit.Usagef("--%s: the whole capture is checked; -f chooses packets", name)
		}
	}
	switch {
	case c.Live() || c.Follow:
		return exit.Usagef("a capture is reduced that is complete, not a live one")
	case len(paths) != 1:
		return exit.Usagef("reduce takes one INPUT, but got %d", len(paths))
	case capture.ReadOnce(paths[0]):
		return exit.Usagef("%s: a capture is read several times: give a file, not standard input or a pipe", paths[0])
	case c.rule == "":
		return exit.Usagef("no rule: give --rule RULE; 'dpdissect check' lists the findings")
	case c.write == "" || c.write == "-":
		return exit.Usagef("no file: give -w FILE; standard output is for the report")
	}
	return nil
}

// readRules reads the rules file and looks up the rule.
func (c *reduceCommand) readRules() (err error) {
	c.judge = &reduce.Judge{Book: ruleBook()}
	if c.of, err = c.judge.Book.Rule(c.rule); err != nil {
		return exit.Usagef("--rule: %w", err)
	}
	if c.judge.Policy, err = readPolicy(c.rules, c.judge.Book); err != nil {
		return err
	}
	c.judge.Today, err = dayOf(c.today)
	return err
}

// guardOutputs refuses to write over what is read, or one file twice.
func (c *reduceCommand) guardOutputs(j *job) error {
	j.files.Reads("the rules file", c.rules)
	if err := j.files.Writes("the file of -w", c.write); err != nil {
		return notWritten("-w", err)
	}
	if err := j.files.Writes("the file of --expect", c.expect); err != nil {
		return notWritten("--expect", err)
	}
	return nil
}

// reduce finds the finding, and then the small capture.
func (c *reduceCommand) reduce(j *job, paths []string) error {
	j.run.Config.Inconclusive, j.run.Config.Profile = c.inconclusive, c.judge.Policy.Profile
	c.judge.Config = j.run.Config
	var found pipeline.Findings
	found.Attach(&j.run)
	if err := j.do(nil); err != nil {
		return err
	}
	all, err := c.judge.Weigh(&j.run, found.All())
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(f session.Finding) bool {
		return f.Rule.ID == c.of.ID && (c.frame == 0 || f.Frame == uint64(c.frame))
	})
	if i < 0 {
		return c.noFinding(j, all)
	}
	f := all[i]
	packets := j.run.Totals().Packets
	j.run.Release()
	r, err := reduce.Reduce(reduce.Options{Judge: c.judge, MaxTries: int(c.maxTries), Application: "dpdissect " + buildVersion().Version,
		Open: func() (*capture.Source, error) { return c.source(paths) }}, &f)
	if err != nil {
		return fmt.Errorf("%s: %w", paths[0], err)
	}
	return c.writeAll(j, &f, packets, r)
}

// writeAll writes the capture, what is found in it, and the report.
func (c *reduceCommand) writeAll(j *job, f *session.Finding, packets uint64, r *reduce.Result) error {
	if err := outfile.Write(c.write, r.File, outfile.Private, nil); err != nil {
		return notWritten("-w", err)
	}
	if c.expect != "" {
		if err := outfile.Write(c.expect, verdict.Expect(r.Findings).Append(nil), outfile.Shared, nil); err != nil {
			return notWritten("--expect", err)
		}
	}
	told := &report.Reduced{Finding: verdict.ExpectedOf(f), Packets: packets, Frames: r.Frames, Frame: r.Frame, Tries: r.Tries, Minimal: r.Minimal}
	j.stop()
	var b []byte
	if c.format.Value == "json" {
		b = report.AppendReducedJSON(nil, told)
	} else {
		b = report.AppendReducedText(nil, told)
	}
	_, err := j.out.Write(b)
	return err
}

// mostFindings bounds the list of findings in the error that the one asked for is not there.
const mostFindings = 12

// noFinding says which findings there are. Of an input that could not be read to its end that
// is the error, not the finding that it may have lacked.
func (c *reduceCommand) noFinding(j *job, all []session.Finding) error {
	if slices.ContainsFunc(j.run.Source.Infos(), func(in capture.Info) bool { return in.Failed }) {
		return nil
	}
	var there []string
	for _, f := range append(c.ofRule(all, true), c.ofRule(all, false)...) {
		one := f.Rule.ID
		if f.Frame != 0 {
			one = fmt.Sprintf("%s at frame %d", one, f.Frame)
		}
		if !slices.Contains(there, one) {
			there = append(there, one)
		}
	}
	if more := len(there) - mostFindings; more > 0 {
		there = append(there[:mostFindings], fmt.Sprintf("%d more", more))
	}
	where := ""
	if c.frame != 0 {
		where = fmt.Sprintf(" at frame %d", c.frame)
	}
	if len(there) == 0 {
		return exit.Usagef("no finding of %s%s: there are no findings", c.of.ID, where)
	}
	return exit.Usagef("no finding of %s%s: there are %s", c.of.ID, where, strings.Join(there, ", "))
}

// ofRule are the findings of the rule, or those of the others.
func (c *reduceCommand) ofRule(all []session.Finding, is bool) (some []session.Finding) {
	for _, f := range all {
		if (f.Rule.ID == c.of.ID) == is {
			some = append(some, f)
		}
	}
	return some
}
