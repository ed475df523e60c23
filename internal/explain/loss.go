package explain

import (
	"fmt"

	"github.com/dpdissect/dpdissect/session/seq"
)

// Thresholds of what is said of losses.
const (
	fewLosses   = 3    // losses of a side that are worth a word, or …
	lossShare   = 0.01 // … this share of what it sent
	burstRun    = 4    // numbers in a row that make a burst …
	likelyRun   = 6    // … where it is not proven that they were lost on the way
	outageLeast = 1e9  // time without an acknowledgement that makes an outage, ns, and …
	outageTrips = 4    // … round trips
	outageUnits = 3    // new numbers in it

	fewMeanwhile = 2 // frames that were on their way when a program stood still
)

// contributors look for what made a connection slow or endangered it.
var contributors = []func(*subject) []Contribution{losses, bursts, outages, lateness, delays, bloat, starvation, stalls, spurious, reorderings, copies, skew, idleness}

// both asks for each side.
func (s *subject) both(look func(dir int) (Contribution, bool)) (out []Contribution) {
	for dir := range sides {
		if s.speaks(dir) {
			if c, ok := look(dir); ok {
				out = append(out, c)
			}
		}
	}
	return out
}

// losses: what a side sent and did not arrive, as far as that is proven, or else likely.
func losses(s *subject) []Contribution {
	return s.both(func(dir int) (c Contribution, ok bool) {
		d, g := &s.Dir[dir], &s.side(dir).Signs
		l := d.Lost()
		n, sent := s.lostOf(dir)
		if n < 2 || n < fewLosses && float64(n) < lossShare*sent {
			return c, false
		}
		c = Contribution{Cause: Loss, Side: path, Certainty: Proved, weight: float64(n) / sent, From: s.clock(s.FirstTime), To: s.clock(s.LastTime),
			Frames: frames(g.Holes.Frame, g.AsRetry.Frame, s.side(dir).Losses.Needed.Frame, s.side(dir).Losses.Unacked.Frame),
			Numbers: map[string]float64{"lost": float64(n), "sent": sent, "share": min(float64(n)/sent, 1),
				"before_capture": float64(l.BeforeCapture), "after_capture": float64(l.AfterCapture)}}
		if proven := l.BeforeCapture + l.AfterCapture; proven < n {
			c.Certainty = Likely
			c.Sentence = fmt.Sprintf("About %.1f%% of what %s sent, or of its acknowledgements, was lost (%d of %.0f; %s proven).", 100*c.Numbers["share"], s.who(dir), n, sent, lossesAre(proven))
			return c, true
		}
		c.Sentence = fmt.Sprintf("%.1f%% of what %s sent was lost (%d of %.0f)%s.", 100*c.Numbers["share"], s.who(dir), n, sent, whereLost(l))
		return c, true
	})
}

// lossesAre is "no loss is", "1 loss is", "3 losses are".
func lossesAre(n uint64) string {
	switch n {
	case 0:
		return "no loss is"
	case 1:
		return "1 loss is"
	}
	return fmt.Sprintf("%d losses are", n)
}

// lostOf is how much of what a side sent was lost, and of how much: what is proven, or what
// is likely where that is more. Numbers passed over are likely losses while the capture
// loses nothing; so are numbers that nothing, or only their retry, acknowledges.
func (s *subject) lostOf(dir int) (n uint64, sent float64) {
	d, x := &s.Dir[dir], s.side(dir)
	l, likely := d.Lost(), x.Losses.Unacked.N+x.Losses.Needed.N
	if s.answersAll(dir) {
		likely = 0
	}
	if x.Uncaptured == 0 && s.end.Dropped.N == 0 {
		likely += max(d.Missing(), x.Signs.PassedOver)
	}
	return max(l.BeforeCapture+l.AfterCapture, likely), float64(max(d.Sendings(), x.Numbers, 1))
}

// whereLost says on which side of the capture point losses happened.
func whereLost(l seq.Lost) string {
	switch {
	case l.BeforeCapture > 0 && l.AfterCapture > 0:
		return fmt.Sprintf(", %d before and %d after this capture point", l.BeforeCapture, l.AfterCapture)
	case l.AfterCapture > 0:
		return " after this capture point"
	case l.BeforeCapture > 0:
		return " before this capture point"
	}
	return ""
}

