package render

import (
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// Summary prints one line a frame, in tshark's order: number, time, source,
// destination, protocol, length, info. Columns start at tshark's widths and
// grow with what was seen.
type Summary struct {
	Palette Palette
	Ends

	number, clock, src, dst, length int // widths
	protocol                        shownProtocol
	text                            []byte // of one column
}

// NewSummary makes a Summary.
func NewSummary(p Palette) *Summary {
	return &Summary{Palette: p, number: 5, clock: 10, src: 12, dst: 12, protocol: shownProtocol{width: 3}, length: 3}
}

// AppendLine appends the frame's line with its newline. The clock is read only:
// the caller moves it on with Advance.
func (s *Summary) AppendLine(dst []byte, fr *dissect.Frame, clock *Clock) []byte {
	s.text = dissect.AppendUint(s.text[:0], fr.Frame)
	dst = append(right(dst, s.text, len(s.text), &s.number), ' ')
	s.text = clock.AppendTime(s.text[:0], fr.Datagram)
	dst = append(right(dst, s.text, len(s.text), &s.clock), ' ')

	end := s.of(&fr.Src)
	dst = append(right(dst, end.text, end.columns, &s.src), " → "...)
	end = s.of(&fr.Dst)
	dst = append(left(dst, end.text, end.columns, &s.dst), ' ')

	dst = append(append(dst, s.protocolOf(fr)...), ' ')
	s.text = dissect.AppendUint(s.text[:0], uint64(fr.Length))
	dst = append(right(dst, s.text, len(s.text), &s.length), ' ')
	return s.appendInfo(dst, fr)
}

// A shownProtocol is the column of the protocol of the latest frame.
type shownProtocol struct {
	name  string
	text  []byte // nil for none
	width int
}

// protocolOf gives the column of a frame's protocol.
func (s *Summary) protocolOf(fr *dissect.Frame) []byte {
	x := &s.protocol
	if x.name != fr.Protocol || x.text == nil {
		x.name = fr.Protocol
		name := appendUpper(s.text[:0], fr.Protocol)
		x.text = append(left(append(x.text[:0], s.Palette.Protocol.Start...), name, len(name), &x.width), s.Palette.Protocol.Stop...)
	}
	return x.text
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

// right appends text after spaces that fill a column. The text takes n columns of the screen.
func right(dst, text []byte, n int, width *int) []byte {
	return append(pad(dst, n, width), text...)
}

// left appends text and spaces that fill a column. The text takes n columns of the screen.
func left(dst, text []byte, n int, width *int) []byte {
	return pad(append(dst, text...), n, width)
}

// pad appends the spaces that text of n columns leaves of a width, which grows with what is wider.
func pad(dst []byte, n int, width *int) []byte {
	if n >= *width {
		*width = n
		return dst
	}
	return append(dst, spaces[:min(*width-n, len(spaces))]...)
}
