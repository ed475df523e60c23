package report

import (
	"encoding/hex"
	"strconv"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/session"
)

// PreviewBytes is how much of a payload a line shows. Who keeps messages until
// their line is printed need not keep more of the payload.
const PreviewBytes = 40

// MessageLines prints one line a message, in columns that grow with what was
// seen.
type MessageLines struct {
	Palette render.Palette
	Clock   *render.Clock // gives the times; nil shows none

	widths [len(messageHeads)]int
}

var messageHeads = [...]string{"index", "time", "connection", "number", "frames", "size", "flags", "sha256", "payload"}

const (
	flagsColumn   = 6
	digestColumn  = 7
	payloadColumn = 8
)

// NewMessageLines makes MessageLines with the given colours and clock.
func NewMessageLines(p render.Palette, clock *render.Clock) *MessageLines {
	l := &MessageLines{Palette: p, Clock: clock}
	l.widths = [...]int{5, 10, 10, 6, 9, 7, 5, 8, 0}
	return l
}

// AppendHeader appends the line of column names.
func (l *MessageLines) AppendHeader(dst []byte) []byte {
	dst = append(dst, l.Palette.Heading.Start...)
	for i, h := range messageHeads {
		dst = l.column(dst, i, h, render.Style{})
	}
	return append(append(dst, l.Palette.Heading.Stop...), '\n')
}

// AppendLine appends a message's line with its newline; id is that of its
// connection. Of the payload only the first PreviewBytes are looked at.
func (l *MessageLines) AppendLine(dst []byte, m *session.Message, id int) []byte {
	none := render.Style{}
	dst = l.column(dst, 0, strconv.FormatUint(m.Index, 10), none)
	dst = l.column(dst, 1, l.time(m), none)
	dst = l.column(dst, 2, "#"+strconv.Itoa(id)+arrow(session.SideA+session.Side(m.Dir)), l.Palette.Protocol)
	dst = l.column(dst, 3, strconv.FormatInt(m.Number, 10), none)
	dst = l.column(dst, 4, messageFrames(m), none)
	dst = l.column(dst, 5, strconv.Itoa(m.Size)+" B", none)
	dst = l.column(dst, flagsColumn, messageFlags(m), none)
	if m.Complete {
		dst = l.column(dst, digestColumn, hex.EncodeToString(m.SHA256[:4]), l.Palette.Derived)
	} else {
		dst = l.column(dst, digestColumn, "part", l.Palette.Warn)
	}
	if text := preview(m.Payload); text != "" {
		dst = l.column(dst, payloadColumn, text, none)
	}
	for dst[len(dst)-1] == ' ' {
		dst = dst[:len(dst)-1]
	}
	return append(dst, '\n')
}

// column appends a value, to the right but for the last three columns.
func (l *MessageLines) column(dst []byte, i int, text string, s render.Style) []byte {
	n := utf8.RuneCountInString(text)
	l.widths[i] = max(l.widths[i], n)
	space := l.widths[i] - n
	if i > 0 {
		dst = append(dst, columnGap...)
	}
	if i >= flagsColumn {
		if i == payloadColumn {
			space = 0
		}
		return appendSpaces(appendStyled(dst, s, text), space)
	}
	return appendStyled(appendSpaces(dst, space), s, text)
}

func (l *MessageLines) time(m *session.Message) string {
	if l.Clock == nil || !m.HasTime {
		return "-"
	}
	return string(l.Clock.AppendTime(nil, &dissect.Datagram{Time: m.Time, HasTime: true}))
}

// messageFrames is "12" or "12–14 (3)".
func messageFrames(m *session.Message) string {
	text := strconv.FormatUint(m.FirstFrame, 10)
	if m.LastFrame != m.FirstFrame {
		text += "–" + strconv.FormatUint(m.LastFrame, 10)
	}
	if m.Frames > 1 {
		text += " (" + strconv.Itoa(m.Frames) + ")"
	}
	return text
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

// preview is the beginning of a payload: text in quotes when most of it is
// text, else hexadecimal.
func preview(payload []byte) string {
	if len(payload) == 0 {
		return ""
	}
	cut := payload[:min(len(payload), PreviewBytes)]
	more := ""
	if len(cut) < len(payload) {
		more = "…"
	}
	printable := 0
	for _, b := range cut {
		if b >= ' ' && b < 0x7f {
			printable++
		}
	}
	if 4*printable >= 3*len(cut) {
		return `"` + string(render.AppendEscaped(nil, cut)) + `"` + more
	}
	half := cut[:min(len(cut), PreviewBytes/2)]
	if len(half) < len(payload) {
		more = "…"
	}
	return hex.EncodeToString(half) + more
}
