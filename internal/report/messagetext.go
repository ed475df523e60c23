package report

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session"
)

// previewBytes is how much of a payload a line shows.
const previewBytes = 40

// MessageLines prints one line a message, in columns that grow with what was
// seen.
type MessageLines struct {
	Palette render.Palette
	Clock   *render.Clock // gives the times; nil shows none

	widths [len(messageHeads)]int
	gone   [len(messageHeads)]bool // for want of width
	short  terminal.Shortage
}

var messageHeads = [...]string{"connection", "index", "time", "number", "frames", "size", "flags", "sha256", "payload"}

const (
	timeColumn    = 2
	flagsColumn   = 6
	digestColumn  = 7
	payloadColumn = 8
)

// messageRanks are the ranks of the columns: see column.
var messageRanks = [len(messageHeads)]int{0, 3, 1, 2, 4, 0, 5, 6, 0}

// leastPreview is how many columns of a payload are shown before columns leave for it.
const leastPreview = 20

// NewMessageLines makes MessageLines with the given colours and clock, in so many columns
// of text; 0 is DefaultWidth. Lines have no end that is known, so what leaves is chosen
// before the first; payloads are cut where columns grow.
func NewMessageLines(p render.Palette, clock *render.Clock, width int) *MessageLines {
	l := &MessageLines{Palette: p, Clock: clock}
	l.widths = [...]int{10, 5, 10, 6, 9, 7, 5, 8, 0}
	if clock != nil {
		some := render.Clock{Format: clock.Format, Location: clock.Location}
		text := some.AppendTime(nil, &dissect.Datagram{Time: 1234567890123456789, HasTime: true})
		l.widths[timeColumn] = max(l.widths[timeColumn], len(text))
	}
	t := terminal.Table{Cols: make([]terminal.Column, len(messageHeads))}
	row := make([]terminal.Cell, len(messageHeads))
	for i, head := range messageHeads {
		t.Cols[i] = terminal.Column{Head: head, Rank: messageRanks[i]}
		row[i].Text = strings.Repeat("x", l.widths[i])
	}
	row[payloadColumn].Text = strings.Repeat("x", leastPreview)
	t.Rows = [][]terminal.Cell{row}
	t.Fit(cmp.Or(max(width, 0), terminal.DefaultWidth))
	l.short = t.Short
	for i, head := range messageHeads {
		l.gone[i] = slices.Contains(t.Short.Gone, head)
	}
	return l
}

// AppendEnd appends, below the lines, which columns were left out.
func (l *MessageLines) AppendEnd(dst []byte) []byte {
	return l.short.Append(dst, l.Palette.Derived.Start, l.Palette.Derived.Stop)
}

// AppendHeader appends the line of column names.
func (l *MessageLines) AppendHeader(dst []byte) []byte {
	for i, h := range messageHeads {
		dst = l.column(dst, i, h, l.Palette.Heading)
	}
	return append(dst, '\n')
}

func appendMessageNumber(dst []byte, m *session.Message) []byte {
	if m.Unnumbered {
		return append(dst, '-')
	}
	return strconv.AppendInt(dst, int64(m.Number), 10)
}

// cellEnd stands after every cell of AppendMessageCells; escaped text has none.
const cellEnd = '\x00'

// AppendMessageCells appends what the message's line will show, while the
// message is valid. The order of the cells is that of the columns.
func AppendMessageCells(dst []byte, m *session.Message) []byte {
	dst = append(append(dst, arrow(session.SideA+session.Side(m.Dir))...), cellEnd)
	dst = append(strconv.AppendUint(dst, m.Index, 10), cellEnd)
	if m.HasTime {
		dst = strconv.AppendInt(dst, m.Time, 10)
	}
	dst = append(appendMessageNumber(append(dst, cellEnd), m), cellEnd)
	dst = append(appendMessageFrames(dst, m), cellEnd)
	dst = append(strconv.AppendInt(dst, int64(m.Size), 10), " B"...)
	dst = append(append(dst, cellEnd), messageFlags(m)...)
	dst = append(dst, cellEnd)
	if m.Complete {
		dst = hex.AppendEncode(dst, m.SHA256[:4])
	}
	return append(appendPreview(append(dst, cellEnd), m.Payload), cellEnd)
}

