package report

import (
	"strings"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/verdict"
)

var fileColumns = []column{{head: "File", left: true}, {head: "Verdict", left: true}, {head: "Why", left: true, rare: true, least: 20, wraps: true}}

// appendFiles appends one line a file: its verdict and why. On a terminal the reasons go
// on in further lines where they pass its width.
func (p *painter) appendFiles(dst []byte, files []*Check, width int) []byte {
	t := p.table(fileColumns)
	for _, c := range files {
		why := cell{text: render.Logged(c.why())}
		why.dim = why.text == ""
		t.rows = append(t.rows, []cell{p.plain(render.Logged(inputName(c.path()))), {text: c.Outcome.String(), style: p.outcome(c.Outcome)}, why})
	}
	if width > 0 {
		t.fit(width)
	} else if sum(t.widths())+2*len(columnGap) > DefaultWidth {
		t.rule = DefaultWidth
	}
	return t.append(dst)
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

func sum(list []int) (n int) {
	for _, v := range list {
		n += v
	}
	return n
}
