package report

import (
	"strings"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/verdict"
)

var fileColumns = []column{{head: "File", left: true}, {head: "Verdict", left: true}, {head: "Why", left: true, rare: true}}

// appendFiles appends one line a file: its verdict and why. On a terminal the reasons are
// cut to its width; they stand whole in the check of the file, and where nobody said how
// wide the text may be.
func (p *painter) appendFiles(dst []byte, files []*Check, width int) []byte {
	t := p.table(fileColumns)
	for _, c := range files {
		why := cell{text: render.Logged(c.why())}
		why.dim = why.text == ""
		t.rows = append(t.rows, []cell{p.plain(render.Logged(inputName(c.path()))), {text: c.Outcome.String(), style: p.outcome(c.Outcome)}, why})
	}
	if width > 0 {
		t.cutLast(width)
	} else if sum(t.widths())+2*len(columnGap) > DefaultWidth {
		t.rule = DefaultWidth
	}
	return t.append(dst)
}

// cutLast cuts the texts of the last column to what the others leave of a width, and
// never to less than its head takes.
func (t *table) cutLast(width int) {
	w := t.widths()
	last := len(w) - 1
	room := width
	for _, n := range w[:last] {
		room -= n + len(columnGap)
	}
	for _, row := range t.rows {
		row[last].text = cutText(row[last].text, max(room, len(t.cols[last].head)), false)
	}
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
