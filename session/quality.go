package session

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
)

// Thresholds of the rules of Quality.
const (
	mirrorShare   = 0.4   // of a side's frames are copies when the capture makes them
	fewest        = 10    // observations that a share needs
	blackout      = 5e9   // ns of silence
	busyFrames    = 50    // that a connection must have for silence to be remarkable …
	busyPause     = 500e6 // … and their mean distance, ns
	shiftFactor   = 3     // by which a round trip must grow to have shifted …
	shiftLeast    = 100e6 // … and by how much, ns
	burstLength   = 3     // mean numbers of a run of losses in bursts
	spuriousShare = 0.2   // of retries that were not needed
	multiSpread   = 0.1   // between shares of numbers that took another path
	multiLeast    = 0.05  // least share
)

// see looks at every frame of a side for the rules of Quality.
func (d *Direction) see(fr *dissect.Frame) {
	if len(fr.Payload) == fr.Length && fr.Length <= dissect.LargestPacket-28 && !fr.BadChecksum && fr.Parts == 0 {
		return
	}
	d.ready()
	if fr.Cut() {
		d.signs.cut.see(fr.Frame, fr.Time)
	}
	if fr.BadChecksum {
		d.signs.badSum.see(fr.Frame, fr.Time)
	}
	if fr.Oversize() {
		d.signs.super.see(fr.Frame, fr.Time)
		d.long.see(fr)
	}
	if fr.Parts > 0 {
		d.signs.parts.see(fr.Frame, fr.Time)
		if fr.Part == 0 {
			d.signs.apart.see(fr.Frame, fr.Time)
		}
	}
}

// cuts is how many datagrams of the side the capture cut.
func (d *Direction) cuts() uint64 {
	if !d.open() {
		return 0
	}
	return d.signs.cut.n
}

// observe ends an opportunity of a rule of Quality: message says what was seen, ""
// when it was not. What shows only in what came later, as a number that was
// acknowledged before any below it was captured, is told at the first frame.
func (c *Conn) observe(rule, dir int, s sign, message string) {
	if message == "" {
		c.quality.Pass(rule)
		return
	}
	if s.frame == 0 {
		s.frame, s.time = c.FirstFrame, c.FirstTime
	}
	c.quality.Judge(Case{Rule: rule, Dir: dir, Frame: s.frame, Time: s.time, HasTime: s.time != 0, Message: message})
}

// when gives the text when it holds, else "".
func when(holds bool, format string, args ...any) string {
	if !holds {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// assess draws the conclusions about the capture of a connection that is settled,
// and says what most likely troubled it.
func (c *Conn) assess() {
	c.assessCapture()
	for dir := range c.Dir {
		c.assessSide(dir)
		c.diagnoseSide(dir)
	}
	c.diagnose()
}

// assessCapture looks at what both directions share.
func (c *Conn) assessCapture() {
	s := &c.Rules.sight
	first := sign{1, c.FirstFrame, c.FirstTime}
	c.observe(rCapDrops, 0, s.lost, when(s.drops, "the capture says it lost %d packets while the connection lived", s.lost.n))
	c.observe(rCapTime, 0, s.backwards, when(s.back, "time runs backwards %d times, by up to %s", s.backwards.n, millis(s.backMost)))
	for dir := range c.Dir {
		if lead := c.Dir[dir].clockLead(); lead > 0 {
			c.observe(rCapTime, dir, c.Dir[dir].ahead.first, fmt.Sprintf("the sides were captured with clocks that differ by %s at least: %d of %d acknowledgements come before what they acknowledge",
				millis(lead), c.Dir[dir].ahead.n, c.Dir[dir].distinct))
		}
	}
	if s.timed >= coarseAfter {
		c.observe(rCapClockres, 0, first, when(!s.fine, "all times are whole milliseconds: timers are not judged"))
	}
	if s.frames[0]+s.frames[1] >= coarseAfter {
		c.observe(rCapOneway, 0, first, when(s.frames[1] == 0, "%d frames one way, none back", s.frames[0]))
	}
	c.observe(rCapMidstart, 0, first, when(!c.Complete, "the connection began before the capture"))
}

// assessSide looks at what one side sent.
func (c *Conn) assessSide(dir int) {
	d := &c.Dir[dir]
	if d.Frames == 0 {
		return
	}
	s := &d.signs
	lost := d.notCaptured + d.byMaskOnly
	if !d.offloaded { // they may have been captured in what stood for several datagrams
		c.observe(rCapGap, dir, s.uncaptured, when(lost > 0, "%d of %d numbers were acknowledged but never captured: the capture lost them", lost, d.distinct+d.Missing()))
	}
	c.observe(rCapSnap, dir, s.cut, when(s.cut.n > 0, "%d of %d datagrams are cut by the snapshot length", s.cut.n, d.Frames))
	c.observe(rCapSum, dir, s.badSum, when(s.badSum.n > 0, "%d of %d datagrams have a wrong UDP checksum", s.badSum.n, d.Frames))
	c.assessOffload(dir)
	if d.Frames >= fewest {
		c.observe(rCapDup, dir, s.copies, when(float64(d.Duplicates) >= mirrorShare*float64(d.Frames),
			"%d of %d datagrams are copies: the capture sees packets twice", d.Duplicates, d.Frames))
	}
	if d.distinct > 0 {
		c.observe(rCapUploss, dir, s.asRetry, when(s.asRetry.n > 0, "%d of %d numbers were first captured as a retry: lost before the capture point, or by the capture", s.asRetry.n, d.distinct))
		c.observe(rCapReorder, dir, s.late, when(s.late.n > 0, "%d of %d first sendings came behind later ones, by up to %s", s.late.n, d.distinct, millis(d.late)))
	}
	d.paths.assess(c, dir)
}

// assessOffload looks at packets of one side that stood for several datagrams, or may
// have: both may be there.
func (c *Conn) assessOffload(dir int) {
	s := &c.Dir[dir].signs
	if s.super.n == 0 {
		c.observe(rCapOffload, dir, s.apart, when(s.apart.n > 0, "%s for %d datagrams (segmentation offload) and %s taken apart",
			counted(s.apart.n, "packet stands", "packets stand"), s.parts.n, one(s.apart.n, "was", "were")))
		return
	}
	message := counted(s.super.n, "datagram is", "datagrams are") + " larger than an Ethernet packet and no fragments: offload or jumbo frames"
	if c.Dir[dir].offloaded {
		message += ", and what seems missing may be in them"
	}
	if s.apart.n > 0 {
		message += fmt.Sprintf("; %s for %d datagrams and %s taken apart", counted(s.apart.n, "other packet stands", "other packets stand"), s.parts.n, one(s.apart.n, "was", "were"))
	}
	c.observe(rCapOffload, dir, s.super, message)
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
