package explain

import (
	"fmt"

	"github.com/dpdissect/dpdissect/session/seq"
)

// Thresholds of what is said of time.
const (
	slowFactor  = 3     // times the least round trip that is far above it, and …
	slowLeast   = 150e6 // … so much, ns
	bloatRate   = 1.5   // by which the rate of sending must have grown
	starvedFor  = 5e9   // ns
	starvedSent = 3
)

// slowest gives the longest round trip of a side by the method that knows most of it.
func (s *subject) slowest(dir int) (least, most int64, by string) {
	d := &s.Dir[dir]
	least, by = s.side(dir).Trips.Least, "units captured once"
	if r := d.RTT(); r.Samples > 0 {
		most = r.Max
	}
	if r := d.Trips().PairedRTT(); r.Samples > 0 && r.Max > most {
		most, by = r.Max, "each acknowledgement paired with its transmission"
	}
	if r := d.Trips().PingRTT(); r.Samples > 0 {
		if least == 0 || r.Min < least {
			least = r.Min
		}
		if r.Max > most {
			most, by = r.Max, "pings"
		}
	}
	if run := s.side(dir).Healed; run.Span() > most && run.Units >= outageUnits {
		most, by = run.Span(), "the longest wait for an acknowledgement"
	}
	return least, most, by
}

// delays: round trips far above the connection's own least.
func delays(s *subject) []Contribution {
	return s.both(func(dir int) (c Contribution, ok bool) {
		least, most, by := s.slowest(dir)
		if least == 0 || most < slowFactor*least || most-least < slowLeast {
			return c, false
		}
		g, from, to := &s.side(dir).Signs, s.FirstTime, s.LastTime
		if run := s.side(dir).Healed; run.Units > 0 && run.Span() >= most { // it says when
			from, to = run.First.Time, run.First.Time+run.Span()
		}
		return Contribution{Cause: Delay, Side: path, Certainty: Likely, weight: float64(most) / 3e9, From: s.clock(from), To: s.clock(to),
			Frames:   frames(g.SlowAt.Frame, s.side(dir).Healed.First.Frame),
			Numbers:  map[string]float64{"min_ms": float64(least) / 1e6, "max_ms": float64(most) / 1e6},
			Sentence: fmt.Sprintf("Acknowledgements of what %s sent took up to %s, where %s is possible (measured by %s).", s.who(dir), span(most), span(least), by)}, true
	})
}

// bloat: the round trip grows with the rate of sending of a side, and falls with it. What
// one side sends also delays what its peer is told with it.
func bloat(s *subject) []Contribution {
	return s.both(func(dir int) (c Contribution, ok bool) {
		w := &s.side(dir).Swell
		filler := 0
		if w.PeakRate[1]*w.BaseRate[0] > w.PeakRate[0]*w.BaseRate[1] {
			filler = 1
		}
		from, to := float64(w.BaseRate[filler]), float64(w.PeakRate[filler])
		if w.Base == 0 || w.Peak < slowFactor*w.Base || w.Peak-w.Base < slowLeast || to < bloatRate*from || !w.Recovered {
			return c, false
		}
		who := s.who((dir + filler) % 2)
		return Contribution{Cause: Bufferbloat, Side: path, Certainty: Likely, weight: float64(w.Peak) / 1e9, From: s.clock(w.At.Time), To: s.clock(s.LastTime), Frames: frames(w.At.Frame),
			Numbers: map[string]float64{"from_ms": float64(w.Base) / 1e6, "to_ms": float64(w.Peak) / 1e6, "from_bytes_per_s": from, "to_bytes_per_s": to},
			Sentence: fmt.Sprintf("A queue filled up on the path from %s: as it sent more (%.1f instead of %.1f kB/s), the round trip grew from %s to %s by %s, and fell again when it sent less.",
				who, to/1000, from/1000, span(w.Base), span(w.Peak), s.in(w.At))}, true
	})
}

// starvation: one unit is sent again without end while others pass.
func starvation(s *subject) []Contribution {
	return s.both(func(dir int) (c Contribution, ok bool) {
		u, ok := s.starved(dir)
		size := ", " + count(uint64(u.Size), "byte", "bytes")
		if x := &s.side(dir).Losses.Starved; !ok && x.Sends >= starvedSent && s.side(dir).LatestAcked > x.Time+starvedFor {
			u, ok, size = x, true, ""
		}
		waited := s.side(dir).Last.Time - u.Time
		if !ok || u.Sends < starvedSent || waited < starvedFor {
			return c, false
		}
		return Contribution{Cause: UnitStarved, Side: path, Certainty: Likely, weight: float64(waited) / 10e9, From: s.clock(u.Time), To: s.clock(s.LastTime), Frames: frames(u.Frame),
			Numbers: map[string]float64{"number": float64(u.Num), "sent": float64(u.Sends), "ms": float64(waited) / 1e6},
			Sentence: fmt.Sprintf("One unit of %s never gets through: number %d%s was sent %s since %s, while others arrive.", s.who(dir), u.Num, size,
				count(u.Sends, "time", "times"), s.in(seq.SignAt(u.Frame, u.Time)))}, true
	})
}
