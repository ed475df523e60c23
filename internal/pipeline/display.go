package pipeline

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/filter"
	"github.com/dpdissect/dpdissect/session"
)

// A Display decides which frames are shown. Most filters are judged when a frame
// is known; those that ask for what later packets tell, such as the id of its
// connection, when its turn comes.
type Display struct {
	Filter *filter.Filter // nil shows all
	Window *Window        // nil shows all

	// Real, when not nil, gives an endpoint the address that its packet had, for the filter,
	// where others are shown. Several goroutines call it.
	Real func(*dissect.Endpoint)
}

// Selects reports whether some frames may be left out.
func (d Display) Selects() bool { return d.Filter != nil || d.Window != nil }

// Configure sets what the tracker must provide for the filter.
func (d Display) Configure(c *session.Config) {
	if d.Filter != nil {
		c.Trees = c.Trees || d.Filter.NeedsTree()
		c.Links = c.Links || d.Filter.Late()
		c.Summaries = true
		c.Notices = d.Filter.Notices()
	}
}

// Prepare judges a frame that is known. A late filter keeps what it will need.
func (d Display) Prepare(s *Slot, fr *dissect.Frame) {
	switch {
	case d.Filter == nil:
		s.Show = true
	case d.Filter.Late():
		s.Show = true
		s.KeepTree(fr)
	default:
		s.Show = d.match(fr, s.Times)
	}
}

func (d Display) match(fr *dissect.Frame, t filter.Times) bool {
	if d.Real == nil || fr.Datagram == nil {
		return d.Filter.Match(fr, t)
	}
	shown, real := fr.Datagram, *fr.Datagram
	d.Real(&real.Src)
	d.Real(&real.Dst)
	fr.Datagram = &real
	ok := d.Filter.Match(fr, t)
	fr.Datagram = shown
	return ok
}

// Decide judges a frame whose turn has come.
func (d Display) Decide(s *Slot) bool {
	if s.Show && d.Window != nil {
		s.Show = d.Window.Has(s)
	}
	if s.Show && d.Filter != nil && d.Filter.Late() {
		s.Show = s.isDatagram && d.match(&s.Frame, s.Times)
	}
	return s.Show
}

// DecideAny is Decide for a packet: it is shown when a datagram in it is.
func (d Display) DecideAny(s *Slot) bool {
	show := d.Decide(s)
	for _, p := range s.parts {
		show = d.Decide(p) || show
	}
	return show
}
