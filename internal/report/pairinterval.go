package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/compare"
	"github.com/dpdissect/dpdissect/internal/plot"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/internal/timeline"
)

// A pairInterval is the record of an interval of two captures of one session.
type pairInterval struct {
	Schema     string `json:"schema"`
	Connection int    `json:"connection"`
	Direction  string `json:"direction"`
	compare.Interval
}

// eachPairInterval calls f for all intervals of a document, as records.
func eachPairInterval(d *compare.Document, f func(record []byte) error) error {
	for i := range d.Connections {
		c := &d.Connections[i]
		for _, side := range []string{"a", "b"} {
			for k := range c.Directions[side].Intervals {
				b, err := json.Marshal(pairInterval{IntervalSchema, c.ID, side, c.Directions[side].Intervals[k]})
				if err == nil {
					err = f(b)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// WritePairIntervalRecords writes a record a line.
func WritePairIntervalRecords(w io.Writer, d *compare.Document) error {
	return eachPairInterval(d, func(record []byte) error {
		_, err := w.Write(append(record, '\n'))
		return err
	})
}

// WritePairIntervalJSON writes one document: an array of the records.
func WritePairIntervalJSON(w io.Writer, d *compare.Document) error {
	var doc render.Document
	err := eachPairInterval(d, func(record []byte) error {
		_, err := w.Write(doc.AppendRecord(nil, record))
		return err
	})
	if err == nil {
		_, err = w.Write(doc.AppendEnd(nil))
	}
	return err
}

// WritePairIntervalCSV writes a line for each interval.
func WritePairIntervalCSV(w io.Writer, d *compare.Document) error {
	t := newRecordTable(strings.Fields(`connection direction from to sent delivered lost_between copies reordered
		one_way_ms.samples one_way_ms.min one_way_ms.p50 one_way_ms.p95 one_way_ms.max one_way_ms.bound_ms queue_ms.p50 queue_ms.p95 queue_ms.max`)...)
	if _, err := w.Write(t.AppendHeader(nil)); err != nil {
		return err
	}
	return eachPairInterval(d, func(record []byte) error {
		_, err := w.Write(t.AppendRow(nil, record))
		return err
	})
}

// WritePairIntervalText writes sparklines of each direction: what was sent and lost between the
// points, and how long it was on its way.
func WritePairIntervalText(w io.Writer, d *compare.Document, length int64, o TextOptions) error {
	columns := max(leastSpark, o.width()-sparkNames-sparkFigures)
	return writePairIntervals(w, d, length, o, columns, func(b *strings.Builder, c *compare.Connection, sides [2][]*timeline.Interval, g grid) {
		for dir, side := range []string{"a", "b"} {
			g.pairRows(b, side, c.Directions[side].Intervals, sides[dir])
		}
	})
}

// WritePairIntervalPlots writes plots of the same.
func WritePairIntervalPlots(w io.Writer, d *compare.Document, length int64, o TextOptions) error {
	columns := max(leastSpark, o.width()-plotLabels)
	return writePairIntervals(w, d, length, o, plot.Dots(columns), func(b *strings.Builder, c *compare.Connection, sides [2][]*timeline.Interval, g grid) {
		v := &plotter{b, o, columns, g}
		for dir, side := range []string{"a", "b"} {
			v.pairSide(side, c.Directions[side].Intervals, sides[dir])
		}
	})
}

// writePairIntervals writes what f tells of each connection below what both captures are.
func writePairIntervals(w io.Writer, d *compare.Document, length int64, o TextOptions, columns int,
	f func(b *strings.Builder, c *compare.Connection, sides [2][]*timeline.Interval, g grid)) error {
	var b strings.Builder
	for _, line := range append(ComparedPoints(d), ComparedClocks(d)...) {
		b.WriteString(terminal.Escaped(line) + "\n")
	}
	for i := range d.Connections {
		c := &d.Connections[i]
		head := strings.TrimSpace(fmt.Sprintf("connection %d  %s", c.ID, c.Protocol)) + "  " + c.Who()
		fmt.Fprintf(&b, "\n%s\n", terminal.AppendStyled(nil, o.Palette.Heading, terminal.Escaped(head)))
		var sides [2][]*timeline.Interval
		for dir, side := range []string{"a", "b"} {
			sides[dir] = spansOf(c.Directions[side].Intervals)
		}
		g, ok := newGrid(sides, length, columns)
		if !ok {
			b.WriteString("  nothing of it has a time\n")
			continue
		}
		clock := g.clock(o.Clock)
		fmt.Fprintf(&b, "  %s to %s, a column is %s\n", clock(g.from), clock(g.to), g.stepText())
		f(&b, c, sides, g)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// pairSide writes the plots of a direction above the axis of time. Counts that are 0 throughout are left out.
func (v *plotter) pairSide(side string, list []compare.Interval, at []*timeline.Interval) {
	some := false
	for _, x := range pairFigures {
		values, total := v.grid.pairValues(&x, list, at)
		if total <= 0 {
			continue
		}
		some = true
		if x.sum {
			whole := func(n float64) string { return thousands(int64(n)) }
			v.plot(side+" "+x.name+": sum "+thousands(total), " in "+v.grid.stepText(), areas(values, 1), whole, 3, v.o.Palette.Protocol)
			continue
		}
		v.plot(side+" "+x.name+": longest of each column", "", areas(values, 1), func(n float64) string { return terminal.Millis(int64(n)) }, 4, v.o.Palette.Protocol)
	}
	if some {
		v.axis()
	}
}

// spansOf are the times of intervals.
func spansOf(list []compare.Interval) (out []*timeline.Interval) {
	for i := range list {
		var t [2]int64
		for k, s := range []string{list[i].From, list[i].To} {
			at, err := time.Parse(time.RFC3339Nano, s)
			if err != nil {
				return nil
			}
			t[k] = at.UnixNano()
		}
		out = append(out, &timeline.Interval{From: t[0], To: t[1]})
	}
	return out
}

// A pairFigure is what is shown over time of a direction that two captures have.
type pairFigure struct {
	name string
	sum  bool // else the greatest counts
	of   func(v *compare.Interval) int64
}

var pairFigures = []pairFigure{
	{"sent", true, func(v *compare.Interval) int64 { return int64(v.Sent) }},
	{"lost between", true, func(v *compare.Interval) int64 { return int64(v.Lost) }},
	{"copies", true, func(v *compare.Interval) int64 { return int64(v.Copies) }},
	{"reordered", true, func(v *compare.Interval) int64 { return int64(v.Reordered) }},
	{"one way max", false, func(v *compare.Interval) int64 {
		if v.OneWay == nil {
			return 0
		}
		return int64(v.OneWay.Max * 1e6)
	}},
	{"queue max", false, func(v *compare.Interval) int64 {
		if v.Queue == nil {
			return 0
		}
		return int64(v.Queue.Max * 1e6)
	}},
}

// pairValues are a figure by columns, and its sum.
func (g grid) pairValues(x *pairFigure, list []compare.Interval, at []*timeline.Interval) (values []int64, total int64) {
	values = make([]int64, g.columns())
	for i := range at {
		n, k := x.of(&list[i]), g.column(at[i])
		if total += n; x.sum {
			values[k] += n
		} else {
			values[k] = max(values[k], n)
		}
	}
	return values, total
}

// pairRows writes the sparklines of a direction. Counts that are 0 throughout are left out.
func (g grid) pairRows(b *strings.Builder, side string, list []compare.Interval, at []*timeline.Interval) {
	for _, x := range pairFigures {
		values, total := g.pairValues(&x, list, at)
		if total <= 0 {
			continue
		}
		figure := "sum " + thousands(total)
		if !x.sum {
			figure = "most " + terminal.Millis(peak(values))
		}
		g.row(b, side, x.name, values, figure)
		side = " "
	}
}
