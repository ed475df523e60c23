package ladder

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// TextOptions say how WriteText draws. The zero value suits a file.
type TextOptions struct {
	Palette render.Palette
	Width   int                           // columns, 0 for 80
	ASCII   bool                          // no other characters are drawn with
	Names   func(dissect.Endpoint) string // shown for addresses; "" for none, nil for no names at all
}

// usualWidth is how wide text is where nobody said.
const usualWidth = 80

// leastLane is how wide the space between the lifelines is at least.
const leastLane = 30

// glyphs are what a ladder is drawn with: each takes one column.
type glyphs struct {
	life, gap, shaft, dash, double, right, left, broken, point, more string
	downRight, rightDown, leftDown, downLeft                         string // corners, by where the line comes from and goes to
}

var (
	unicodeGlyphs = glyphs{"│", "┊", "─", "╌", "═", "→", "←", "╳", "┊", "…", "╰", "╮", "╭", "╯"}
	asciiGlyphs   = glyphs{"|", ":", "-", ".", "=", ">", "<", "X", ":", "~", "'", ".", ".", "'"}
)

// A textWriter draws a ladder as text.
type textWriter struct {
	*bufio.Writer
	glyphs
	palette             render.Palette
	frame, clock, width int // of columns; width is that between the lifelines
}

// WriteText draws a ladder for people.
func WriteText(w io.Writer, l *Ladder, o TextOptions) error {
	t := &textWriter{Writer: bufio.NewWriter(w), glyphs: unicodeGlyphs, palette: o.Palette}
	if o.ASCII {
		t.glyphs = asciiGlyphs
	}
	if o.Width <= 0 {
		o.Width = usualWidth
	}
	t.measure(l, o.Width)
	t.head(l, &o)
	for i := range l.Rows {
		t.row(&l.Rows[i])
	}
	t.foot(l)
	return t.Flush()
}

// measure gives the columns their widths.
func (t *textWriter) measure(l *Ladder, width int) {
	t.frame, t.clock = 5, 8
	for i := range l.Rows {
		r := &l.Rows[i]
		t.frame, t.clock = max(t.frame, len(strconv.FormatUint(r.Frame(), 10))), max(t.clock, len(r.Clock))
	}
	t.width = max(leastLane, width-len("> ")-t.frame-1-t.clock-2*len(" |"))
}

// head says which connection it is, and names the lifelines.
func (t *textWriter) head(l *Ladder, o *TextOptions) {
	c := l.Conn
	title := fmt.Sprintf("connection %d  %s", c.ID, c.Protocol.Name)
	if l.Story != nil {
		title += "  " + l.Story.Brief()
	}
	t.line(styled(t.palette.Heading, clip(escaped(title), t.indent()+2+t.width, t.more)))
	if near := l.near(); near != "" {
		t.line(near)
	}
	a, b := clip(l.SideName(0, o.Names), t.width, t.more), clip(l.SideName(1, o.Names), t.width, t.more)
	pad := strings.Repeat(" ", t.indent())
	if room := t.width - terminal.Width(a) - terminal.Width(b); room >= 1 {
		t.line(pad + " " + a + strings.Repeat(" ", room) + b)
		return
	}
	t.line(pad + " " + a)
	t.line(pad + " " + strings.Repeat(" ", t.width-terminal.Width(b)) + b)
}

// near says where the capture was made, "" when that is not known.
func (l *Ladder) near() string {
	if l.Story == nil {
		return ""
	}
	switch near := l.Story.CapturePoint.Near; near {
	case "a", "b":
		return "captured near " + near
	case "middle":
		return "captured between a and b"
	}
	return ""
}

// SideName is "a 10.0.0.1:2302 (client)".
func (l *Ladder) SideName(dir dissect.Dir, names func(dissect.Endpoint) string) string {
	end := l.Conn.A
	if dir == 1 {
		end = l.Conn.B
	}
	s := end.String()
	if names != nil {
		if name := names(end); name != "" {
			s = name
		}
	}
	if role := l.Conn.Roles[dir]; role != "" {
		s += " (" + role + ")"
	}
	return escaped("ab"[dir:dir+1] + " " + s)
}

// foot says what is not seen.
func (t *textWriter) foot(l *Ladder) {
	switch {
	case len(l.Rows) == 0:
		t.line("No frame of the connection was chosen.")
	case l.HasRuns():
		t.line(fmt.Sprintf("%d frames in %d rows; --all shows each frame.", l.Frames, len(l.Rows)))
	}
}

func (t *textWriter) line(s string) { t.WriteString(strings.TrimRight(s, " ") + "\n") }

// indent is how much stands before the first lifeline.
func (t *textWriter) indent() int { return len("> ") + t.frame + 1 + t.clock + 1 }

// row draws a row, and below it what there is to say of it.
func (t *textWriter) row(r *Row) {
	mark, number := " ", ""
	if r.Focus {
		mark = ">"
	}
	if r.Frame() != 0 {
		number = strconv.FormatUint(r.Frame(), 10)
	}
	head := fmt.Sprintf("%s %*s %*s ", mark, t.frame, number, t.clock, r.Clock)
	if r.Focus {
		head = styled(t.palette.Highlight, strings.TrimRight(head, " ")) + " "
	}
	if r.Kind == Pause {
		t.line(head + t.gap + styled(t.palette.Derived, centred(r.Label, t.width)) + t.gap)
		return
	}
	t.line(head + t.life + t.arrow(r) + t.life)
	t.remarks(r.remarks(), r.From == 0)
}

// remarks writes what there is to say of a row, on the side that it comes from.
func (t *textWriter) remarks(all []remark, left bool) {
	for _, x := range all {
		for _, s := range wrap(escaped(x.text), t.width-2) {
			room := strings.Repeat(" ", t.width-2-terminal.Width(s))
			if s = styled(t.style(x.kind), s); left {
				s = " " + s + room + " "
			} else {
				s = " " + room + s + " "
			}
			t.line(strings.Repeat(" ", t.indent()) + t.life + s + t.life)
		}
	}
}

// style is that of a remark.
func (t *textWriter) style(k remarkKind) render.Style {
	switch k {
	case aboutLoss, aboutFault, aboutError:
		return t.palette.Error
	case aboutWarn:
		return t.palette.Warn
	case aboutProof, aboutNote, aboutNotice:
		return t.palette.Note
	}
	return t.palette.Mark
}

func styled(s render.Style, text string) string { return s.Start + text + s.Stop }

func escaped(s string) string { return string(render.AppendEscaped(nil, s)) }

// centred puts text into the middle of so many columns.
func centred(s string, width int) string {
	room := max(0, width-terminal.Width(s))
	return strings.Repeat(" ", room/2) + s + strings.Repeat(" ", room-room/2)
}

// clip cuts text to so many columns.
func clip(s string, width int, more string) string {
	if terminal.Width(s) <= width {
		return s
	}
	for terminal.Width(s)+1 > width && s != "" {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s + more
}

// wrap breaks text at words, and words that are too long, into lines of so many columns.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && terminal.Width(line)+1+terminal.Width(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for terminal.Width(word) > width {
			part := clip(word, width, "")
			lines, word = append(lines, part), word[len(part):]
		}
		line = word
	}
	return append(lines, line)
}
