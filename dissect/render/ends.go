package render

import (
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/dissect"
)

// Ends makes texts of endpoints, addresses or names, and keeps those of the latest it was asked for.
type Ends struct {
	Names func(dissect.Endpoint) string // shown for addresses; "" for none, nil for no names at all
	Width func(string) int              // columns of the screen that a name takes; nil: one each character

	kept [64]shownEnd
}

// A shownEnd is what is shown of an endpoint.
type shownEnd struct {
	end     dissect.Endpoint
	text    []byte // nil while the place is free
	columns int    // of the screen
}

// of gives what is shown of an endpoint, its address or its name, until the next call.
func (s *Ends) of(e *dissect.Endpoint) *shownEnd {
	x := &s.kept[(e.IP[14]^e.IP[15]^uint8(e.Port>>8)^uint8(e.Port))%uint8(len(s.kept))]
	if x.text == nil || x.end != *e {
		s.name(x, e)
	}
	return x
}

// name finds out what is shown of an endpoint.
func (s *Ends) name(x *shownEnd, e *dissect.Endpoint) {
	name := ""
	if s.Names != nil {
		name = s.Names(*e)
	}
	if x.end = *e; name != "" {
		x.text = AppendEscaped(x.text[:0], name)
	} else {
		x.text = e.AppendTo(x.text[:0])
	}
	x.columns = s.columns(x.text)
}

// columns is the width of a name on the screen.
func (s *Ends) columns(name []byte) int {
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
