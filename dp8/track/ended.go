package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
)

// isBehindEnd reports a data frame that its receiver must ignore: its side has ended its
// stream before it (MC-DPL8R 3.1.4.3).
func (c *conn) isBehindEnd(dir int, num int64) bool {
	s := &c.side[dir]
	return s.goesBeyond(num) && c.unwrapped(dir, s.endAt)
}

// goesBeyond reports a number behind that of END_STREAM.
func (s *side) goesBeyond(num int64) bool {
	return s.ended && num > s.endSeq && num < s.endSeq+dp8.WindowSize
}

// ignoreBehindEnd takes a frame behind END_STREAM, from which nothing else follows.
func (c *conn) ignoreBehindEnd(dir int, num int64, d *dp8.DFrame, keepAlive bool) {
	if c.fr.Words |= c.c.Dir[dir].Unnumbered(&c.sent, true); c.fr.Words.Has(dissect.Duplicate) {
		return
	}
	c.tellOf(dir, num, BehindEnd)
	c.side[dir].beyond = true
	c.remember(dir, num, d, keepAlive) // its acknowledgement would be a fault
}

// noteEnd looks at a data frame of a side that ends its stream with it, or did so before. Of
// one that the capture cut nothing follows.
func (c *conn) noteEnd(dir int, num int64, d *dp8.DFrame) {
	s := &c.side[dir]
	switch {
	case c.fr.Cut():
	case s.goesBeyond(num):
		s.beyond = true
	case !s.ended && d.Control&dp8.CtlEndStream != 0:
		s.endAt = c.fr.Time
		_, f := s.firstBehind(num)
		s.beyond = f != nil
	}
}

// firstBehind gives the lowest number behind one of END_STREAM that was captured before it.
func (s *side) firstBehind(end int64) (num int64, f *sentFrame) {
	for n := end + 1; n <= s.history.top && n < end+dp8.WindowSize; n++ {
		if f := s.history.at(n); f != nil {
			return n, f
		}
	}
	return 0, nil
}
