//go:build !js

package liveview

import (
	"math"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/plot"
	"github.com/dpdissect/dpdissect/internal/sampler"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

const (
	plotRows    = 2
	plotGap     = 3
	leastPlot   = 24 // columns from where on two plots stand side by side
	leastLoss   = 5  // percent: what a plot of losses reaches up to at least
	longestStep = int64(sampler.TrailStep) * 3
)

// A gauge is one measure of the sides that is plotted.
type gauge struct {
	name  string
	of    func(p *sampler.Pace) float32
	unit  func(v float64) string
	least float64 // the plot reaches up to it at least
	style func(l *look) render.Style
}

var gauges = []gauge{
	{"ping", func(p *sampler.Pace) float32 { return p.Ping }, func(v float64) string { return terminal.Millis(int64(v * 1e6)) }, 0,
		func(l *look) render.Style { return l.Palette.Protocol }},
	{"ack wait", func(p *sampler.Pace) float32 { return p.Wait }, func(v float64) string { return terminal.Millis(int64(v * 1e6)) }, 0,
		func(l *look) render.Style { return l.Palette.Protocol }},
	{"loss", func(p *sampler.Pace) float32 { return p.Loss }, terminal.PerHundred, leastLoss, func(l *look) render.Style { return l.Error }},
	{"rate", func(p *sampler.Pace) float32 { return p.Rate }, func(v float64) string { return terminal.Size(uint64(v+0.5)) + "/s" }, 0,
		func(l *look) render.Style { return l.Palette.Protocol }},
}

// plots are those of the last minutes: what a sends on the left, what b sends on the right,
// or below where there is no room.
func (m *model) plots(r *sampler.Row) (lines []string) {
	if len(r.Trail) < 2 {
		return nil
	}
	columns := (m.width - 1 - plotGap) / 2
	if columns < leastPlot {
		columns = max(1, m.width-1)
		for i := range gauges {
			lines = append(append(lines, m.plot(&gauges[i], r, 0, columns)...), m.plot(&gauges[i], r, 1, columns)...)
		}
		return append(lines, m.plotTimes(r, columns))
	}
	for i := range gauges {
		right := m.plot(&gauges[i], r, 1, columns)
		for k, left := range m.plot(&gauges[i], r, 0, columns) {
			lines = append(lines, left+strings.Repeat(" ", plotGap-1)+right[k])
		}
	}
	times := m.plotTimes(r, columns)
	return append(lines, times+strings.Repeat(" ", plotGap-1)+times)
}

// plot draws one measure of a side below its name and its greatest value.
func (m *model) plot(g *gauge, r *sampler.Row, dir, columns int) []string {
	spans := g.spans(r.Trail, dir, plot.Dots(columns))
	head, most := g.name+" "+[]string{"a → b", "b → a"}[dir], "unknown"
	for _, s := range spans {
		if s.Some {
			most = "most " + g.unit(plot.Top(spans))
			break
		}
	}
	lines := []string{" " + styled(head, m.look.Heading) + pad(most, columns-width(head))}
	for _, line := range plot.Lines(spans, columns, plotRows, max(plot.Top(spans), g.least)) {
		lines = append(lines, " "+styled(line, g.style(m.look)))
	}
	return lines
}

// pad puts a text at the right end of so many columns.
func pad(text string, columns int) string {
	return strings.Repeat(" ", max(1, columns-width(text))) + text
}

// spans spreads a measure over steps of time, from the first moment to the last. A moment
// stands for the time since the one before, unless that is long ago.
func (g *gauge) spans(trail []sampler.Moment, dir, dots int) []plot.Span {
	spans := make([]plot.Span, dots)
	first, last := trail[0].At, trail[len(trail)-1].At
	at := func(t int64) int { return int(float64(t-first) / float64(last-first) * float64(dots)) }
	for i := 1; i < len(trail); i++ {
		v := float64(g.of(&trail[i].Dir[dir]))
		if math.IsNaN(v) {
			continue
		}
		from := max(trail[i-1].At, trail[i].At-longestStep)
		for x := at(from); x < max(at(trail[i].At), at(from)+1) && x < dots; x++ {
			spans[x] = plot.Span{High: max(v, spans[x].High), Some: true}
		}
	}
	return spans
}

// plotTimes is the axis of time: how long ago the plots begin, and where they end.
func (m *model) plotTimes(r *sampler.Row, columns int) string {
	ago, end := clock(r.Trail[len(r.Trail)-1].At-r.Trail[0].At)+" before", "now"
	if r.Over {
		end = "the end"
	}
	return " " + styled(ago+pad(end, columns-width(ago)), m.look.Derived)
}
