package report

import (
	"math"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/internal/timeline"
	"github.com/dpdissect/dpdissect/session"
)

// TestSpark checks that the highest value has the highest bar, however large it is: a round
// trip of 104 days and more, in ns, is beyond what floating point counts in steps of one.
func TestSpark(t *testing.T) {
	for _, c := range []struct {
		values []int64
		want   string
	}{
		{[]int64{0, 1, 2, 3, 4, 5, 6, 7, 8}, " ▁▂▃▄▅▆▇█"},
		{[]int64{0, 0}, "  "},
		{[]int64{1}, "▁"},
		{[]int64{1 << 53, 1<<53 + 2}, "██"},
		{[]int64{9_007_199_254_740_993, 1}, "█▁"},
		{[]int64{math.MaxInt64, math.MaxInt64 / 2, 1, 0}, "█▄▁ "},
	} {
		if got := spark(c.values); got != c.want {
			t.Errorf("%v is drawn as %q, want %q", c.values, got, c.want)
		}
	}
}

// TestGrid checks that every interval has a column, also where the ends of the grid are
// further apart than an int64 counts ns.
func TestGrid(t *testing.T) {
	const first, last = math.MinInt64, math.MaxInt64
	for _, c := range [][3]int64{{0, 1, 1}, {0, 9, 2}, {5, last, 1e9}, {first, last, 1}, {first, last, 1e9}, {first, last, last}, {last - 1, last, 1e9}, {first, first + 7, 10}} {
		from, to, length := c[0], c[1], c[2]
		v, w := &timeline.Interval{From: from, To: min(to, from+1)}, &timeline.Interval{From: to - 1, To: to}
		g, ok := newGrid([2][]*timeline.Interval{{v}, {w}}, length, 80)
		if !ok || g.step < length || g.columns() < 1 || g.columns() > 81 {
			t.Errorf("%v: step %d, %d columns", c, g.step, g.columns())
		}
		if a, b := g.column(v), g.column(w); a != 0 || b < 0 || b >= g.columns() {
			t.Errorf("%v: intervals stand in columns %d and %d of %d", c, a, b, g.columns())
		}
		g.clock(nil)(g.from)
		g.stepText()
	}
}

// TestIntervalTextKeepsItsWidth: the sparklines fill the width and go no further, where a
// terminal would break each line in two.
func TestIntervalTextKeepsItsWidth(t *testing.T) {
	c := signedConn()
	var list []*timeline.Interval
	for i := range int64(5000) {
		v := &timeline.Interval{From: i * 1e9, To: (i + 1) * 1e9}
		v.Counts[measure.Frames] = 123_456_789 + i
		list = append(list, v)
	}
	x := &Intervals{Conns: []*session.Conn{c}, Of: func(*session.Conn, dissect.Dir) []*timeline.Interval { return list }, Length: 1e9}
	for _, width := range []int{80, 120, 200} {
		var b strings.Builder
		if err := WriteIntervalText(&b, x, TextOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		widest := 0
		for line := range strings.Lines(b.String()) {
			widest = max(widest, terminal.Width(strings.TrimSuffix(line, "\n")))
		}
		if widest > width || widest < width/2 {
			t.Errorf("the widest line has %d columns of %d:\n%s", widest, width, b.String())
		}
	}
}
