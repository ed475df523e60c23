package explain

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Thresholds of what is said of time.
const (
	queueRate   = 4   // by which a side must have sent faster
	queueLeast  = 4e3 // bytes a second at least: the slowest links carry more
	queueSteps  = 2   // in a row by which the round trip must have grown: what jumps was held back …
	queueClimb  = 5   // … where the queue is still full when the capture ends
	starvedFor  = 5e9 // ns
	starvedSent = 3
	resentShare = 0.3 // what a wait weighs that a loss explains
)

// possible is the shortest round trip of a side by any measure, ns, 0 when none is known.
func (s *subject) possible(dir dissect.Dir) (least int64) {
	if t := s.side(dir).Trips; t.Known {
		least = max(t.Least, 1)
	}
	d := &s.Dir[dir]
	for _, r := range []seq.RTT{d.RTT(), d.Trips().PairedRTT(), d.Trips().PingRTT()} {
		if r.Samples > 0 && (least == 0 || r.Min < least) {
			least = max(r.Min, 1)
		}
	}
	return least
}

// slowest is the longest wait of a side for an answer by any measure, ns.
func (s *subject) slowest(dir dissect.Dir) (most int64) {
	d := &s.Dir[dir]
	for _, r := range []seq.RTT{d.RTT(), d.Trips().PairedRTT(), d.Trips().PingRTT()} {
		if r.Samples > 0 {
			most = max(most, r.Max)
		}
	}
	for _, w := range s.windows(dir, 0, long, seq.Slow, seq.Waited) {
		most = max(most, w.Most)
	}
	if run := s.side(dir).Healed; run.Units >= outageUnits {
		most = max(most, run.Span())
	}
	return most
}

// delays: answers that came far later than the path needs, and the worst of them. What waits
// only because it was lost is told with less weight: the loss is the cause.
func delays(s *subject) []Contribution {
	return s.all(func(dir dissect.Dir) (out []Contribution) {
		var longest Contribution
		least, resent := s.possible(dir), int64(0)
		for _, w := range s.windows(dir, spellsJoin, long, seq.Slow, seq.Waited) {
			if least == 0 || !seq.Slowly(w.Most, least) || !s.unusual(dir, &w) {
				continue
			}
			c := s.delay(dir, &w, least)
			switch {
			case s.slowIn(dir, &w):
				out = append(out, c)
			case w.Most > resent: // of those, the longest is enough
				longest, resent = c, w.Most
			}
		}
		if resent > 0 {
			out = append(out, longest)
		}
		if run := s.side(dir).Healed; len(out) == 0 && s.outage(dir, run) && !s.lostSome(dir) && !s.answersAll(dir) {
			out = append(out, s.unanswered(dir, run, least))
		}
		return out
	})
}

// unanswered tells of a time in which nothing that a side sent was answered, of whose packets
// none is known to have been answered in the end, nor to be lost.
func (s *subject) unanswered(dir dissect.Dir, run seq.Deaf, least int64) Contribution {
	return Contribution{Cause: Delay, Side: path, Certainty: Likely, weight: float64(run.Span()) / 3e9, who: s.who(dir), at: run.First, From: s.clock(run.First.Time), To: s.clock(run.Last), Frames: frames(run.First.Frame),
		Numbers:  map[string]float64{"min_ms": float64(least) / 1e6, "max_ms": float64(run.Span()) / 1e6},
		Sentence: s.noAnswer(dir, run) + "; then answers came again."}
}

// noAnswer is the sentence, up to its end, that nothing a side sent was answered for a while.
func (s *subject) noAnswer(dir dissect.Dir, run seq.Deaf) string {
	return fmt.Sprintf("For %s from %s on, there is no answer to anything that %s sent (%s)", span(run.Span()), s.in(run.First), s.who(dir), count(run.Units, "new packet", "new packets"))
}

