package report

import (
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/internal/timeline"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// bars are the heights of a sparkline, from nothing on.
var bars = []rune(" ▁▂▃▄▅▆▇█")

// sparkNames is how wide the names before a sparkline are, sparkFigures what is after it.
const (
	sparkNames   = 16
	sparkFigures = 26
	leastSpark   = 10
)

// WriteIntervalText writes sparklines of each direction, as wide as the text may be: where
// there are more intervals than columns, a column stands for several.
func WriteIntervalText(w io.Writer, x *Intervals, o TextOptions) error {
	return x.writeConns(w, o, max(leastSpark, o.width()-sparkNames-sparkFigures), func(b *strings.Builder, sides [2][]*timeline.Interval, g grid) {
		clock := g.clock(o.Clock)
		fmt.Fprintf(b, "  %s to %s, a column is %s\n", clock(g.from), clock(g.to), g.stepText())
		for dir, list := range sides {
			g.rows(b, dissect.Dir(dir), list)
		}
	})
}

// width counts the columns that the text may have.
func (o *TextOptions) width() int {
	if o.Width <= 0 {
		return terminal.DefaultWidth
	}
	return o.Width
}

// writeConns draws connection by connection, on a grid of so many columns each.
func (x *Intervals) writeConns(w io.Writer, o TextOptions, columns int, draw func(b *strings.Builder, sides [2][]*timeline.Interval, g grid)) error {
	if len(x.Conns) == 0 {
		_, err := io.WriteString(w, None(o.Chosen))
		return err
	}
	for i, c := range x.Conns {
		var b strings.Builder
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(connHead(c, o))
		sides := [2][]*timeline.Interval{x.Of(c, 0), x.Of(c, 1)}
		if g, ok := newGrid(sides, x.Length, columns); ok {
			draw(&b, sides, g)
		} else {
			b.WriteString("  no frame of it has a time\n")
		}
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}

// connHead is the line above what is drawn of a connection, or several where there is no
// room for one.
func connHead(c *session.Conn, o TextOptions) string {
	p := newPainter(&o)
	name, a, b := fmt.Sprintf("connection %d  %s", c.ID, c.Protocol.Name), "  a "+p.end(c.A), "  b "+p.end(c.B)
	gap := ""
	if terminal.Width(name+a+b) > o.width() {
		gap = "\n"
	}
	return string(terminal.AppendStyled(nil, o.Palette.Heading, name+gap+a+gap+b)) + "\n"
}

// A grid says which column shows which time. What lies between its ends may be more ns than
// an int64 holds.
type grid struct{ from, to, step int64 }

// span is the length of the grid, in ns.
func (g grid) span() uint64 { return uint64(g.to) - uint64(g.from) }

func newGrid(sides [2][]*timeline.Interval, length int64, columns int) (g grid, ok bool) {
	for _, list := range sides {
		if len(list) == 0 {
			continue
		}
		from, to := list[0].From, list[len(list)-1].To
		if !ok {
			g.from, g.to, ok = from, to, true
		}
		g.from, g.to = min(g.from, from), max(g.to, to)
	}
	intervals := max(1, g.span()/uint64(length))
	g.step = int64(steps(intervals, uint64(columns)) * uint64(length))
	return g, ok
}

// clock is a clock, or that of the day in UTC, with its date where the grid has several days.
func (g grid) clock(given func(ns int64) string) func(ns int64) string {
	if given != nil {
		return given
	}
	layout := "15:04:05.000"
	if day := "2006-01-02"; utc(g.from, day) != utc(g.to, day) {
		layout = "2006-01-02 15:04:05"
	}
	return func(ns int64) string { return utc(ns, layout) }
}

// stepText is the length of a column: "1s", "5m", "1h14m30s".
func (g grid) stepText() string {
	s := time.Duration(g.step).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// columns is their number.
func (g grid) columns() int { return int(steps(g.span(), uint64(g.step))) }

// steps is the number of steps that cover a length: the last may be shorter.
func steps(length, step uint64) uint64 { return length/step + min(1, length%step) }

// column is the one that shows an interval.
func (g grid) column(v *timeline.Interval) int {
	return int((uint64(v.From) - uint64(g.from)) / uint64(g.step))
}

// rows writes the sparklines of a direction; counters that are 0 throughout are left out.
func (g grid) rows(b *strings.Builder, dir dissect.Dir, list []*timeline.Interval) {
	side := "ab"[dir : dir+1]
	for _, i := range measure.InInterval {
		if values, total := g.sums(list, i); total > 0 {
			g.row(b, side, measure.Table[i].Key, values, "sum "+thousands(total))
			side = " "
		}
	}
	trips := g.longest(list, seq.RoundTrip)
	for m, x := range seq.Measures {
		values := g.longest(list, seq.Measure(m))
		if most := peak(values); most > 0 && (m == int(seq.RoundTrip) || !slices.Equal(values, trips)) {
			g.row(b, side, strings.ToLower(x.Label)+" max", values, "most "+terminal.Millis(most))
			side = " "
		}
	}
}

// longest gives the longest time of a measure by columns, in ns.
func (g grid) longest(list []*timeline.Interval, m seq.Measure) []int64 {
	values := make([]int64, g.columns())
	for _, v := range list {
		i := g.column(v)
		values[i] = max(values[i], v.Times(m).Max)
	}
	return values
}

func (g grid) row(b *strings.Builder, side, name string, values []int64, figure string) {
	name = strings.ReplaceAll(name, "_", " ")
	if name == "unneeded retries" {
		name = "unneeded"
	}
	fmt.Fprintf(b, "%s %-*s %s %s\n", side, sparkNames-3, name, spark(values), figure)
}

func peak(values []int64) (most int64) {
	for _, v := range values {
		most = max(most, v)
	}
	return most
}

// spark draws values from 0 to the highest. What is not 0 has a bar.
func spark(values []int64) string {
	most := peak(values)
	line := make([]rune, len(values))
	for i, v := range values {
		if most == 0 || v == 0 {
			line[i] = bars[0]
			continue
		}
		line[i] = bars[1+eighths(v, most)]
	}
	return string(line)
}

// eighths is in which eighth of 1 to most a value lies, from 0 on. It is exact for values of
// any size: floating point would round the highest up to a ninth.
func eighths(v, most int64) int {
	hi, lo := bits.Mul64(uint64(v-1), 8)
	n, _ := bits.Div64(hi, lo, uint64(most))
	return int(n)
}

// thousands is a whole number with its thousands apart.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
