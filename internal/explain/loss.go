package explain

import (
	"fmt"

	"github.com/dpdissect/dpdissect/session/seq"
)

// Thresholds of what is said of losses.
const (
	fewLosses   = 3    // losses of a side that are worth a word, or …
	lossShare   = 0.01 // … this share of what it sent
	burstRun    = 4    // numbers in a row that make a burst
	outageLeast = 1e9  // time without an acknowledgement that makes an outage, ns, and …
	outageTrips = 4    // … round trips
	outageUnits = 3    // new numbers in it
)

// contributors look for what made a connection slow or endangered it.
var contributors = []func(*subject) []Contribution{losses, bursts, outages, pauses, delays, bloat, starvation, stalls, spurious, reorderings, copies, skew, idleness}

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
			Frames: frames(g.Holes.Frame, g.AsRetry.Frame, g.Needed.Frame, g.Unacked.Frame),
			Numbers: map[string]float64{"lost": float64(n), "sent": sent, "share": min(float64(n)/sent, 1),
				"before_capture": float64(l.BeforeCapture), "after_capture": float64(l.AfterCapture)}}
		if proven := l.BeforeCapture + l.AfterCapture; proven < n {
			c.Certainty = Likely
			c.Sentence = fmt.Sprintf("About %.1f%% of what %s sent was lost, or its acknowledgement was (%d of %.0f; %d proven).", 100*c.Numbers["share"], s.who(dir), n, sent, proven)
			return c, true
		}
		c.Sentence = fmt.Sprintf("%.1f%% of what %s sent was lost (%d of %.0f)%s.", 100*c.Numbers["share"], s.who(dir), n, sent, whereLost(l))
		return c, true
	})
}

// lostOf is how much of what a side sent was lost, and of how much: what is proven, or what
// is likely where that is more. Numbers passed over are likely losses while the capture
// loses nothing; so are numbers that nothing, or only their retry, acknowledges.
func (s *subject) lostOf(dir int) (n uint64, sent float64) {
	d, x := &s.Dir[dir], s.side(dir)
	l, likely := d.Lost(), x.Signs.Unacked.N+x.Signs.Needed.N
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
		return fmt.Sprintf(", %d before and %d behind this capture point", l.BeforeCapture, l.AfterCapture)
	case l.AfterCapture > 0:
		return " behind this capture point"
	case l.BeforeCapture > 0:
		return " before this capture point"
	}
	return ""
}

// bursts: numbers in a row that did not come as far as here.
func bursts(s *subject) []Contribution {
	return s.both(func(dir int) (c Contribution, ok bool) {
		g := &s.side(dir).Signs
		if g.LongestHole < burstRun || s.side(dir).Uncaptured > 0 && s.Dir[dir].Lost().BeforeCapture == 0 {
			return c, false
		}
		return Contribution{Cause: LossBurst, Side: path, Certainty: Proved, weight: float64(g.LongestHole) / 20,
			From: s.clock(g.Holes.Time), To: s.clock(s.LastTime), Frames: frames(g.Holes.Frame),
			Numbers:  map[string]float64{"longest": float64(g.LongestHole), "runs": float64(g.Holes.N)},
			Sentence: fmt.Sprintf("What %s sent was lost in bursts: %s, the longest of %d in a row, the first before %s.", s.who(dir), count(g.Holes.N, "run of numbers is", "runs of numbers are")+" missing", g.LongestHole, s.in(g.Holes))}, true
	})
}

// outages: times in which nothing of what a side sent was acknowledged, which ended.
func outages(s *subject) []Contribution {
	return s.both(func(dir int) (c Contribution, ok bool) {
		run, last := s.side(dir).Healed, false
		if open := s.side(dir).Unheard; open.Span() > run.Span() && !s.ended() {
			run, last = open, true
		}
		if run.Units < outageUnits || run.Span() < max(outageLeast, outageTrips*s.side(dir).Trips.Least) {
			return c, false
		}
		c = Contribution{Side: path, Certainty: Likely, weight: float64(run.Span()) / 3e9, From: s.clock(run.First.Time), To: s.clock(run.Last),
			Frames: frames(run.First.Frame), Numbers: map[string]float64{"ms": float64(run.Span()) / 1e6, "units": float64(run.Units), "peer_frames": float64(run.Meanwhile())}}
		until := "then it went on"
		if last {
			until = "up to the end of the capture"
		}
		c.Sentence = fmt.Sprintf("For %s from %s on, nothing that %s sent was acknowledged (%s); %s.", span(run.Span()), s.in(run.First), s.who(dir), count(run.Units, "new number", "new numbers"), until)
		switch {
		case s.answersAll(dir):
			c.Cause, c.Side = LateAcks, sides[1-dir]
			c.Sentence += fmt.Sprintf(" Nothing of it was lost: %s answered all of it late, and at once.", s.who(1-dir))
		default:
			c.Cause = LossBurst
		}
		return c, true
	})
}

// answersAll reports whether each sending of a side was acknowledged, however late: what
// came late was not lost.
func (s *subject) answersAll(dir int) bool {
	paired := s.Dir[dir].Trips().PairedRTT()
	return paired.Samples > 0 && paired.Max > outageLeast && s.Dir[dir].Lost().AfterCapture == 0 && s.Dir[1-dir].Lost() == (seq.Lost{})
}
