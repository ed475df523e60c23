package report

import (
	"strconv"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/internal/verdict"
)

// measures writes the numbers that a later run may be compared with.
func (e *encoder) measures(m map[string]float64) {
	if m == nil {
		return
	}
	e.open("numbers", '{')
	for _, name := range verdict.MeasureNames() {
		if v, known := m[name]; known {
			e.float(name, v)
		}
	}
	e.close('}')
}

// against writes the comparison with an earlier report.
func (e *encoder) against(a *verdict.Against) {
	if a == nil {
		return
	}
	e.open("against", '{')
	e.text("path", a.Path)
	e.float("tolerance", a.Tolerance)
	e.boolean("worse", a.Worse)
	e.numberChanges("numbers", "name", a.Numbers)
	e.numberChanges("budgets", "budget", a.Budgets)
	objects(e, "findings", a.Findings, func(c *verdict.FindingChange) {
		e.text("rule", c.Rule)
		e.known("direction", c.Direction)
		e.count("before", c.Before)
		e.count("now", c.Now)
		e.text("change", string(c.Change))
	})
	e.close('}')
}

func (e *encoder) numberChanges(key, name string, list []verdict.NumberChange) {
	objects(e, key, list, func(c *verdict.NumberChange) {
		e.text(name, c.Name)
		e.float("before", c.Before)
		e.float("now", c.Now)
		e.text("change", string(c.Change))
	})
}

var againstColumns = []terminal.Column{{Head: "Against the earlier report", Left: true}, {Head: "Before"}, {Head: "Now"}, {Head: "Change", Left: true}}

// appendAgainst appends what changed since the earlier report, and how much did not.
func (p *painter) appendAgainst(dst []byte, a *verdict.Against, width int) []byte {
	if a == nil {
		return dst
	}
	t := p.Table(againstColumns)
	same := uint64(0)
	add := func(name, before, now string, c verdict.Change) {
		if c == verdict.Same {
			same++
			return
		}
		t.Rows = append(t.Rows, []terminal.Cell{p.Plain(terminal.Escaped(name)), p.Plain(before), p.Plain(now), {Text: string(c), Style: p.change(c)}})
	}
	for _, list := range [][]verdict.NumberChange{a.Numbers, a.Budgets} {
		for i := range list {
			c := &list[i]
			add(c.Name, c.Format(c.Before), c.Format(c.Now), c.Change)
		}
	}
	for i := range a.Findings {
		c := &a.Findings[i]
		add(c.Name(), strconv.FormatUint(c.Before, 10), strconv.FormatUint(c.Now, 10), c.Change)
	}
	dst = append(dst, '\n')
	if len(t.Rows) > 0 {
		t.Fit(width)
		dst = t.Append(dst)
	}
	line := "Nothing differs from " + render.Logged(a.Path) + " beyond chance and " + percentOf(a.Tolerance) + "."
	if len(t.Rows) > 0 {
		line = "Beyond chance and " + percentOf(a.Tolerance) + "; of " + render.Logged(a.Path) + ". As before: " + terminal.Counted(same, "number") + " or findings."
	}
	return append(terminal.AppendStyled(dst, p.Derived, line), '\n')
}

func percentOf(v float64) string { return strconv.FormatFloat(v*100, 'g', 4, 64) + "%" }

// change is the style of a change.
func (p *painter) change(c verdict.Change) render.Style {
	switch c {
	case verdict.Worse, verdict.New, verdict.More:
		return p.Error
	}
	return p.Note
}
