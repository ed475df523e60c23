package seq

// A Deaf is a run of frames of a side, up to the latest, of which one direction of
// the path shows nothing: the peer acknowledges none of them, or acknowledges them
// and the side sends them again all the same.
type Deaf struct {
	First   Sign  // the run; N counts its sendings
	Last    int64 // time of the latest
	Several int64 // time at which they were so many that no answer tells something, 0 while they are fewer
	Units   int32 // new numbers among them
	Most    uint8
	before  uint32    // frames of the peer before the run …
	after   uint32    // … and at its latest sending; like acks they wrap
	acks    [2]uint32 // of these, frames that do nothing but acknowledge
}

// SeveralUnits is of how many new numbers no answer tells something.
const SeveralUnits = 3

// Span is how long the run lasts, in ns.
func (r *Deaf) Span() int64 { return r.Last - r.First.Time }

// Meanwhile is how many frames of the peer were captured during the run.
func (r *Deaf) Meanwhile() uint64 { return uint64(r.after - r.before) }

// Answers is how many frames of the peer were captured during the run that do nothing but
// acknowledge: who sends them hears something.
func (r *Deaf) Answers() uint64 { return uint64(r.acks[1] - r.acks[0]) }

// see adds a sending to the run. Frames without a time prove nothing.
func (r *Deaf) see(s *Sending, sends uint8, peer *Direction) {
	if !s.HasTime {
		return
	}
	frames, acks := uint32(0), uint32(0)
	if peer != nil {
		frames, acks = uint32(peer.Frames), uint32(peer.Acks)
	}
	if r.First.See(s.Frame, s.Time); r.First.N == 1 {
		r.before, r.acks[0] = frames, acks
	}
	if sends == 1 {
		if r.Units++; r.Units == SeveralUnits {
			r.Several = s.Time
		}
	}
	r.Most, r.Last, r.after, r.acks[1] = max(r.Most, sends), s.Time, frames, acks
}

// Unheard is the run of numbers that the side sent since its peer last acknowledged
// one of them.
func (d Quality) Unheard() *Deaf {
	d.ready()
	return &d.unheard
}

// Deaf is the run of retries of acknowledged numbers since the side last
// acknowledged one of its peer's.
func (d Quality) Deaf() *Deaf {
	d.ready()
	if d.deaf == nil {
		return &noRun
	}
	return d.deaf
}

// noRun is no run. Nobody writes on it.
var noRun Deaf

// Latest is the time of the side's latest numbered frame, ns.
func (d Quality) Latest() int64 {
	d.ready()
	return d.win.now
}

// hears notes that the peer acknowledged a number of the side, sent at a time, for the first time.
func (d acknowledging) hears(sent int64, a *Acknowledgement) {
	if d.unheard.First.N > 0 {
		if x := d.account; x != nil {
			x.resends.endRun(&d.unheard, sent, a)
		}
		if x := d.account; x != nil && a.HasTime && a.Time-d.unheard.First.Time > x.Healed.Span() {
			x.Healed = d.unheard
			x.Healed.Last = a.Time
		}
		d.unheard = Deaf{}
	}
	if p := d.peer; p != nil && p.work != nil && p.deaf != nil {
		*p.deaf = Deaf{}
	}
}
