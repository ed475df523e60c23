package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/internal/annotate"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/session/conform"
)

// Bounds of --summary: lines of a screen, and bytes of the whole.
const (
	summaryLines = 23
	mostSummary  = 4096
)

// checkSummary refuses --summary of what can't be read twice.
func (c *annotateCommand) checkSummary(paths []string) error {
	switch {
	case !c.sums:
		return nil
	case c.Live() || c.Follow:
		return exit.Usagef("--summary is of captures that are complete, not live")
	case slices.ContainsFunc(paths, capture.ReadOnce):
		return exit.Usagef("--summary reads its captures twice: give files, not standard input or pipes")
	}
	return nil
}

// summary reads the whole input, whatever is chosen of it, and says what is in it; nil where
// nobody asks.
func (c *annotateCommand) summary(paths []string) ([]byte, error) {
	if !c.sums {
		return nil, nil
	}
	cfg, err := c.Config(c.dp8)
	if err != nil {
		return nil, err
	}
	c.Blocks = false
	src, err := c.source(paths)
	if c.Blocks = true; err != nil {
		return nil, err
	}
	defer src.Close()
	cfg.Pack, cfg.Explain, cfg.Endings = true, true, true
	j := &job{input: &c.input, stop: func() {}, run: pipeline.Run{Source: src, Config: cfg, Workers: c.workerCount()}}
	var found pipeline.Findings
	found.Attach(&j.run)
	if err := j.do(nil); err != nil {
		return nil, err
	}
	return summaryOf(j.analysis(found.All))
}

// summaryOf is a line for programs, and as much of what explain says as a screen shows.
func summaryOf(a *report.Analysis) ([]byte, error) {
	counts := [3]uint64{}
	for _, conn := range a.Conns {
		for s, n := range conn.Findings {
			counts[s] += n
		}
	}
	for i := range a.Findings {
		if f := &a.Findings[i]; f.Conn == nil && f.Failed() {
			counts[f.Severity]++
		}
	}
	sum := fmt.Appendf(nil, "%s packets=%d connections=%d errors=%d warnings=%d notes=%d", annotate.Mark, a.Totals.Packets, len(a.Conns),
		counts[conform.Error], counts[conform.Warn], counts[conform.Note])
	d := a.Story.Telling(a.Conns)
	d.Hint = report.WhyNone(&a.Totals)
	d.Grouped()
	var text bytes.Buffer
	if err := report.WriteExplainText(&text, a.Captures, d, report.TextOptions{Width: 80}); err != nil {
		return nil, err
	}
	lines := 0
	for line := range strings.Lines(text.String()) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, annotate.Mark+" ") {
			line = " " + line // it is not for programs
		}
		if lines++; lines > summaryLines || len(sum)+1+len(line) > mostSummary {
			break
		}
		sum = append(append(sum, '\n'), line...)
	}
	return bytes.TrimRight(sum, "\n"), nil
}
