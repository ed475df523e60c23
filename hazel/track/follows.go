package track

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/hazel"
)

// follows implements session.Protocol.Follows: of two frames with data, or two
// acknowledgements, of one dialect, the second has the next id.
func follows(frame, next []byte) bool {
	id, kind, ok := header(frame)
	if !ok {
		return false
	}
	nextID, like, ok := header(next)
	return ok && nextID == id+1 && (kind == hazel.Acknowledgement) == (like == hazel.Acknowledgement)
}

// header reads the id of a frame with data, or of an acknowledgement.
func header(b []byte) (id uint16, t hazel.Type, ok bool) {
	if len(b) < 3 {
		return 0, hazel.Unknown, false
	}
	at := 1
	switch t, _ = hazel.TypeOf(b[0], hazel.AnyDialect); {
	case t == hazel.Acknowledgement && len(b) > 4:
		return 0, t, false
	case t == hazel.Reliable, t == hazel.Acknowledgement, t == hazel.Fragment && b[0] == 0x03:
	case t == hazel.FragmentStart, t == hazel.Fragment && b[0] == 0x0B:
		if len(b) < hazel.FragmentHeader {
			return 0, t, false
		}
		if t == hazel.FragmentStart || !hazel.ForkFits(b[1:]) {
			at = 5
		}
	default:
		return 0, t, false
	}
	return binary.BigEndian.Uint16(b[at:]), t, true
}
