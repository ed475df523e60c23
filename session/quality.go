package session

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Thresholds of the rules of Quality.
const (
	mirrorShare = 0.4   // of a side's frames are copies when the capture makes them
	fewest      = 10    // observations that a share needs
	blackout    = 5e9   // ns of silence
	busyFrames  = 50    // that a connection must have for silence to be remarkable …
	busyPause   = 500e6 // … and their mean distance, ns
	shiftFactor = 3     // by which a round trip must grow to have shifted …
	shiftLeast  = 100e6 // … and by how much, ns
	burstLength = 3     // mean numbers of a run of losses in bursts
)

// SpuriousShare is the share of a side's retries from which on those that were not needed
// are told.
const SpuriousShare = 0.2

// observe ends an opportunity of a rule of Quality: message says what was seen, ""
// when it was not. What shows only in what came later, as a number that was
// acknowledged before any below it was captured, is told at the first frame.
func (c *Conn) observe(rule int, dir dissect.Dir, s seq.Sign, message string) {
	if message == "" {
		c.quality.Pass(rule)
		return
	}
	if s.Frame == 0 {
		s.Frame, s.Time = c.FirstFrame, c.FirstTime
	}
	c.quality.Judge(conform.Case{Rule: rule, Dir: dir, Frame: s.Frame, Time: s.Time, HasTime: s.Time != 0, Message: message})
}

// when gives the text when it holds, else "".
func when(holds bool, format string, args ...any) string {
	if !holds {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// assessCapture looks at what both directions share.
func (c *Conn) assessCapture() {
	s := c.Rules.sight
	first := seq.SignAt(c.FirstFrame, c.FirstTime)
	c.observe(rCapDrops, 0, s.lost, when(s.lost.N > 0, "the capture reports %d dropped packets while the connection was open", s.lost.N))
	c.observe(rCapTime, 0, s.backwards, when(s.backwards.N > 0, "time runs backwards %d times, by up to %s", s.backwards.N, millis(s.backMost)))
	for dir := range dissect.Dirs {
		if lead, n, first := c.Dir[dir].Quality().ClockLead(); lead > 0 {
			c.observe(rCapTime, dir, first, fmt.Sprintf("the clocks at the two capture points differ by at least %s: %d of %d acknowledgements precede what they acknowledge",
				millis(lead), n, c.Dir[dir].Quality().Distinct()))
		}
	}
	if s.timed >= coarseAfter {
		c.observe(rCapClockres, 0, first, when(!s.fine, "all timestamps are whole milliseconds, so timers are not judged"))
	}
	if s.frames[0]+s.frames[1] >= coarseAfter {
		c.observe(rCapOneway, 0, first, when(s.frames[1] == 0, "%d frames in one direction, none in the other", s.frames[0]))
	}
	if c.crowded > 0 {
		c.observe(rCapCrowd, 0, first, fmt.Sprintf("%s of the address pair came before and %s given up: too many pairs were unrecognised at the same time",
			counted(uint64(c.crowded), "datagram", "datagrams"), one(uint64(c.crowded), "was", "were")))
	}
	c.observe(rCapMidstart, 0, first, when(!c.Complete, "the connection began before the capture"))
}

// assessSide looks at what one side sent.
func (c *Conn) assessSide(dir dissect.Dir) {
	d := &c.Dir[dir]
	if d.Frames == 0 {
		return
	}
	s := d.Quality().Signs()
	lost := d.Quality().Uncaptured()
	if !d.Offloaded() { // they may have been captured in what stood for several datagrams
		c.observe(rCapGap, dir, s.Uncaptured, when(lost > 0, "%d of %d numbers were acknowledged but never captured: the capture missed them", lost, d.Quality().Distinct()+d.Missing()))
	}
	odd := s.Odd()
	c.observe(rCapSnap, dir, odd.Cut, when(odd.Cut.N > 0, "%d of %d datagrams are cut by the snapshot length", odd.Cut.N, d.Frames))
	c.observe(rCapSum, dir, odd.BadSum, when(odd.BadSum.N > 0, "%d of %d datagrams have a wrong UDP checksum", odd.BadSum.N, d.Frames))
	c.assessOffload(dir)
	if d.Frames >= fewest {
		c.observe(rCapDup, dir, s.Copies, when(float64(d.Duplicates) >= mirrorShare*float64(d.Frames),
			"%d of %d datagrams are copies: the capture contains packets twice", d.Duplicates, d.Frames))
	}
	if d.Quality().Distinct() > 0 {
		c.observe(rCapUploss, dir, s.AsRetry, when(s.AsRetry.N > 0, "%d of %d numbers were first captured as a retry: lost before the capture point, or by the capture", s.AsRetry.N, d.Quality().Distinct()))
		c.observe(rCapReorder, dir, s.Late, when(s.Late.N > 0, "%d of %d first transmissions were captured after later ones, by up to %s", s.Late.N, d.Quality().Distinct(), millis(s.LateBy)))
	}
	if least, most, stable, ok := d.Quality().SecondPath(); ok {
		c.observe(rCapMultipath, dir, s.Uncaptured,
			when(stable, "between %d%% and %d%% of all numbers never pass the capture point, although they are acknowledged: there is a second path", least, most))
	}
}

// assessOffload looks at packets of one side that stood for several datagrams, or may
// have: both may be there.
func (c *Conn) assessOffload(dir dissect.Dir) {
	s := c.Dir[dir].Quality().Signs().Odd()
	if s.Oversize.N == 0 {
		c.observe(rCapOffload, dir, s.Apart, when(s.Apart.N > 0, "%s for %d datagrams (segmentation offload) and %s split",
			counted(s.Apart.N, "packet stands", "packets stand"), s.Parts.N, one(s.Apart.N, "was", "were")))
		return
	}
	message := counted(s.Oversize.N, "datagram is", "datagrams are") + " larger than an Ethernet packet without being fragmented: offload or jumbo frames"
	if c.Dir[dir].Offloaded() {
		message += ", and frames that seem to be missing may be inside"
	}
	if s.Apart.N > 0 {
		message += fmt.Sprintf("; %s for %d datagrams and %s split", counted(s.Apart.N, "other packet stands", "other packets stand"), s.Parts.N, one(s.Apart.N, "was", "were"))
	}
	c.observe(rCapOffload, dir, s.Oversize, message)
}

// one picks a word by number.
func one(n uint64, single, several string) string {
	if n == 1 {
		return single
	}
	return several
}

// counted is a number with its word.
func counted(n uint64, single, several string) string {
	return fmt.Sprintf("%d %s", n, one(n, single, several))
}

// millis is a duration for people.
func millis(ns int64) string {
	if ns < 10e6 {
		return fmt.Sprintf("%.1f ms", float64(ns)/1e6)
	}
	return fmt.Sprintf("%.0f ms", float64(ns)/1e6)
}
