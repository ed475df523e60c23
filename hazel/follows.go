package hazel

import "encoding/binary"

// follows implements session.Protocol.Follows: of two frames with data, or two
// acknowledgements, of one dialect, the second has the next id.
func follows(frame, next []byte) bool {
	id, kind, ok := header(frame)
	if !ok {
		return false
	}
	behind, like, ok := header(next)
	return ok && behind == id+1 && (kind == Acknowledgement) == (like == Acknowledgement)
}

// header reads the id of a frame with data, or of an acknowledgement.
func header(b []byte) (id uint16, t Type, ok bool) {
	if len(b) < 3 {
		return 0, Unknown, false
	}
	at := 1
	switch t, _ = typeOf(b[0], AnyDialect); {
	case t == Acknowledgement && len(b) > 4:
		return 0, t, false
	case t == Reliable, t == Acknowledgement, t == Fragment && b[0] == 0x03:
	case t == FragmentStart, t == Fragment && b[0] == 0x0B:
		if len(b) < fragmentHeader {
			return 0, t, false
		}
		if t == FragmentStart || !forkFits(b[1:]) {
			at = 5
		}
	default:
		return 0, t, false
	}
	return binary.BigEndian.Uint16(b[at:]), t, true
}
