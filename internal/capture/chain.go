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
	c.frame = *s.frame()
	return c
}

// Continue makes the source, which has read nothing yet, go on from a chain. With gap set
// packets are missing in front of what it reads. A file that is followed and was in the piece before goes
// on after the packets that were given then.
func (s *Source) Continue(c *Chain, gap bool) {
	s.dropped, s.dec, s.totals, s.before = c.dropped, c.dec, c.totals, c.infos
	*s.frame() = c.frame
	if gap {
		s.dropped++
	}
	n := len(c.infos) - 1
	if s.grows && n >= 0 && c.infos[n].Path == s.files().inputs[0].path && c.infos[n].Packets > 0 {
		s.had, s.before = had{left: c.infos[n].Packets, frame: c.frame, info: c.infos[n]}, c.infos[:n]
	}
}

// What had was given of a file that is followed.
type had struct {
	left  uint64 // of its packets, which are passed over
	frame uint64 // the latest
	info  Info
}

// wasGiven reports whether the packet at hand was given in the piece before. Where the first one has another
// time it is another file, that took the name.
func (s *Source) wasGiven() bool {
	h := &s.had
	if h.left == 0 {
		return false
	}
	if h.left == h.info.Packets {
		if rec := s.in.rec; rec.HasTime != h.info.HasTime || rec.HasTime && rec.Time != h.info.FirstTime {
			h.left, s.before = 0, append(s.before, h.info)
			return false
		}
	}
	h.left--
	*s.frame() = h.frame
	return true
}

// frame is the number of the latest packet.
func (s *Source) frame() *uint64 {
	if l, ok := s.inlet.(*live); ok {
		return &l.frame
	}
	return &s.files().frame
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

// files is the inlet of files.
func (s *Source) files() *files {
	switch f := s.inlet.(type) {
	case *files:
		return f
	case *streams:
		return f.files
	}
	return nil
}
