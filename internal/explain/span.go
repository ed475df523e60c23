package explain

import (
	"slices"

	"github.com/dpdissect/dpdissect/session"
)

// Settle explains all connections now, before their numbers become those of a span of time
// alone. Of contributions it leaves what lies in the span, in ns since 1970. Verdicts stay:
// they say how a connection ended.
func (t *Story) Settle(from, to int64) {
	t.told = map[*session.Conn]*Connection{}
	for s := range t.all {
		x := s.explain()
		x.Contributing = slices.DeleteFunc(x.Contributing, func(c Contribution) bool { return beside(c.From, c.To, from, to) })
		t.told[s.Conn] = &x
	}
}

// Narrow leaves of the address pairs that were not recognised those with packets in a span;
// words name it for people.
func (d *Document) Narrow(from, to int64, words string) {
	d.Unrecognised = slices.DeleteFunc(d.Unrecognised, func(u Unrecognised) bool { return beside(u.FirstTime, u.LastTime, from, to) })
	d.Span = words
}

// beside reports whether what lasts from the first to the last of two times lies outside a span.
func beside(first, last Instant, from, to int64) bool {
	return first == 0 || int64(first) >= to || int64(max(first, last)) < from
}
