package terminal

import (
	"fmt"
	"strconv"

	"github.com/dpdissect/dpdissect/dissect/render"
)

// significant writes a value of at least 1 with three digits or all of its
// whole ones: "1.23", "12.3", "123", "1234".
func significant(v float64) string {
	switch {
	case v < 9.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 99.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// Size is a number of bytes for people: "812 B", "1.23 MB".
func Size(n uint64) string {
	if n < 1000 {
		return strconv.FormatUint(n, 10) + " B"
	}
	v := float64(n)
	for _, unit := range []string{"kB", "MB", "GB"} {
		if v /= 1000; v < 999.5 {
			return significant(v) + " " + unit
		}
	}
	return significant(v/1000) + " TB"
}

// Millis is a round trip: always in ms, so that a column can be compared.
func Millis(ns int64) string { return significant(float64(ns)/1e6) + " ms" }

// Span is a duration for people: "850 ms", "62.4 s", "1h03m12s".
func Span(ns int64) string {
	sec := ns / 1e9
	switch {
	case ns < 0:
		return "unknown time"
	case ns < 1e9:
		return Millis(ns)
	case sec < 120:
		return significant(float64(ns)/1e9) + " s"
	case sec < 3600:
		return fmt.Sprintf("%dm%02ds", sec/60, sec%60)
	}
	return fmt.Sprintf("%dh%02dm%02ds", sec/3600, sec/60%60, sec%60)
}

// Percent is a share; what is not 0 is never shown as 0.
func Percent(part, whole uint64) string {
	if part == 0 {
		return "0%"
	}
	return PerHundred(100 * float64(part) / float64(whole))
}

// PerHundred is Percent of a share that is known by the hundred.
func PerHundred(p float64) string {
	switch {
	case p == 0:
		return "0%"
	case p < 0.05:
		return "<0.1%"
	case p < 9.95:
		return strconv.FormatFloat(p, 'f', 1, 64) + "%"
	}
	return strconv.FormatFloat(p, 'f', 0, 64) + "%"
}

// Counted is a number with its noun: "1 packet", "2 packets".
func Counted(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatUint(n, 10) + " " + noun + "s"
}

// Escaped makes text harmless for a terminal.
func Escaped(s string) string { return string(render.AppendEscaped(nil, s)) }

// A Painter makes cells in the colours of a palette.
type Painter struct{ render.Palette }

func (p *Painter) Plain(text string) Cell { return Cell{Text: text} }

func (p *Painter) Unknown() Cell { return Cell{Text: "-", Style: p.Derived, Dim: true} }

// Count is a number without judgement; 0 is dim.
func (p *Painter) Count(n uint64) Cell { return p.Judged(n, render.Style{}) }

// Judged is a number that is in the style unless it is 0.
func (p *Painter) Judged(n uint64, s render.Style) Cell {
	if n == 0 {
		return Cell{Text: "0", Style: p.Derived, Dim: true}
	}
	return Cell{Text: strconv.FormatUint(n, 10), Style: s}
}

// Maybe is a number that may be unknown.
func (p *Painter) Maybe(n uint64, known bool, s render.Style) Cell {
	if !known {
		return p.Unknown()
	}
	return p.Judged(n, s)
}

// Share is a percentage of something, unknown when there is none of it.
func (p *Painter) Share(part, whole uint64, s render.Style) Cell {
	switch {
	case whole == 0:
		return p.Unknown()
	case part == 0:
		return Cell{Text: "0%", Style: p.Derived, Dim: true}
	}
	return Cell{Text: Percent(part, whole), Style: s}
}
