package report

import (
	"strings"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/internal/verdict"
)

var fileColumns = []terminal.Column{{Head: "File", Left: true}, {Head: "Verdict", Left: true}, {Head: "Why", Left: true, Rare: true, Least: 20, Wraps: true}}

// appendFiles appends one line a file: its verdict and why. On a terminal the reasons go
// on in further lines where they pass its width.
func (p *painter) appendFiles(dst []byte, files []*Check, width int) []byte {
	t := p.Table(fileColumns)
	for _, c := range files {
		why := terminal.Cell{Text: render.Logged(c.why())}
		why.Dim = why.Text == ""
		t.Rows = append(t.Rows, []terminal.Cell{p.Plain(render.Logged(inputName(c.path()))), {Text: c.Outcome.String(), Style: p.outcome(c.Outcome)}, why})
	}
	if width > 0 {
		t.Fit(width)
	} else if t.Width() > terminal.DefaultWidth {
		t.Rule = terminal.DefaultWidth
	}
	return t.Append(dst)
}

// why is the headline without the verdict.
func (c *Check) why() string {
	return strings.TrimPrefix(strings.TrimPrefix(c.headline(), c.Outcome.String()), ": ")
}

// outcome is the style of a verdict.
func (p *painter) outcome(o verdict.Outcome) render.Style {
	switch o {
	case verdict.Fail, verdict.Unreadable:
		return p.Error
	case verdict.NotEvaluated, verdict.PoorCapture:
		return p.Warn
	}
	return p.Note
}
