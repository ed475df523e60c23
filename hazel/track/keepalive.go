package track

import (
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/seq"
)

// LeastQuiet is how long a side is silent at least before it keeps alive with an empty
// Reliable: intervals of 1, 2 and 10 s were seen, which the path may shorten.
const LeastQuiet = 0.9e9

// keepsAlive reports a keepalive of its era: Ping; before 2018-12 a Hello after
// that of the start, without data; in 2016-05 an empty Reliable after a silence,
// which the page allows, too. From a side that was seen to do so, each is one.
func (c *conn) keepsAlive(s *side, wire seq.Num) bool {
	switch f := c.Packet; {
	case f.Type == hazel.Ping:
		return true
	case f.Type == hazel.Hello:
		return c.Frame.Length <= 4 && !c.opens(s, wire)
	case f.Type != hazel.Reliable || len(f.Data) > 0 || c.Frame.Cut() || !c.Frame.HasTime:
		return false
	}
	switch {
	case s.beats: // the first transmission of this one may not have been captured
		return true
	case s.empties != nil && s.empties.has(wire):
		return false // a message, sent again
	case !c.mayBeatEmpty(s) || c.quiet(s) < LeastQuiet:
		if s.empties == nil {
			s.empties = new(recentNumbers)
		}
		s.empties.add(wire)
		return false
	}
	s.beats = true
	if c.family == hazel.AnyPage {
		c.learn(s, beatEmpty)
	}
	return true
}

// mayBeatEmpty reports a side that may keep alive with an empty Reliable: one that speaks
// a dialect of 2016-05, or that may speak the page's and does not keep alive otherwise.
func (c *conn) mayBeatEmpty(s *side) bool {
	if c.family != hazel.AnyPage {
		return true
	}
	left := c.dialects(s)
	return left.Has(hazel.Spec) && left&hazel.SetOf(hazel.Current, hazel.Fork36) == 0 && !s.facts.has(beatHello|beatShort)
}

// quiet is for how long a side had sent nothing but acknowledgements, as far as it was
// captured.
func (c *conn) quiet(s *side) int64 {
	since := s.spokeAt
	if since == 0 && (c.hello.known || c.family == hazel.AnyPage) {
		since = c.c.FirstTime
	}
	return c.Frame.Time - since
}
