package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// isBehindEnd reports a data frame that its receiver must ignore: its side has ended its
// stream before it (MC-DPL8R 3.1.4.3).
func (c *conn) isBehindEnd(dir dissect.Dir, num seq.Num) bool {
	s := &c.side[dir]
	return s.GoesBeyond(num) && c.unwrapped(dir, s.EndAt)
}

// GoesBeyond reports a number behind that of END_STREAM.
func (s *Side) GoesBeyond(num seq.Num) bool {
	return s.Ended && num > s.EndSeq && num < s.EndSeq+dp8.WindowSize
}

// ignoreBehindEnd takes a frame behind END_STREAM, from which nothing else follows.
func (c *conn) ignoreBehindEnd(dir dissect.Dir, num seq.Num, d *dp8.DFrame, keepAlive bool) {
	if c.Frame.Words |= c.c.Dir[dir].Unnumbered(&c.Sent, true); c.Frame.Words.Has(dissect.Duplicate) {
		return
	}
	c.tellOf(dir, num, BehindEnd)
	c.side[dir].Beyond = true
	c.remember(dir, num, d, keepAlive) // its acknowledgement would be a fault
}

// noteEnd looks at a data frame of a side that ends its stream with it, or did so before. Of
// one that the capture cut nothing follows.
func (c *conn) noteEnd(dir dissect.Dir, num seq.Num, d *dp8.DFrame) {
	s := &c.side[dir]
	switch {
	case c.Frame.Cut():
	case s.GoesBeyond(num):
		s.Beyond = true
	case !s.Ended && d.Control&dp8.CtlEndStream != 0:
		s.EndAt = c.Frame.Time
		_, f := s.FirstBehind(num)
		s.Beyond = f.IsKnown()
	}
}

// FirstBehind gives the lowest number behind one of END_STREAM that was captured before it.
func (s *Side) FirstBehind(end seq.Num) (num seq.Num, f Record) {
	for n := end + 1; n <= s.History.Top && n < end+dp8.WindowSize; n++ {
		if f := s.History.At(n); f.IsKnown() {
			return n, f
		}
	}
	return 0, Record{}
}
