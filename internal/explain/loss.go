package explain

import (
	"fmt"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Thresholds of what is said of losses.
const (
	fewLosses   = 3                // losses of a side that are worth a word, or …
	lossShare   = 0.01             // … this share of what it sent
	burstRun    = 4                // numbers in a row that make a burst …
	likelyRun   = 4                // … where it is not proven that they were lost on the way
	outageLeast = 1e9              // time without an acknowledgement that makes an outage, ns, and …
	outageTrips = 4                // … round trips
	outageUnits = seq.SeveralUnits // new numbers in it

	fewMeanwhile = 2 // frames that were on their way when a program stood still

	// answeredShare is how much of what was sent while a program stood still it answers late, at
	// least: the latest waits for no longer than ever, and protocols give up what is unreliable.
	answeredShare = 0.3
	openWeight    = 0.3 // of what the capture may have missed

	// neededShare is the least share of the retries of a side that seem to have been needed for
	// that to count: of many that were not, some are answered by chance when one that was
	// needed would be.
	neededShare = 0.25
)

// contributors look for what made a connection slow or endangered it.
var contributors = []func(*subject) []Contribution{losses, bursts, outages, lateness, delays, queues, starvation, stalls, spurious, reorderings, copies, skew, idleness}

// both asks for each side.
func (s *subject) both(look func(dir dissect.Dir) (Contribution, bool)) []Contribution {
	return s.all(func(dir dissect.Dir) []Contribution {
		if c, ok := look(dir); ok {
			return []Contribution{c}
		}
		return nil
	})
}

// all asks for each side that was captured, whose packets it is then about.
func (s *subject) all(look func(dir dissect.Dir) []Contribution) (out []Contribution) {
	for dir := range dissect.Dirs {
		if s.speaks(dir) {
			for _, c := range look(dir) {
				c.Direction = sides[dir]
				out = append(out, c)
			}
		}
	}
	return out
}

// lossWeight makes a loss of 5% worth telling (slowFrom): a game shows it to its players.
const lossWeight = 2

// losses: what a side sent and did not arrive, as far as that is proven, or else likely.
func losses(s *subject) []Contribution {
	return s.all(func(dir dissect.Dir) []Contribution {
		d, g := &s.Dir[dir], &s.side(dir).Signs
		l := d.Lost()
		n, sent := s.lostOf(dir)
		proven := l.BeforeCapture + l.AfterCapture
		if n < fewLosses || n < fewLosses*2 && float64(n) < lossShare*sent {
			return nil
		}
		c := Contribution{Cause: Loss, Side: path, Certainty: Proved, weight: lossWeight * float64(n) / sent, who: s.who(dir),
			Frames: frames(g.Holes.Frame, g.AsRetry.Frame, s.side(dir).Losses.Needed.Frame, s.side(dir).Losses.Unacked.Frame),
			Numbers: map[string]float64{"lost": float64(n), "sent": sent, "share": min(float64(n)/sent, 1),
				"before_capture": float64(l.BeforeCapture), "after_capture": float64(l.AfterCapture)}}
		if s.misses() && proven < n && s.retriesTell(dir) {
			n = max(proven, s.side(dir).Losses.Needed.N)
			c.Numbers["lost"], c.Numbers["share"] = float64(n), min(float64(n)/sent, 1)
		}
		share := 100 * c.Numbers["share"]
		switch {
		case proven >= n:
			c.Sentence = fmt.Sprintf("%.1f%% of what %s sent was lost (%d of %.0f)%s.", share, c.who, n, sent, whereLost(l))
		case s.misses() && !s.retriesTell(dir):
			c.Certainty, c.weight = Unsettled, c.weight*openWeight
			c.Sentence = fmt.Sprintf("About %.1f%% of what %s sent, or of the answers to it, was lost or is missing from this capture, which misses packets (%d of %.0f; %s proven).", share, c.who, n, sent, lossesAre(proven))
		default:
			c.Certainty = Likely
			c.Sentence = fmt.Sprintf("Most likely about %.1f%% of what %s sent, or of the answers to it, was lost (%d of %.0f; %s proven).", share, c.who, n, sent, lossesAre(proven))
		}
		return s.spread(c, dir)
	})
}

// spread gives losses of a side their windows: the numbers stand with the heaviest.
func (s *subject) spread(c Contribution, dir dissect.Dir) (out []Contribution) {
	list := s.windows(dir, quietGap, many, seq.Missed)
	if len(list) == 0 {
		s.within(&c, &window{seq.Spell{From: s.FirstTime, To: s.LastTime}})
		return []Contribution{c}
	}
	most := s.heaviest(dir, seq.Sign{}, seq.Missed)
	for i := range list {
		w, x := &list[i], c
		if w.From != most.From {
			if w.N < fewLosses {
				continue
			}
			x.Frames, x.Numbers = frames(w.Worst.Frame), map[string]float64{"lost": float64(w.N)}
			x.weight *= float64(w.N) / float64(max(most.N, 1)) / 2
			x.Sentence = fmt.Sprintf("Another %d of these losses are between %s and %s.", w.N, s.at(w.From), s.at(w.To))
		} else if len(list) > 1 {
			x.Sentence += fmt.Sprintf(" Most of it was between %s and %s.", s.at(w.From), s.at(w.To))
		}
		s.within(&x, w)
		out = append(out, x)
	}
	return out
}

// misses reports whether something shows that the capture lacks packets of the connection.
func (s *subject) misses() bool { return s.missed(0) || s.missed(1) }

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
// is likely where that is more. Numbers that were passed over and did not come late are likely
// losses; so are numbers that nothing, or only their retry, acknowledges.
func (s *subject) lostOf(dir dissect.Dir) (n uint64, sent float64) {
	d, x := &s.Dir[dir], s.side(dir)
	l, likely := d.Lost(), x.Losses.Unacked.N
	if s.needs(dir) {
		likely += x.Losses.Needed.N
	}
	if s.answersAll(dir) || s.skewed() {
		likely = 0
	}
	if x.Uncaptured == 0 && s.end.Dropped.N == 0 && !s.takesOver(dir) {
		likely += max(d.Missing(), s.passed(dir))
	}
	return max(l.BeforeCapture+l.AfterCapture, likely), float64(max(d.Transmissions(), x.Numbers, 1))
}

// passed counts the numbers of a side that were passed over and did not come late, as far as that
// tells of losses: on a path that reorders one may come after its own retry.
func (s *subject) passed(dir dissect.Dir) uint64 {
	g := &s.side(dir).Signs
	if s.reordered(0) || s.reordered(1) || s.answersAll(dir) {
		return 0
	}
	return g.PassedOver - min(g.PassedOver, g.Late.N+g.Soon)
}

// takesOver reports whether the numbers of a side may go on from those of the connection before
// this one, in which what is missing here was captured.
func (s *subject) takesOver(dir dissect.Dir) bool {
	return (s.prev != nil || s.from != nil) && s.side(dir).Signs.Holes.Time-s.FirstTime < staleAfter
}

// needs reports whether retries of a side that seem to have been needed tell of losses: they
// do not where most were not needed, nor where a path that reorders explains them.
func (s *subject) needs(dir dissect.Dir) bool {
	n, d := s.side(dir).Losses.Needed.N, &s.Dir[dir]
	return float64(n) >= neededShare*float64(d.Retries) && !s.reordered(0) && !s.reordered(1)
}

// toldShare is the share of the retries of a side that must seem to have been needed for them to
// tell of losses where the capture misses packets: the answers that came in time may be among
// these, and answers that came late make retries, too.
const toldShare = 0.5

// retriesTell reports whether losses of a side show though the capture misses packets: what it
// misses arrived, and is not sent again.
func (s *subject) retriesTell(dir dissect.Dir) bool {
	n := s.side(dir).Losses.Needed.N
	return n >= 2*fewLosses && s.needs(dir) && float64(n) >= toldShare*float64(s.Dir[dir].Retries) && !s.answersAll(dir) && !s.skewed()
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

// bursts: numbers in a row that were lost, before the capture point or after it.
func bursts(s *subject) []Contribution {
	return s.all(func(dir dissect.Dir) (out []Contribution) {
		x := s.side(dir)
		g, before := &x.Signs, s.Dir[dir].Lost().BeforeCapture
		longest, first, certainty := uint64(g.LongestHole), g.Holes, Likely
		if before >= longest {
			certainty = Proved
		}
		if s.misses() || s.takesOver(dir) || s.passed(dir) == 0 {
			longest = 0 // the capture lost them, they came late, or in the connection before
		}
		if l := &x.Losses; l.Longest > longest && !s.answersAll(dir) && (s.needs(dir) || l.Unacked.N >= l.Longest) {
			longest, first, certainty = l.Longest, l.Needed, Likely
			if l.Unacked.N > l.Needed.N {
				first = l.Unacked
			}
		}
		if s.skewed() || longest < burstRun || certainty == Likely && longest < likelyRun {
			return nil
		}
		c := Contribution{Cause: LossBurst, Side: path, Certainty: certainty, weight: float64(longest) / 20, who: s.who(dir)}
		if certainty != Proved && s.misses() {
			c.Certainty, c.weight = Unsettled, c.weight*openWeight
		}
		list := slices.DeleteFunc(s.windows(dir, spellsJoin, many, seq.Missed), func(w window) bool { return w.N < burstRun })
		if len(list) == 0 {
			list = []window{{seq.Spell{From: first.Time, To: first.Time, N: longest, Worst: first}}}
		}
		for i := range list {
			one, w := c, &list[i]
			n := min(w.N, longest)
			switch c.Certainty {
			case Proved:
				one.Sentence = fmt.Sprintf("Up to %d packets of %s in a row were lost from %s on.", n, c.who, s.in(w.Worst))
			case Likely:
				one.Sentence = fmt.Sprintf("Most likely up to %d packets of %s in a row, or the answers to them, were lost from %s on.", n, c.who, s.in(w.Worst))
			default:
				one.Sentence = fmt.Sprintf("Up to %d packets of %s in a row from %s on, or the answers to them, were lost or are missing from this capture, which misses packets.", n, c.who, s.in(w.Worst))
			}
			one.Numbers, one.weight, one.Frames = map[string]float64{"longest": float64(n)}, c.weight*float64(n)/float64(longest), frames(w.Worst.Frame)
			s.within(&one, w)
			out = append(out, one)
		}
		return out
	})
}

// outages: times in which nothing of what a side sent was acknowledged, which ended, or go
// on up to the end of the capture.
func outages(s *subject) []Contribution {
	return s.both(func(dir dissect.Dir) (c Contribution, ok bool) {
		run, open := s.wait(dir)
		if !s.outage(dir, run) {
			return c, false
		}
		peer := dir.Other()
		c = Contribution{Cause: LossBurst, Side: path, Certainty: Likely, weight: float64(run.Span()) / 3e9, who: s.who(dir), From: s.clock(run.First.Time), To: s.clock(run.Last), at: run.First,
			Frames: frames(run.First.Frame), Numbers: map[string]float64{"ms": float64(run.Span()) / 1e6, "units": float64(run.Units), "peer_frames": float64(run.Meanwhile())}}
		until := "then answers came again"
		switch {
		case open && s.followed():
			until = "this lasted until another connection of the same addresses began"
		case open:
			until = "this lasted until the end of the capture"
		}
		c.Sentence = fmt.Sprintf("%s; %s.", s.noAnswer(dir, run), until)
		switch {
		case !open && !s.followed() && s.stoodStill(peer, run) && s.answered(dir, run) && !s.mayHaveRestarted(peer): // else its program may have ended
			c.Cause, c.Side, c.who, c.weight = PeerStalled, sides[peer], s.who(peer), c.weight*1.5
			c.Sentence += fmt.Sprintf(" All of it passed this capture point at the machine of %s: most likely the program there stood still.", s.who(peer))
		case s.answersAll(dir):
			c.Cause, c.Side, c.who = LateAcks, sides[peer], s.who(peer)
			c.Sentence += fmt.Sprintf(" Each packet was answered in the end, all at once: %s, or the path, held everything back.", s.who(peer))
		case s.lostIn(dir, run):
		default:
			return c, false // how long it took is told as delay
		}
		return c, true
	})
}

// wait is the longest time for which nothing that a side sent was acknowledged, and whether
// it lasts up to the end of the capture.
func (s *subject) wait(dir dissect.Dir) (run seq.Deaf, open bool) {
	run = s.side(dir).Healed
	if last := s.side(dir).Unheard; last.Span() > run.Span() && !s.ended() {
		return last, true
	}
	return run, false
}

// outage reports whether a wait is long enough to be told.
func (s *subject) outage(dir dissect.Dir, run seq.Deaf) bool {
	return run.Units >= outageUnits && run.Span() >= max(outageLeast, outageTrips*s.side(dir).Trips.Least)
}

// stoodStill reports whether a side that the capture was made at received everything in a
// wait of its peer, and sent nothing. What came there all at once, at the end, was held back.
func (s *subject) stoodStill(dir dissect.Dir, run seq.Deaf) bool {
	return s.point().Near == sides[dir] && run.Meanwhile() <= fewMeanwhile && run.Several != 0 && run.Last-run.Several >= outageLeast
}

// answered reports whether what a side sent in a wait was answered when the wait was over. Of
// fewer packets, where the capture misses some, the answers may be among these.
func (s *subject) answered(dir dissect.Dir, run seq.Deaf) bool {
	all := s.side(dir).Spells
	if all == nil || s.misses() && run.Units < ignoredUnits {
		return false
	}
	n := uint64(0)
	for _, kind := range []seq.SpellKind{seq.Slow, seq.Waited} {
		for _, x := range all[kind] {
			if x.From <= run.Last && x.To >= run.First.Time {
				n += x.N
			}
		}
	}
	return float64(n) >= answeredShare*float64(run.Units)
}

// lostSome reports whether something shows that frames of a side, or of its peer, were
// lost.
func (s *subject) lostSome(dir dissect.Dir) bool {
	g, back := &s.side(dir).Losses, &s.side(dir.Other()).Signs
	return g.Needed.N+g.Unacked.N+s.Dir[dir].Lost().AfterCapture >= fewLosses || back.LongestHole >= burstRun && back.Uncaptured.N == 0
}

// lostIn is lostSome for what was lost in a wait.
func (s *subject) lostIn(dir dissect.Dir, run seq.Deaf) bool {
	if !s.lostSome(dir) {
		return false
	}
	n := uint64(0)
	for side := range dissect.Dirs {
		all := s.side(side).Spells
		if all == nil {
			continue
		}
		for _, x := range all[seq.Missed] {
			if x.From <= run.Last && x.To >= run.First.Time {
				n += x.N
			}
		}
	}
	return n >= fewLosses
}

// answersAll reports whether each transmission of a side that was repeated has an answer of
// its own, however late: what came late was not lost. A number that was sent k times has k
// pairs then, one more than retries.
func (s *subject) answersAll(dir dissect.Dir) bool {
	paired := s.Dir[dir].Trips().PairedRTT()
	return paired.Samples > s.Dir[dir].Retries && s.Dir[dir].Lost().AfterCapture == 0 && s.Dir[dir.Other()].Lost() == (seq.Lost{})
}
