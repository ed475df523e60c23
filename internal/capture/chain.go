package capture

// A Chain is what stays of a capture that comes in pieces, from one piece to the next: frames
// are numbered through, fragments wait for the rest of their datagrams, and all is counted.
type Chain struct {
	frame   uint64 // the latest
	dropped uint64
	dec     Decoder
	totals  Totals
	infos   []Info // of the inputs so far
}

// Chain gives what stays, once all was read.
func (s *Source) Chain() *Chain {
	c := &Chain{dropped: s.dropped, dec: s.dec, totals: s.totals, infos: s.Infos()}
	if f := s.files(); f != nil {
		c.frame = f.frame
	}
	return c
}

// Continue makes the source, which has read nothing yet, go on from a chain. With gap set
// packets are missing in front of what it reads.
func (s *Source) Continue(c *Chain, gap bool) {
	s.dropped, s.dec, s.totals, s.before = c.dropped, c.dec, c.totals, c.infos
	if f := s.files(); f != nil {
		f.frame = c.frame
	}
	if gap {
		s.dropped++
	}
}

// Before is how many of Infos are of inputs in the pieces before.
func (s *Source) Before() int { return len(s.before) }

// Unreadable reports whether nothing could be read of one of the inputs of this piece.
func (s *Source) Unreadable() bool {
	for _, i := range s.inlet.infos() {
		if i.Failed && i.Packets == 0 {
			return true
		}
	}
	return false
}

// files is the inlet of files, nil for a live source.
func (s *Source) files() *files {
	switch f := s.inlet.(type) {
	case *files:
		return f
	case *streams:
		return f.files
	}
	return nil
}
