package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/plot"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/internal/timeline"
	"github.com/dpdissect/dpdissect/session/seq"
)

// plotLabels is how wide the labels of the vertical axis are, with the axis itself.
const plotLabels = 13

// WriteIntervalPlots writes plots of what each direction sent over time, as wide as the text
// may be: its rate, retries, numbers in flight and round trips. What a direction has nothing
// of is left out.
func WriteIntervalPlots(w io.Writer, x *Intervals, o TextOptions) error {
	columns := max(leastSpark, o.width()-plotLabels)
	return x.writeConns(w, o, plot.Dots(columns), func(b *strings.Builder, sides [2][]*timeline.Interval, g grid) {
		v := &plotter{b, o, columns, g}
		for dir, list := range sides {
			if len(list) > 0 {
				v.side("ab"[dir:dir+1], list)
			}
		}
	})
}

// A plotter writes the plots of one connection.
type plotter struct {
	b       *strings.Builder
	o       TextOptions
	columns int // of a plot
	grid    grid
}

// side writes the plots of a direction above the axis of time.
func (v *plotter) side(name string, list []*timeline.Interval) {
	g, seconds := v.grid, float64(v.grid.step)/1e9
	bytes, total := g.sums(list, measure.Bytes)
	mean := float64(total) * 1e9 / float64(max(1, g.span()))
	rate := func(n float64) string { return terminal.Size(uint64(n+0.5)) + "/s" }
	whole := func(n float64) string { return thousands(int64(n)) }
	in := " in " + g.stepText()
	v.plot(name+" rate: mean "+rate(mean), in, areas(bytes, 1/seconds), rate, 4, v.o.Palette.Protocol)
	if retries, total := g.sums(list, measure.Retries); total > 0 {
		v.plot(name+" retries: sum "+thousands(total), in, areas(retries, 1), whole, 2, v.o.Palette.Warn)
	}
	if flight, some := g.inFlight(list); some {
		v.plot(name+" in flight: numbers not acknowledged", "", flight, whole, 4, v.o.Palette.Protocol)
	}
	trips := g.longest(list, seq.RoundTrip)
	for m, title := range [seq.NMeasures]string{" round trips", " waits for acknowledgement", " round trips paired", " round trips of pings"} {
		m := seq.Measure(m)
		if m > seq.RoundTrip && slices.Equal(g.longest(list, m), trips) {
			continue // nothing was sent again
		}
		if spans, least, some := g.times(list, m); some {
			ms := func(n float64) string { return terminal.Millis(int64(n)) }
			v.plot(name+title+": least "+terminal.Millis(least), "", spans, ms, 4, v.o.Palette.Protocol)
		}
	}
	v.axis()
}

// plot writes one plot below a title that ends in its greatest value, and in words after
// that. unit writes a value with its unit.
func (v *plotter) plot(title, suffix string, spans []plot.Span, unit func(float64) string, rows int, style render.Style) {
	top := plot.Top(spans)
	name, figures, _ := strings.Cut(title, ":")
	fmt.Fprintf(v.b, "%s:%s, most %s%s\n", terminal.AppendStyled(nil, v.o.Palette.Heading, name), figures, unit(top), suffix)
	for i, line := range plot.Lines(spans, v.columns, rows, top) {
		label, tick := "", "│"
		switch i {
		case 0:
			label, tick = unit(top), "┤"
		case rows - 1:
			label, tick = "0", "┤"
		}
		fmt.Fprintf(v.b, "%*s %s%s\n", plotLabels-2, label, tick, terminal.AppendStyled(nil, style, strings.TrimRight(line, " ")))
	}
}

// axis writes when the plots begin and end, and their middle where there is room.
func (v *plotter) axis() {
	clock := v.grid.clock(v.o.Clock)
	from, to := clock(v.grid.from), clock(v.grid.to)
	free := v.columns - terminal.Width(from) - terminal.Width(to)
	middle := clock(v.grid.from + int64(v.grid.span()/2))
	if rest := free - terminal.Width(middle); rest >= 4 {
		left := max(2, (v.columns-terminal.Width(middle))/2-terminal.Width(from))
		from += strings.Repeat(" ", left) + middle
		free = rest - left
	}
	line := strings.Repeat(" ", plotLabels) + from + strings.Repeat(" ", max(2, free)) + to
	fmt.Fprintf(v.b, "%s\n", terminal.AppendStyled(nil, v.o.Palette.Derived, line))
}

// areas are values as areas, each taken so many times.
func areas(values []int64, factor float64) []plot.Span {
	spans := make([]plot.Span, len(values))
	for i, n := range values {
		spans[i] = plot.Span{High: float64(n) * factor, Some: true}
	}
	return spans
}

// sums gives a counter by columns, and its sum.
func (g grid) sums(list []*timeline.Interval, c measure.Counter) (values []int64, total int64) {
	values = make([]int64, g.columns())
	for _, v := range list {
		values[g.column(v)] += v.Counts[c]
		total += v.Counts[c]
	}
	return values, total
}

// inFlight gives the most numbers in flight by columns.
func (g grid) inFlight(list []*timeline.Interval) (spans []plot.Span, some bool) {
	spans = make([]plot.Span, g.columns())
	for _, v := range list {
		if s := &spans[g.column(v)]; v.HasInFlight {
			*s = plot.Span{High: max(s.High, float64(v.InFlight.Numbers)), Some: true}
			some = true
		}
	}
	return spans, some && plot.Top(spans) > 0
}

// times gives the shortest and the longest time of a measure by columns, in ns, and the
// shortest of all.
func (g grid) times(list []*timeline.Interval, m seq.Measure) (spans []plot.Span, least int64, some bool) {
	spans = make([]plot.Span, g.columns())
	for _, v := range list {
		r := v.Times(m)
		if r.Samples == 0 {
			continue
		}
		if !some || r.Min < least {
			least, some = r.Min, true
		}
		s := &spans[g.column(v)]
		if !s.Some {
			*s = plot.Span{Low: float64(r.Min), High: float64(r.Max), Some: true}
		}
		s.Low, s.High = min(s.Low, float64(r.Min)), max(s.High, float64(r.Max))
	}
	return spans, least, some
}