// delay tells of one time of late answers.
func (s *subject) delay(dir dissect.Dir, w *window, least int64) Contribution {
	c := Contribution{Cause: Delay, Side: path, Certainty: Proved, weight: float64(w.Most) / 3e9, who: s.who(dir), Frames: frames(w.Worst.Frame),
		Numbers: map[string]float64{"min_ms": float64(least) / 1e6, "max_ms": float64(w.Most) / 1e6}}
	c.Sentence = fmt.Sprintf("What %s sent at %s was answered only after %s, where %s is possible on this path", s.who(dir), s.in(w.Worst), span(w.Most), span(least))
	switch {
	case !s.slowIn(dir, w):
		c.weight *= resentShare
		c.Sentence += ": it had to be sent again."
	case w.N < lateInARow && !s.misses():
		// Nothing shows that the capture misses packets, yet it may have missed the one answer
		// that came in time: the next one of many protocols says the same.
		c.Certainty = Likely
		c.Sentence += ", as far as this capture shows."
	default:
		c.Sentence += "."
	}
	if s.misses() {
		c.Sentence = c.Sentence[:len(c.Sentence)-1] + ", as far as this capture shows, which misses packets."
		if c.Certainty = Likely; w.N < lateInARow {
			c.Certainty, c.weight = Unsettled, c.weight*openWeight
		}
	}
	s.within(&c, w)
	return c
}

// How far above the usual spread of its answers a wait is that tells of trouble: some
// protocols' answers wait for others, and are late now and then though nothing is wrong.
// Where so large a share of the answers of a time is late, and so many, it is not now and then.
const (
	usualSpread = 4
	lateShare   = 0.5
	lateAnswers = 10
	lateInARow  = 5      // late answers in one time that are not the fault of a capture that misses packets …
	lateAlone   = 400e6  // … of fewer nobody takes notice unless they are late by so much, ns
	neverUsual  = 1200e6 // ns that no protocol's answers wait for others
)

// unusual reports whether a time of late answers tells of trouble.
func (s *subject) unusual(dir dissect.Dir, w *window) bool {
	r := s.Dir[dir].RTT()
	if w.N < lateInARow && w.Most-s.possible(dir) < lateAlone {
		return false
	}
	if r.Samples == 0 || w.Most >= neverUsual || w.Most >= r.P50+usualSpread*(r.P95-r.P50) {
		return true
	}
	lived := max(s.LastTime-s.FirstTime, 1)
	expected := float64(r.Samples) * float64(w.To-w.From) / float64(lived)
	return w.N >= lateAnswers && float64(w.N) >= lateShare*expected
}

// spellsJoin joins times of delay of different kinds as those of one kind are.
const spellsJoin = seq.SpellGap

// slowIn reports whether something in a window came late that was not lost.
func (s *subject) slowIn(dir dissect.Dir, w *window) bool {
	for _, x := range s.side(dir).Spells[seq.Slow] {
		if x.From <= w.To && x.To >= w.From {
			return true
		}
	}
	return false
}

// queues: the round trip grows step by step as a side sends faster, and falls again with it.
// What one side sends also delays what its peer is told with it.
func queues(s *subject) []Contribution {
	return s.both(func(dir dissect.Dir) (c Contribution, ok bool) {
		w := &s.side(dir).Swell
		filler := dissect.Dir(0)
		if w.PeakRate[1]*w.BaseRate[0] > w.PeakRate[0]*w.BaseRate[1] {
			filler = 1
		}
		from, to := float64(w.BaseRate[filler]), float64(w.PeakRate[filler])
		if w.Base == 0 || !seq.Slowly(w.Peak, w.Base) || to < max(queueRate*from, queueLeast) || w.Rose < queueSteps || !w.Recovered && (w.Rose < queueClimb || s.misses()) || s.lossy(dir) || s.silenced(w) || s.point().Near == sides[dir.Other()] {
			return c, false // no queue fits between a capture point and the machine at which it is
		}
		who, least, drained := s.who((dir+filler)%2), s.possible(dir), ""
		if w.Recovered {
			drained = ", and came sooner again when it sent less"
		}
		c = Contribution{Cause: Bufferbloat, Side: path, Certainty: Likely, weight: float64(w.Peak) / 1e9, who: who, at: w.At, Frames: frames(w.At.Frame),
			Numbers: map[string]float64{"from_ms": float64(least) / 1e6, "to_ms": float64(w.Peak) / 1e6, "from_bytes_per_s": from, "to_bytes_per_s": to},
			Sentence: fmt.Sprintf("Most likely a queue filled up on the path from %s: as it sent more (%.1f instead of %.1f kB/s), answers took longer and longer, %s instead of %s at %s%s.",
				who, to/1000, from/1000, span(w.Peak), span(least), s.in(w.At), drained)}
		s.within(&c, s.around(dir, w.At))
		return c, true
	})
}

