package main

import (
	"cmp"
	"fmt"
	"os"

	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/verdict"
)

// summaryVariable names the file whose text GitHub shows as the summary of a step.
const summaryVariable = "GITHUB_STEP_SUMMARY"

// used are the formats of all reports, that of standard output first.
func (c *check) used() []*report.CheckFormat {
	all := []*report.CheckFormat{report.CheckFormatOf(c.format.Value)}
	for _, e := range c.extra {
		all = append(all, e.CheckFormat)
	}
	return all
}

// summary is the format of the summary of a step, and its file; "" where no report has one.
func (c *check) summary() (f *report.CheckFormat, path string) {
	for _, f := range c.used() {
		if f.Summary != nil {
			return f.Summary, os.Getenv(summaryVariable)
		}
	}
	return nil, ""
}

// write writes all reports, the main one last, and the summary that GitHub shows
// of a step.
func (c *check) write(out *destination, checks []*report.Check) error {
	for _, e := range c.extra {
		if err := outfile.Write(e.path, c.render(checks, e.CheckFormat, &screen{}), outfile.Shared, nil); err != nil {
			return notWritten("--report", err)
		}
	}
	if f, path := c.summary(); path != "" {
		if err := appendFile(path, c.render(checks, f, &screen{})); err != nil {
			return err
		}
	}
	_, err := out.Write(c.render(checks, c.used()[0], &out.screen))
	return err
}

func appendFile(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf(summaryVariable+": %w", err)
	}
	_, err = f.Write(text)
	return cmp.Or(err, f.Close())
}

// render gives the report of one capture, or that of several.
func (c *check) render(checks []*report.Check, f *report.CheckFormat, s *screen) []byte {
	o := report.TextOptions{Palette: s.palette, Width: s.width, Verbose: c.verbose, Quiet: c.quiet}
	if len(checks) == 1 {
		return f.One(checks[0], o)
	}
	var results []*verdict.Result
	for _, r := range checks {
		results = append(results, r.Result)
	}
	return f.Several(&report.Checks{Several: verdict.Together(c.base, results), Files: checks}, o)
}
