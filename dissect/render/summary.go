package render

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/dissect"
)

// Summary prints one line a frame, in tshark's order: number, time, source,
// destination, protocol, length, info. Columns start at tshark's widths and
// grow with what was seen.
type Summary struct {
	Palette Palette
	Names   func(dissect.Endpoint) string // shown for addresses; "" for none, nil for no names at all
	Width   func(string) int              // columns of the screen that a name takes; nil: one each character

	number, clock, src, dst, protocol, length int // widths
	shown                                     [256]shownEnd
}

// NewSummary makes a Summary.
func NewSummary(p Palette) *Summary {
	return &Summary{Palette: p, number: 5, clock: 10, src: 12, dst: 12, protocol: 3, length: 3}
}

// AppendLine appends the frame's line with its newline. The clock is read only:
// the caller moves it on with Advance.
func (s *Summary) AppendLine(dst []byte, fr *dissect.Frame, clock *Clock) []byte {
	start := len(dst)
	dst = strconv.AppendUint(dst, fr.Frame, 10)
	dst = right(dst, start, &s.number)
	dst = append(dst, ' ')

	start = len(dst)
	dst = clock.AppendTime(dst, fr.Datagram)
	dst = right(dst, start, &s.clock)
	dst = append(dst, ' ')

	start = len(dst)
	dst, n := s.appendEnd(dst, &fr.Src)
	dst = rightOf(dst, start, n, &s.src)
	dst = append(dst, " → "...)

	dst, n = s.appendEnd(dst, &fr.Dst)
	dst = leftOf(dst, n, &s.dst)
	dst = append(dst, ' ')
	return s.appendInfo(s.appendProtocol(dst, fr), fr)
}

// A shownEnd is what is shown of an endpoint that was asked for lately.
type shownEnd struct {
	end     dissect.Endpoint
	text    []byte // nil while the place is free
	columns int
}

// appendEnd appends an address, or its name, and tells how many columns that takes.
func (s *Summary) appendEnd(dst []byte, e *dissect.Endpoint) ([]byte, int) {
	if s.Names == nil {
		start := len(dst)
		dst = appendEndpoint(dst, e)
		return dst, len(dst) - start
	}
	x := &s.shown[e.IP[14]^e.IP[15]^uint8(e.Port>>8)^uint8(e.Port)]
	if x.text == nil || x.end != *e {
		s.name(x, e)
	}
	return append(dst, x.text...), x.columns
}

// name finds out what is shown of an endpoint.
func (s *Summary) name(x *shownEnd, e *dissect.Endpoint) {
	x.end = *e
	if name := s.Names(*e); name != "" {
		x.text = AppendEscaped(x.text[:0], name)
	} else {
		x.text = appendEndpoint(x.text[:0], e)
	}
	x.columns = s.columns(x.text)
}

// columns is the width of a name on the screen.
func (s *Summary) columns(name []byte) int {
	n := 0
	for n < len(name) && name[n] < utf8.RuneSelf {
		n++
	}
	switch {
	case n == len(name):
		return n
	case s.Width == nil:
		return utf8.RuneCount(name)
	}
	return s.Width(string(name))
}

func (s *Summary) appendProtocol(dst []byte, fr *dissect.Frame) []byte {
	dst = append(dst, s.Palette.Protocol.Start...)
	start := len(dst)
	dst = appendUpper(dst, fr.Protocol)
	dst = left(dst, start, &s.protocol)
	dst = append(dst, s.Palette.Protocol.Stop...)
	dst = append(dst, ' ')
	start = len(dst)
	dst = appendDec(dst, uint64(fr.Length))
	return append(right(dst, start, &s.length), ' ')
}

func (s *Summary) appendInfo(dst []byte, fr *dissect.Frame) []byte {
	if fr.Words&marked != 0 {
		dst = append(dst, s.Palette.Mark.Start...)
		dst = appendMarks(dst, fr.Words)
		dst = append(dst, s.Palette.Mark.Stop...)
	}
	for i := range fr.Notes {
		if !tells(fr.Notes[:i], fr.Notes[i].Rule) {
			dst = s.appendRule(dst, &fr.Notes[i])
		}
	}
	dst = AppendEscaped(dst, fr.Summary)
	if fr.Err != nil || fr.Words.Has(dissect.Malformed) {
		if len(fr.Summary) > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, s.Palette.Error.Start...)
		dst = append(dst, '[')
		dst = AppendMalformed(dst, fr)
		dst = append(dst, ']')
		dst = append(dst, s.Palette.Error.Stop...)
	}
	return append(dst, '\n')
}

// tells reports whether one of the notes is of a rule: a line names each rule once.
func tells(notes []dissect.Note, rule string) bool {
	return slices.ContainsFunc(notes, func(n dissect.Note) bool { return n.Rule == rule })
}

// appendRule appends "[DP8-2.2.1.4-POLL] ": what it says is for the tree and the records.
func (s *Summary) appendRule(dst []byte, n *dissect.Note) []byte {
	style := s.Palette.severity(n.Severity)
	if n.Severity == "note" {
		style = Style{} // colour is for what may be wrong
	}
	dst = append(append(append(dst, style.Start...), '['), n.Rule...)
	return append(append(append(dst, ']'), style.Stop...), ' ')
}

const spaces = "                                                "

// right puts spaces before what was appended from start on, up to the width of a column.
func right(dst []byte, start int, width *int) []byte {
	return rightOf(dst, start, len(dst)-start, width)
}

// rightOf is right for text that takes n columns of the screen.
func rightOf(dst []byte, start, n int, width *int) []byte {
	if n >= *width {
		*width = n
		return dst
	}
	pad, end := min(*width-n, len(spaces)), len(dst)
	dst = append(dst, spaces[:pad]...)
	copy(dst[start+pad:], dst[start:end])
	copy(dst[start:], spaces[:pad])
	return dst
}

// left puts spaces after what was appended from start on, up to the width of a column.
func left(dst []byte, start int, width *int) []byte {
	return leftOf(dst, len(dst)-start, width)
}

// leftOf is left for text that takes n columns of the screen.
func leftOf(dst []byte, n int, width *int) []byte {
	if n >= *width {
		*width = n
		return dst
	}
	return append(dst, spaces[:min(*width-n, len(spaces))]...)
}
