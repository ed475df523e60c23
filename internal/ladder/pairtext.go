package ladder

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/internal/compare"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// A pairWriter draws the ladder of a pair as text: on the left the frames and the clock of point
// 1, on the right those of point 2. An arrow that others cross takes two lines, each in its
// place in time.
type pairWriter struct {
	textWriter
	bend    int // the column in which such an arrow turns down
	flying  []*Row
	numbers int // columns of frames
}

// WritePairText draws the ladder of a pair for people.
func WritePairText(w io.Writer, p *Pair, o TextOptions) error {
	t := &pairWriter{textWriter: textWriter{Writer: bufio.NewWriter(w), glyphs: unicodeGlyphs, palette: o.Palette}}
	if o.ASCII {
		t.glyphs = asciiGlyphs
	}
	if o.Width <= 0 {
		o.Width = usualWidth
	}
	t.measure(p, o.Width)
	t.head(p)
	for i := range p.Rows {
		next := int64(0)
		if i+1 < len(p.Rows) {
			next = p.Rows[i+1].Time
		}
		t.row(&p.Rows[i], next, i+1 == len(p.Rows))
	}
	t.land(1<<63-1, true)
	t.foot(&Ladder{Rows: p.Rows, Frames: len(p.Every)})
	return t.Flush()
}

// measure gives the columns their widths.
func (t *pairWriter) measure(p *Pair, width int) {
	t.numbers, t.clock = 5, 8
	for i := range p.Rows {
		if w := p.Rows[i].Way; w != nil {
			for at := range w.Frames {
				t.numbers, t.clock = max(t.numbers, len(strconv.FormatUint(w.Frames[at], 10))), max(t.clock, len(w.Clocks[at]))
			}
		}
	}
	t.frame = t.numbers
	t.width = max(leastLane, width-2*(t.numbers+1+t.clock+1)-len("> ")-2*len("|"))
	t.bend = t.width * 3 / 5
}

// head says which connection it is, what the clocks differ by, and names the lifelines.
func (t *pairWriter) head(p *Pair) {
	whole := t.indent() + 2 + t.width
	t.line(styled(t.palette.Heading, clip(escaped(p.title()), whole+t.clock, t.more)))
	for _, s := range report.ComparedClocks(p.Doc) {
		for _, line := range wrap(escaped(s), whole+t.clock) {
			t.line(line)
		}
	}
	left := p.left()
	for _, x := range [][2]string{{escaped(p.Doc.Points[0].Name), escaped(p.Doc.Points[1].Name)}, {p.SideName(left), p.SideName(left.Other())}} {
		t.ends(x[0], x[1])
	}
}

// ends writes what stands above the lifelines.
func (t *pairWriter) ends(a, b string) {
	a, b = clip(a, t.width+t.indent(), t.more), clip(b, t.width+t.indent(), t.more)
	pad := strings.Repeat(" ", max(0, t.indent()-12))
	if room := t.indent() + t.width + 2 + 12 - len(pad) - terminal.Width(a) - terminal.Width(b); room >= 2 {
		t.line(pad + a + strings.Repeat(" ", room) + b)
		return
	}
	t.line(pad + a)
	t.line(strings.Repeat(" ", max(0, t.indent()+t.width+2+12-terminal.Width(b))) + b)
}

// row draws a row, after what arrived before it. next is the time of the next row.
func (t *pairWriter) row(r *Row, next int64, last bool) {
	t.land(r.Time, r.Kind == Pause)
	if r.Kind == Pause {
		t.line(strings.Repeat(" ", t.indent()) + t.gap + styled(t.palette.Derived, centred(r.Label, t.width)) + t.gap)
		return
	}
	w := r.Way
	frames := [2]string{number(w.Frames[0]), number(w.Frames[1])}
	clocks, whole := w.Clocks, true
	if w.split() && r.Kind != Run && (!last && next < w.End || len(t.flying) > 0 && t.flying[0].Way.End < w.End) {
		whole = false
		frames[1-w.from()], clocks[1-w.from()] = "", ""
		at, _ := slices.BinarySearchFunc(t.flying, w.End+1, func(x *Row, end int64) int { return int(min(1, max(-1, x.Way.End-end))) })
		t.flying = slices.Insert(t.flying, at, r)
	}
	t.both(r.Focus, frames, clocks, t.way(r, whole))
	t.remarks(t.joined(r.remarks()), w.Right)
}

