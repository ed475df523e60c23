package seq

import "github.com/dpdissect/dpdissect/dissect"

// A longFrame is the latest datagram of a side that is longer than its link carries,
// as far as is known, and did not fall apart. If it was several, the others have the
// numbers behind its own; if the next number is captured, it was one, and the link
// carries its length.
type longFrame struct {
	frame   uint64
	num     Num // its own number, valid once it is its frame's
	size    uint16
	carried uint16 // length of the longest that was one
	left    uint8  // further numbers of which it may explain that some before are missing
	hasNum  bool
}

func (l *longFrame) see(fr *dissect.Frame) {
	if fr.Length > int(l.carried) {
		*l = longFrame{frame: fr.Frame, size: uint16(min(fr.Length, 1<<16-1)), carried: l.carried, left: 2}
	}
}

// explains reports whether numbers left out between the highest and that of a sending
// may be in the datagram.
func (l *longFrame) explains(s *Sending, highest Num) bool {
	l.left--
	switch {
	case s.Frame == l.frame:
		l.num, l.hasNum = s.Num, true
	case s.Num > highest+1:
		return true
	case l.hasNum && s.Num == l.num+1:
		l.carried = l.size
	}
	return false
}