// bursts: numbers in a row that were lost, before the capture point or behind it.
func bursts(s *subject) []Contribution {
	return s.both(func(dir int) (c Contribution, ok bool) {
		x := s.side(dir)
		g, before := &x.Signs, s.Dir[dir].Lost().BeforeCapture
		longest, first, certainty := uint64(g.LongestHole), g.Holes, Likely
		if before >= longest {
			certainty = Proved
		}
		if x.Signs.Uncaptured.N > 0 || s.end.Dropped.N > 0 {
			longest = 0 // the capture lost them, most likely
		}
		if l := &x.Losses; l.Longest > longest && !s.answersAll(dir) {
			longest, first, certainty = l.Longest, l.Needed, Likely
			if l.Unacked.N > l.Needed.N {
				first = l.Unacked
			}
		}
		if longest < burstRun || certainty == Likely && longest < likelyRun {
			return c, false
		}
		return Contribution{Cause: LossBurst, Side: path, Certainty: certainty, weight: float64(longest) / 20,
			From: s.clock(first.Time), To: s.clock(s.LastTime), Frames: frames(first.Frame), Numbers: map[string]float64{"longest": float64(longest)},
			Sentence: fmt.Sprintf("Losses of what %s sent came in bursts: up to %d packets in a row, the first at %s.", s.who(dir), longest, s.in(first))}, true
	})
}

// outages: times in which nothing of what a side sent was acknowledged, which ended, or go
// on up to the end of the capture.
func outages(s *subject) []Contribution {
	return s.both(func(dir int) (c Contribution, ok bool) {
		run, open := s.wait(dir)
		if !s.outage(dir, run) {
			return c, false
		}
		c = Contribution{Cause: LossBurst, Side: path, Certainty: Likely, weight: float64(run.Span()) / 3e9, From: s.clock(run.First.Time), To: s.clock(run.Last),
			Frames: frames(run.First.Frame), Numbers: map[string]float64{"ms": float64(run.Span()) / 1e6, "units": float64(run.Units), "peer_frames": float64(run.Meanwhile())}}
		until := "then it continued"
		if open {
			until = "this lasted until the end of the capture"
		}
		c.Sentence = fmt.Sprintf("For %s from %s on, nothing that %s sent was acknowledged (%s); %s.", span(run.Span()), s.in(run.First), s.who(dir), count(run.Units, "new number", "new numbers"), until)
		switch peer := 1 - dir; {
		case s.stoodStill(peer, run):
			c.Cause, c.Side, c.weight = PeerStalled, sides[peer], c.weight*1.5
			c.Sentence += fmt.Sprintf(" All of it reached the machine of %s, where the program had stopped running.", s.who(peer))
		case s.answersAll(dir):
			c.Cause, c.Side = LateAcks, sides[peer]
			c.Sentence += fmt.Sprintf(" None of it was lost: %s answered all of it late, in one go.", s.who(peer))
		case s.lostSome(dir):
		default:
			return c, false // how long it took is told as delay
		}
		return c, true
	})
}

// wait is the longest time for which nothing that a side sent was acknowledged, and whether
// it lasts up to the end of the capture.
func (s *subject) wait(dir int) (run seq.Deaf, open bool) {
	run = s.side(dir).Healed
	if last := s.side(dir).Unheard; last.Span() > run.Span() && !s.ended() {
		return last, true
	}
	return run, false
}

// outage reports whether a wait is long enough to be told.
func (s *subject) outage(dir int, run seq.Deaf) bool {
	return run.Units >= outageUnits && run.Span() >= max(outageLeast, outageTrips*s.side(dir).Trips.Least)
}

// stoodStill reports whether a side that the capture was made at received everything in a
// wait of its peer, and sent nothing.
func (s *subject) stoodStill(dir int, run seq.Deaf) bool {
	return s.point().Near == sides[dir] && run.Meanwhile() <= fewMeanwhile
}

// lostSome reports whether something shows that frames of a side, or of its peer, were
// lost.
func (s *subject) lostSome(dir int) bool {
	g, back := &s.side(dir).Losses, &s.side(1-dir).Signs
	return g.Needed.N+g.Unacked.N+s.Dir[dir].Lost().AfterCapture >= fewLosses || back.LongestHole >= burstRun && back.Uncaptured.N == 0
}

// answersAll reports whether each sending of a side was acknowledged, however late: what
// came late was not lost.
func (s *subject) answersAll(dir int) bool {
	paired := s.Dir[dir].Trips().PairedRTT()
	return paired.Samples > 0 && paired.Max > outageLeast && s.Dir[dir].Lost().AfterCapture == 0 && s.Dir[1-dir].Lost() == (seq.Lost{})
}
