package explain

import (
	"cmp"
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Thresholds of what else is said.
const (
	fewest       = 5    // observations that a share needs
	reorderShare = 0.01 // of first transmissions
	copyShare    = 0.02 // of frames
	idleFor      = 20e9 // ns
	leadShare    = 0.5  // of numbers, answered before they come: of fewer the capture may lack the first transmissions
)

// stalls: a window that stays full for longer than a round trip.
func stalls(s *subject) []Contribution {
	return s.both(func(dir dissect.Dir) (c Contribution, ok bool) {
		w := &s.side(dir).Stall
		if w.Longest < max(s.side(dir).Trips.Least*2, 200e6) {
			return c, false
		}
		from := cmp.Or(w.Since, w.First.Time)
		return Contribution{Cause: WindowStall, Side: sides[dir], Certainty: Proved, weight: float64(w.Longest) / 2e9, who: s.who(dir), at: w.First, From: s.clock(from), To: s.clock(from + w.Longest), Frames: frames(w.First.Frame),
			Numbers:  map[string]float64{"times": float64(w.First.N), "longest_ms": float64(w.Longest) / 1e6},
			Sentence: fmt.Sprintf("%s had to wait, %s, for up to %s, because as much as it may send was still unanswered.", s.Who(dir), count(w.First.N, "time", "times"), span(w.Longest))}, true
	})
}

// lateness: a program that stood still for a while answers everything late, and at once.
func lateness(s *subject) []Contribution {
	return s.both(func(dir dissect.Dir) (c Contribution, ok bool) {
		run, _ := s.wait(dir)
		if !s.outage(dir, run) || !s.answersAll(dir) || !s.stoodStill(dir.Other(), run) {
			return c, false
		}
		return Contribution{Cause: LateAcks, Side: sides[dir.Other()], Certainty: Likely, weight: float64(run.Span()) / 4e9, who: s.who(dir.Other()), at: run.First, From: s.clock(run.First.Time), To: s.clock(run.Last), Frames: frames(run.First.Frame),
			Numbers:  map[string]float64{"ms": float64(run.Span()) / 1e6},
			Sentence: fmt.Sprintf("%s answered late, by up to %s, everything it received from %s on.", s.Who(dir.Other()), span(run.Span()), s.in(run.First))}, true
	})
}

// spurious: retries of what had arrived.
func spurious(s *subject) []Contribution {
	return s.both(func(dir dissect.Dir) (c Contribution, ok bool) {
		d := &s.Dir[dir]
		n, kind := d.UnneededRetries, seq.Needless
		if s.answersAll(dir) {
			x := s.side(dir) // what still waits may not have arrived
			n, kind = d.Retries-min(d.Retries, x.Waiting.N*uint64(max(x.Unanswered.Sends, 1))), seq.Slow
		}
		if s.mayHaveRestarted(dir) || n < fewest || float64(n) < session.SpuriousShare*float64(s.MostRetries(dir)) {
			return c, false
		}
		c = Contribution{Cause: SpuriousRetries, Side: sides[dir], Certainty: Proved, weight: 0.2 * float64(n) / float64(max(d.Transmissions(), 1)), who: s.who(dir),
			Frames:   frames(s.side(dir).Signs.Unneeded.Frame),
			Numbers:  map[string]float64{"unneeded": float64(n), "retries": float64(d.Retries)},
			Sentence: fmt.Sprintf("%d of %d packets that %s sent again were not needed: what they repeat arrived without them.", n, d.Retries, s.who(dir))}
		if others := s.MostRetries(dir) - d.Retries; others > 0 {
			c.Sentence += fmt.Sprintf(" Of up to %s only the retry passed here.", count(others, "other", "others"))
		}
		w := s.heaviest(dir, s.side(dir).Signs.Unneeded, seq.Needless, kind)
		if len(c.Frames) == 0 { // what waited the longest then
			c.Frames = frames(w.Worst.Frame)
		}
		s.within(&c, &w)
		return c, true
	})
}

// reorderings: frames that overtook others on the way.
func reorderings(s *subject) []Contribution {
	return s.both(func(dir dissect.Dir) (c Contribution, ok bool) {
		g := &s.side(dir).Signs
		if !s.reordered(dir) {
			return c, false
		}
		c = Contribution{Cause: Reordering, Side: path, Certainty: Proved, weight: 0.3 * float64(g.Late.N) / float64(s.side(dir).Numbers), who: s.who(dir),
			Frames: frames(g.Late.Frame), Numbers: map[string]float64{"late": float64(g.Late.N), "by_ms": float64(g.LateBy) / 1e6},
			Sentence: fmt.Sprintf("The network reordered what %s sent: %s overtaken by later ones, by up to %s.", s.who(dir), count(g.Late.N, "packet was", "packets were"), span(g.LateBy))}
		w := s.heaviest(dir, g.Late, seq.Overtaken)
		s.within(&c, &w)
		return c, true
	})
}

// reordered reports whether frames of a side overtook others. Where a side began again, its
// older numbers look as if they came late.
func (s *subject) reordered(dir dissect.Dir) bool {
	g := &s.side(dir).Signs
	w := s.heaviest(dir, g.Late, seq.Overtaken)
	if g.Late.N < fewest || float64(g.Late.N) < reorderShare*float64(s.side(dir).Numbers) && !s.thick(&w, reorderShare) {
		return false
	}
	if s.misses() && g.Late.N <= s.Dir[dir].Duplicates {
		return false // a copy whose original the capture lacks looks as if that came late
	}
	return s.prev == nil && !s.followed() || g.LateBy < soonest
}

// soonest is the least time after which protocols send again what was not answered, ns.
const soonest = 200e6

// copies: datagrams that the network or the capture doubled.
func copies(s *subject) []Contribution {
	return s.both(func(dir dissect.Dir) (c Contribution, ok bool) {
		d := &s.Dir[dir]
		w := s.heaviest(dir, s.side(dir).Signs.Copies, seq.Copied)
		if d.Duplicates < fewest || float64(d.Duplicates) < copyShare*float64(d.Frames) && !s.thick(&w, copyShare) {
			return c, false
		}
		c = Contribution{Cause: HiddenCopies, Side: path, Certainty: Proved, weight: 0.1 * float64(d.Duplicates) / float64(d.Frames), who: s.who(dir),
			Frames: frames(s.side(dir).Signs.Copies.Frame), Numbers: map[string]float64{"copies": float64(d.Duplicates), "frames": float64(d.Frames)},
			Sentence: fmt.Sprintf("%d of %d packets of %s are duplicates made by the network or the capture.", d.Duplicates, d.Frames, s.who(dir))}
		s.within(&c, &w)
		return c, true
	})
}

// thick reports whether a share of the frames of a window has its trouble, however few that are
// of the whole connection.
func (s *subject) thick(w *window, least float64) bool {
	share, ok := w.Share()
	return ok && w.N >= fewest && share >= least
}

// skew: two captures were merged whose clocks differ.
func skew(s *subject) []Contribution {
	return s.both(func(dir dissect.Dir) (c Contribution, ok bool) {
		lead := s.side(dir).ClockLead
		if !s.leads(dir) {
			return c, false
		}
		return Contribution{Cause: ClockSkew, Side: path, Certainty: Proved, weight: 0.5, at: lead, From: s.clock(lead.Time), Frames: frames(lead.Frame),
			Numbers:  map[string]float64{"ms": float64(s.side(dir).LeadBy) / 1e6, "acknowledgements": float64(lead.N)},
			Sentence: fmt.Sprintf("The merged captures have clocks that differ by at least %s: %s before what is answered. Times between the sides mean nothing.", span(s.side(dir).LeadBy), count(lead.N, "answer comes", "answers come"))}, true
	})
}

// leads reports whether answers to a side come before what they answer.
func (s *subject) leads(dir dissect.Dir) bool {
	x := s.side(dir)
	whole := x.Uncaptured == 0 && s.Dir[dir].Missing() == 0
	return x.ClockLead.N > 0 && (whole || float64(x.ClockLead.N) >= leadShare*float64(x.Numbers))
}

// skewed reports whether the clocks of merged captures differ, so that times tell nothing.
func (s *subject) skewed() bool { return s.leads(0) || s.leads(1) }

// idleness: the transport answers, and no application data comes any more.
func idleness(s *subject) []Contribution {
	return s.both(func(dir dissect.Dir) (c Contribution, ok bool) {
		x := s.side(dir)
		quiet := x.Last.Time - x.Data.Time
		if x.Data.N == 0 || quiet < idleFor || s.Dir[dir].KeepAlives == 0 || s.ended() && s.firstClose() < 0 {
			return c, false
		}
		return Contribution{Cause: ApplicationIdle, Side: sides[dir], Certainty: Proved, weight: 0.05, who: s.who(dir), at: x.Data, From: s.clock(x.Data.Time), To: s.clock(x.Last.Time), Frames: frames(x.Data.Frame),
			Numbers:  map[string]float64{"ms": float64(quiet) / 1e6},
			Sentence: fmt.Sprintf("The game of %s said nothing after %s for %s, while the connection itself kept answering.", s.who(dir), s.in(x.Data), span(quiet))}, true
	})
}
