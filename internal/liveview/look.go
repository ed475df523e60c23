package liveview

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/sampler"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// From these on numbers are shown as a problem, in percent.
const (
	lossWarn, lossBad       = 1, 5
	retryWarn               = 2 // as in the tables of the analysis
	qualityWarn, qualityBad = 95, 80
)

const wide = 110 // columns from where on there is room for dialects and versions

// A look makes cells in the styles of a palette.
type look struct{ terminal.Painter }

// newLook is that of a view. Without colour the terminal's own emphasis stays: a picked
// row must be told from others.
func newLook(color bool) *look {
	if color {
		return lookOf(terminal.Colours())
	}
	return lookOf(terminal.Emphasis())
}

func lookOf(p render.Palette) *look { return &look{terminal.Painter{Palette: p}} }

// count is a counter, in a style where it is not 0.
func (l *look) count(d *sampler.Dir, c measure.Counter, s render.Style) terminal.Cell {
	return l.Maybe(uint64(d.Counts[c]), d.Knows.Has(c), s)
}

// whole is a value without fraction.
func (l *look) whole(v sampler.Value) terminal.Cell {
	return l.Maybe(uint64(max(0, v.V)+0.5), v.Known, render.Style{})
}

// millis is a value in ms, dim when it is old.
func (l *look) millis(v sampler.Value, stale bool) terminal.Cell {
	if !v.Known {
		return l.Unknown()
	}
	c := l.Plain(terminal.Millis(int64(v.V * 1e6)))
	if stale {
		c.Style = l.Derived
	}
	return c
}

// percent is a share; what is not 0 is never shown as 0.
func (l *look) percent(v sampler.Value, warn, bad float64) terminal.Cell {
	if !v.Known {
		return l.Unknown()
	}
	c := terminal.Cell{Text: terminal.PerHundred(v.V)}
	switch {
	case v.V == 0:
		c.Style, c.Dim = l.Derived, true
	case v.V >= bad:
		c.Style = l.Error
	case v.V >= warn:
		c.Style = l.Warn
	}
	return c
}

// quality is rounded down: 100 is perfect.
func (l *look) quality(v sampler.Value) terminal.Cell {
	if !v.Known {
		return l.Unknown()
	}
	c := l.Plain(strconv.Itoa(int(math.Floor(v.V))))
	switch {
	case v.V < qualityBad:
		c.Style = l.Error
	case v.V < qualityWarn:
		c.Style = l.Warn
	}
	return c
}

// rate is bytes in a second.
func (l *look) rate(v float64) terminal.Cell {
	if v < 0.5 {
		return l.Count(0)
	}
	return l.Plain(terminal.Size(uint64(v+0.5)) + "/s")
}

// often is how many in a second; what is rare has a fraction.
func (l *look) often(v float64) terminal.Cell {
	switch {
	case v <= 0:
		return l.Count(0)
	case v < 9.95:
		return l.Plain(strconv.FormatFloat(max(v, 0.1), 'f', 1, 64) + "/s")
	}
	return l.Plain(strconv.FormatFloat(v, 'f', 0, 64) + "/s")
}

// findings are those of the worst severity: "2 err".
func (l *look) findings(n [3]uint64) terminal.Cell {
	for s, name := range [...]string{conform.Error: "err", conform.Warn: "warn", conform.Note: "note"} {
		if n[s] > 0 {
			return terminal.Cell{Text: strconv.FormatUint(n[s], 10) + " " + name, Style: terminal.SeverityStyle(&l.Palette, conform.Severity(s))}
		}
	}
	return l.Count(0)
}

func (l *look) state(r *sampler.Row) terminal.Cell {
	c := terminal.Cell{Text: r.State.String(), Style: terminal.StateStyle(&l.Palette, r.State)}
	if r.State == session.StateUnknown && r.Over {
		c.Text = "silent"
	}
	return c
}

// ending is the state, and by whom or by what it was ended.
func (l *look) ending(r *sampler.Row) terminal.Cell {
	c := l.state(r)
	switch r.ClosedBy {
	case session.SideA:
		c.Text += " by " + r.Who(0)
	case session.SideB:
		c.Text += " by " + r.Who(1)
	case session.BothSides:
		c.Text += " by both"
	}
	if r.Why != "" {
		c.Text += ": " + r.Why
	}
	return c
}

// clock is a duration for a narrow column: "7s", "1:23", "2:03:04", "3d04h".
func clock(ns int64) string {
	s := ns / 1e9
	switch {
	case s < 60:
		return strconv.FormatInt(s, 10) + "s"
	case s < 3600:
		return strconv.FormatInt(s/60, 10) + ":" + two(s%60)
	case s < 86400:
		return strconv.FormatInt(s/3600, 10) + ":" + two(s/60%60) + ":" + two(s%60)
	}
	return strconv.FormatInt(s/86400, 10) + "d" + two(s/3600%24) + "h"
}

func two(n int64) string { return string([]byte{'0' + byte(n/10), '0' + byte(n%10)}) }

// width counts the columns that a text without sequences takes.
func width(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return terminal.Width(s)
		}
	}
	return len(s)
}
