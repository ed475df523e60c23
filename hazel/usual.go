package hazel

import "encoding/binary"

// usualLayout is that of each first byte of what most of a session consists of, where the dialect
// has it: payloads, acknowledgements and Pings.
func (f *Frame) usualLayout(b []byte, d Dialect) bool {
	f.Type, f.Dialect = TypeOf(b[0], d)
	switch f.Type {
	case None:
		return true
	case Reliable:
		return len(b) >= 3
	case Acknowledgement:
		return len(b) == 3 || len(b) == 4
	case Ping:
		return len(b) == 3
	}
	return false
}

// decodeUsual is Decode for these, without a tree, a bound a field and a table. It reports false,
// having decoded nothing of worth, when anything else is met.
func (f *Frame) decodeUsual(b []byte, d Dialect) bool {
	if len(b) == 0 || !f.usualLayout(b, d) {
		return false
	}
	f.Code, f.guess = b[0], d == AnyDialect || d == AnyPage
	f.HasVersion, f.HasOption, f.HasID, f.HasRecent, f.Data = false, false, false, false, nil
	at := 1
	if f.Type != None {
		f.ID, f.HasID, at = binary.BigEndian.Uint16(b[1:]), true, 3
	}
	switch {
	case len(b) == at:
	case f.Type == Acknowledgement:
		f.Recent, f.HasRecent = b[at], true
	default:
		f.Data = b[at:len(b):len(b)]
	}
	return true
}