// joined puts short remarks into one line.
func (t *pairWriter) joined(all []remark) (out []remark) {
	for _, x := range all {
		if n := len(out); n > 0 && terminal.Width(escaped(out[n-1].text+", "+x.text)) <= t.width-2 {
			out[n-1].text += ", " + x.text
			continue
		}
		out = append(out, x)
	}
	return out
}

// land draws the heads of arrows that arrive before a time, or of all.
func (t *pairWriter) land(before int64, all bool) {
	for len(t.flying) > 0 && (all || t.flying[0].Way.End <= before) {
		w := t.flying[0].Way
		t.flying = t.flying[1:]
		var frames, clocks [2]string
		to := 1 - w.from()
		frames[w.from()] = "(" + number(w.Frames[w.from()]) + ")"
		frames[to], clocks[to] = number(w.Frames[to]), w.Clocks[to]
		t.both(false, frames, clocks, t.arrival(w))
	}
}

func number(frame uint64) string {
	if frame == 0 {
		return ""
	}
	return strconv.FormatUint(frame, 10)
}

// both writes a line with the frames and clocks of both points.
func (t *pairWriter) both(focus bool, frames, clocks [2]string, lane string) {
	mark := " "
	if focus {
		mark = ">"
	}
	head := fmt.Sprintf("%s %*s %*s ", mark, t.numbers, frames[0], t.clock, clocks[0])
	if focus {
		head = styled(t.palette.Highlight, strings.TrimRight(head, " ")) + strings.Repeat(" ", len(head)-len(strings.TrimRight(head, " ")))
	}
	t.line(head + t.life + lane + t.life + fmt.Sprintf(" %-*s %s", t.clock, clocks[1], frames[1]))
}

// way draws what goes from one lifeline to the other, or as far as it comes.
func (t *pairWriter) way(r *Row, whole bool) string {
	w := r.Way
	head, corner := t.right, t.rightDown
	if !w.Right {
		head, corner = t.left, t.leftDown
	}
	var parts []string
	switch {
	case !whole:
		s, n := t.label(r, t.bend-4)
		parts = []string{t.shaft, " ", s, " ", strings.Repeat(t.shaft, t.bend-3-n), corner, strings.Repeat(" ", t.width-t.bend-1)}
	case r.Kind == Run:
		parts = t.arrives(r, t.double, head)
	case w.Fate == compare.Delivered:
		parts = t.arrives(r, t.shaft, head)
	case w.Fate == compare.LostBetween, w.Fate == compare.Uncertain, w.Fate == compare.Outside && w.Frames[w.from()] != 0:
		line, end := t.shaft, styled(t.palette.Error, t.broken)
		if w.Fate == compare.Uncertain {
			line, end = t.dash, "?"
		} else if w.Fate == compare.Outside {
			line, end = t.dash, " "
		}
		s, n := t.label(r, t.bend-4)
		parts = []string{line, " ", s, " ", strings.Repeat(line, t.bend-3-n), end, strings.Repeat(" ", t.width-t.bend-1)}
	case w.Fate == compare.LostBefore:
		s, n := t.label(r, t.width-4)
		parts = []string{" ", styled(t.palette.Error, t.broken), " ", s, strings.Repeat(" ", t.width-3-n)}
	default: // it arrived, or was seen where it arrived alone
		parts = t.arrives(r, t.dash, head)
	}
	if !w.Right {
		slices.Reverse(parts)
	}
	return strings.Join(parts, "")
}

// arrives is a whole arrow that says how long it was on its way: "─ label ──── 20.2 ms ─→".
func (t *pairWriter) arrives(r *Row, line, head string) []string {
	long := r.lengths()
	if long == "" {
		return t.whole(r, line, head)
	}
	s, n := t.label(r, t.width-9-len(long))
	return []string{line, " ", s, " ", strings.Repeat(line, t.width-7-n-len(long)), " ", long, " ", line, head}
}

// arrival is the head of an arrow that left in an earlier line.
func (t *pairWriter) arrival(w *Way) string {
	head, corner := t.right, t.downRight
	if !w.Right {
		head, corner = t.left, t.downLeft
	}
	long := w.length()
	room := max(1, t.width-t.bend-5-len(long))
	parts := []string{strings.Repeat(" ", max(0, t.width-room-5-len(long))), corner, strings.Repeat(t.shaft, room), " ", long, " ", t.shaft, head}
	if !w.Right {
		slices.Reverse(parts)
	}
	return strings.Join(parts, "")
}