// AppendLine appends a message's line with its newline, from its cells and the
// id of its connection. The clock is read only.
func (l *MessageLines) AppendLine(dst, cells []byte, id int) []byte {
	for i := range messageHeads {
		end := bytes.IndexByte(cells, cellEnd)
		text, style := string(cells[:end]), render.Style{}
		cells = cells[end+1:]
		switch {
		case i == 0:
			text, style = "#"+strconv.Itoa(id)+text, l.Palette.Protocol
		case i == timeColumn:
			text = l.time(text)
		case i == digestColumn && text == "":
			text, style = "part", l.Palette.Warn
		case i == digestColumn:
			style = l.Palette.Derived
		}
		dst = l.column(dst, i, text, style)
	}
	return append(bytes.TrimRight(dst, " "), '\n')
}

// column appends a value, to the right but for the last three columns.
func (l *MessageLines) column(dst []byte, i int, text string, s render.Style) []byte {
	if l.gone[i] {
		return dst
	}
	if i == payloadColumn {
		text = l.preview(text)
	}
	n := terminal.Width(text)
	l.widths[i] = max(l.widths[i], n)
	space := l.widths[i] - n
	if i > 0 {
		dst = append(dst, terminal.ColumnGap...)
	}
	switch {
	case i == payloadColumn && text == "":
		return dst
	case i == payloadColumn:
		return terminal.AppendStyled(dst, s, text)
	case i == 0 || i >= flagsColumn:
		return terminal.AppendSpaces(terminal.AppendStyled(dst, s, text), space)
	}
	return terminal.AppendStyled(terminal.AppendSpaces(dst, space), s, text)
}

// preview is as much of a payload as there is room for.
func (l *MessageLines) preview(text string) string {
	room := l.short.Width
	for i := range payloadColumn {
		if !l.gone[i] {
			room -= l.widths[i] + len(terminal.ColumnGap)
		}
	}
	if terminal.Width(text) <= room {
		return text
	}
	if l.short.Cut == nil {
		l.short.Cut = []string{"Payloads are truncated: --payload shows them in full"}
	}
	return terminal.Cut(text, max(room, 1), false)
}

// time is the text of a time that stands in a cell as nanoseconds.
func (l *MessageLines) time(ns string) string {
	d := dissect.Datagram{}
	if v, err := strconv.ParseInt(ns, 10, 64); err == nil && l.Clock != nil {
		d.Time, d.HasTime = v, true
		return string(l.Clock.AppendTime(nil, &d))
	}
	return "-"
}

// appendMessageFrames appends "12" or "12–14 (3)".
func appendMessageFrames(dst []byte, m *session.Message) []byte {
	dst = strconv.AppendUint(dst, m.FirstFrame, 10)
	if m.LastFrame != m.FirstFrame {
		dst = strconv.AppendUint(append(dst, "–"...), m.LastFrame, 10)
	}
	if m.Frames > 1 {
		dst = append(strconv.AppendInt(append(dst, " ("...), int64(m.Frames), 10), ')')
	}
	return dst
}

// messageFlags is R for reliable and O for ordered.
func messageFlags(m *session.Message) string {
	flags := []byte("--")
	if m.Reliable {
		flags[0] = 'R'
	}
	if m.Ordered {
		flags[1] = 'O'
	}
	return string(flags)
}

// appendPreview appends the beginning of a payload: text in quotes when most of
// it is text, else hexadecimal.
func appendPreview(dst, payload []byte) []byte {
	if len(payload) == 0 {
		return dst
	}
	cut := payload[:min(len(payload), previewBytes)]
	if mostlyText(cut) {
		dst = append(render.AppendEscaped(append(dst, '"'), cut), '"')
	} else {
		cut = cut[:min(len(cut), previewBytes/2)]
		dst = hex.AppendEncode(dst, cut)
	}
	if len(cut) < len(payload) {
		dst = append(dst, "…"...)
	}
	return dst
}

func mostlyText(b []byte) bool {
	printable := 0
	for _, c := range b {
		if c >= ' ' && c < 0x7f {
			printable++
		}
	}
	return 4*printable >= 3*len(b)
}
