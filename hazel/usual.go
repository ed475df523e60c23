package hazel

import (
	"encoding/binary"
	"math"
)

// usualLayouts are those of what most of a session consists of: how long the header is, and how long the
// datagram at most.
var usualLayouts = [numTypes]struct{ header, most int }{
	None:            {1, math.MaxInt},
	Reliable:        {3, math.MaxInt},
	Acknowledgement: {3, 4},
	Ping:            {3, 3},
}

// decodeUsual is Decode for these, without a tree, a bound a field and a table. It reports false,
// having decoded nothing of worth, when anything else is met.
func (f *Frame) decodeUsual(b []byte, d Dialect) bool {
	if len(b) == 0 {
		return false
	}
	f.Type, f.Dialect = TypeOf(b[0], d)
	l := &usualLayouts[f.Type]
	if l.header == 0 || len(b) < l.header || len(b) > l.most {
		return false
	}
	f.Code, f.guess = b[0], d == AnyDialect || d == AnyPage
	f.HasID, f.HasVersion, f.HasRecent, f.HasOption, f.Data = false, false, false, false, nil
	if l.header > 1 {
		f.ID, f.HasID = binary.BigEndian.Uint16(b[1:]), true
	}
	switch rest := b[l.header:len(b):len(b)]; {
	case len(rest) == 0:
	case f.Type == Acknowledgement:
		f.Recent, f.HasRecent = rest[0], true
	default:
		f.Data = rest
	}
	return true
}