// silenced reports whether nothing that one of the sides sent was answered for a while before the
// round trip was the longest, and nothing came of its peer: what waited then explains it. Through a
// queue that fills packets keep coming.
func (s *subject) silenced(w *seq.Swell) bool {
	for dir := range dissect.Dirs {
		if run := s.side(dir).Healed; s.outage(dir, run) && run.Meanwhile() <= fewMeanwhile && run.First.Time <= w.At.Time && run.Last >= w.At.Time-w.Peak {
			return true
		}
	}
	return false
}

// lossy reports whether losses explain that answers came late.
func (s *subject) lossy(dir dissect.Dir) bool {
	n, sent := s.lostOf(dir)
	return n >= fewLosses && float64(n) >= lossShare*sent
}

// around is the time of slow answers around a moment.
func (s *subject) around(dir dissect.Dir, at seq.Sign) *window {
	for _, x := range s.windows(dir, spellsJoin, long, seq.Slow, seq.Waited) {
		if x.From <= at.Time && x.To >= at.Time {
			return &x
		}
	}
	return &window{seq.Spell{From: at.Time, To: at.Time, Worst: at}}
}

// starvation: one packet is sent again without end and never answered, while others are.
func starvation(s *subject) []Contribution {
	return s.both(func(dir dissect.Dir) (c Contribution, ok bool) {
		u, ok := s.starved(dir)
		size := " of " + count(uint64(u.Size), "byte", "bytes")
		last := s.side(dir).Last.Time
		if x := &s.side(dir).Losses.Starved; !ok && s.starves(dir, x) {
			u, ok, size, last = x, true, "", x.Latest
		}
		waited := last - u.Time
		if !ok || u.Sends < starvedSent || waited < starvedFor || s.discarded(dir) || s.discarded(dir.Other()) {
			return c, false
		}
		orRefused := ""
		if s.Dir[dir].HasSignatures {
			orRefused = ", or it was not accepted"
		}
		return Contribution{Cause: UnitStarved, Side: path, Certainty: Likely, weight: float64(waited) / 10e9, who: s.who(dir), From: s.clock(u.Time), To: s.clock(last), at: seq.SignAt(u.Frame, u.Time), Frames: frames(u.Frame),
			Numbers: map[string]float64{"number": float64(u.Num), "sent": float64(u.Sends), "ms": float64(waited) / 1e6},
			Sentence: fmt.Sprintf("One message%s was sent %s by %s from %s on, over %s, and this capture has no answer to it, though it has answers to others. Most likely it, or the answers to it, did not arrive%s.",
				size, count(u.Sends, "time", "times"), s.who(dir), s.in(seq.SignAt(u.Frame, u.Time)), span(waited), orRefused)}, true
	})
}

// starves reports whether a message that nothing answers is still being sent again when the
// side was last seen: one that is sent no more was answered, or given up, by what the capture
// does not have.
func (s *subject) starves(dir dissect.Dir, u *seq.StuckUnit) bool {
	if u.Sends < starvedSent || s.side(dir).LatestAcked <= u.Time+starvedFor {
		return false
	}
	between := (u.Latest - u.Time) / int64(u.Sends-1)
	return s.side(dir).Last.Time-u.Latest <= 2*between
}
