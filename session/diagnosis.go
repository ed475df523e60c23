package session

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// diagnoseSide says what most likely troubled what one side sent.
func (c *Conn) diagnoseSide(dir dissect.Dir) {
	d := &c.Dir[dir]
	s := d.Quality().Signs()
	if d.Retries > 0 && s.LargestAcked > 0 {
		u := &s.Stuck
		c.observe(rFldMtu, dir, seq.SignAt(u.Frame, u.Time), when(c.blackHole(dir), "%d bytes were sent %d times and never acknowledged, while up to %d bytes were: a path with a smaller MTU", u.Size, u.Sends, s.LargestAcked))
	}
	c.diagnoseRetries(dir)
	c.diagnoseOneWay(dir)
	if d.Missing() >= fewest && c.Rules.sight.lost.N == 0 { // what the capture lost came in bursts, too
		mean := float64(s.PassedOver) / float64(max(s.Holes.N, 1))
		c.observe(rFldBurst, dir, s.Holes, when(mean >= burstLength, "%d numbers passed over in %d runs, the longest of %d: losses come in bursts", s.PassedOver, s.Holes.N, s.LongestHole))
	}
	if s.FirstTrip > 0 && s.SlowTrip > 0 {
		grown := s.SlowTrip > shiftFactor*s.FirstTrip && s.SlowTrip-s.FirstTrip > shiftLeast
		c.observe(rFldRttshift, dir, s.SlowAt, when(grown, "the time until acknowledgement grows from %s to %s", millis(s.FirstTrip), millis(s.SlowTrip)))
	}
	c.diagnoseLosses(dir)
}

// holeSends is how often a unit is sent unanswered before its size is blamed.
const holeSends = 3

// blackHole reports whether nothing larger than some size that a side sends arrives, while
// what is smaller does.
func (c *Conn) blackHole(dir dissect.Dir) bool {
	d := &c.Dir[dir]
	s := d.Quality().Signs()
	u := &s.Stuck
	return u.Sends >= holeSends && s.LargestAcked > 0 && u.Size > s.LargestAcked && u.Others > 0 && !d.Acknowledged(u.Num)
}

// diagnoseLosses tells on which side of the capture point losses happened.
func (c *Conn) diagnoseLosses(dir dissect.Dir) {
	l := c.Dir[dir].Lost()
	all := l.BeforeCapture + l.AfterCapture
	if all < fewest {
		return
	}
	where, n := "before", l.BeforeCapture
	if l.AfterCapture > n {
		where, n = "after", l.AfterCapture
	}
	c.observe(rFldSide, dir, seq.SignAt(c.FirstFrame, c.FirstTime), when(float64(n) >= 0.9*float64(all), "%d of %d packets were lost %s the capture point", n, all, where))
}

// diagnoseGiveUp names the unit whose missing acknowledgement ended the connection.
func (c *Conn) diagnoseGiveUp(dir dissect.Dir) {
	if c.State != TimedOut {
		return
	}
	if u, ok := c.Dir[dir].Unanswered(); ok {
		c.observe(rFldGiveup, dir, seq.SignAt(u.Frame, u.Time), c.sayUnanswered(&u)+": the connection was given up")
	}
}

// sayUnanswered says what was sent again and never acknowledged.
func (c *Conn) sayUnanswered(u *seq.StuckUnit) string {
	return fmt.Sprintf("reliable packet %d, size %d, not acknowledged after %s, %d resends", u.Num, u.Size, millis(c.LastTime-u.Time), u.Sends-1)
}

// diagnose says what most likely troubled the connection as a whole.
func (c *Conn) diagnose() {
	s := c.Rules.sight
	alone := s.frames[1] == 0
	if alone && (s.frames[0] >= 2 || c.State == Refused) && c.Complete {
		x := conform.Case{Rule: rFldNoreply, Frame: c.FirstFrame, Time: c.FirstTime, HasTime: c.HasTime}
		x.Message = counted(s.frames[0], "attempt", "attempts") + ", no answer"
		if c.State == Refused {
			x.Message += ": the port is unreachable (ICMP)"
			x.Proof = []uint64{c.Unreachable.Frame}
		} else {
			x.Blocked = conform.GuardBidir // the answers may have passed elsewhere
		}
		c.quality.Judge(x)
	}
	if n := s.frames[0] + s.frames[1]; n >= busyFrames && !alone {
		pause := (s.now - s.firstAt - s.silence) / int64(n)
		dark := s.silence >= blackout && pause < busyPause && s.backwards.N == 0 && c.State != TimedOut
		c.observe(rFldBlackout, 0, s.wokenBy, when(dark, "both directions are silent for %.1f s, then continue", float64(s.silence)/1e9))
	}
}

// Unreadable says that the connection is encrypted: nothing inside can be judged.
func (c *Conn) Unreadable() {
	c.observe(rFldDtls, 0, seq.SignAt(c.FirstFrame, c.FirstTime), "the payload is DTLS: its contents cannot be judged")
}

// suspectInjection looks at a frame that was just proven impossible: with another
// time to live than its sender's it is not from there.
func (c *Conn) suspectInjection() {
	s := c.Rules.sight
	l := c.quality
	if l.fr() == nil || s.ttlRun[l.dir] < usualTTL {
		return
	}
	if !l.Check(rFldInject, !s.stranger) {
		l.Broken(rFldInject, when(true, "time to live %d among frames with %d: most likely not sent by the endpoint", l.fr().TTL, s.ttl[l.dir]))
	}
}
