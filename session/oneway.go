package session

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Thresholds of FLD-ONEWAY.
const (
	acklossShare = 0.5   // of retries that were not needed, from which on it is said why
	deafUnits    = 3     // new numbers that were never acknowledged …
	deafFrames   = 3     // … while so many frames of the peer were captured …
	deafAnswers  = 3     // … of which fewer do nothing but acknowledge …
	deafTrips    = 4     // … for so many round trips …
	deafLeast    = 500e6 // … and so long at least, ns
	deafPeer     = 1e9   // for how long the peer must be heard in the run, ns: what is on its way at its end is not
	deafSends    = 4     // sendings of an acknowledged number
)

// diagnoseRetries says of unneeded retries what is known of them, once: where the share
// is small that they are, else that acknowledgements are lost, or the timer too short.
func (c *Conn) diagnoseRetries(dir dissect.Dir) {
	d := &c.Dir[dir]
	if d.Retries < fewest {
		return
	}
	s := d.Quality().Signs()
	all, of := c.MostRetries(dir), ""
	if all > d.Retries {
		of = "at most "
	}
	share := float64(d.UnneededRetries) / float64(all)
	if d.UnneededRetries < fewest {
		share = 0
	}
	if c.cutOff(dir) {
		share = 0 // that is FLD-ONEWAY
	}
	most := share >= acklossShare
	c.observe(rFldSpurious, dir, s.Unneeded, when(!most && share >= SpuriousShare, "%d of %s%d retries were of acknowledged packets", d.UnneededRetries, of, all))
	c.observe(rFldAckloss, dir, s.Unneeded, when(most, "%d of %s%d retries were of acknowledged packets: acknowledgements are lost rather than data, or the timer is too short", d.UnneededRetries, of, all))
}

// MostRetries counts the retries that a side may have sent. Where a capture proves no loss before it,
// the first copy that it has of something may be a retry: of as much as is missing or left a gap.
func (c *Conn) MostRetries(dir dissect.Dir) uint64 {
	d := &c.Dir[dir]
	if before, _, _ := d.ProvesLoss(); before {
		return d.Retries
	}
	return d.Retries + max(d.Missing(), d.Gaps)
}

// unheard reports whether, to the end of the connection, nothing arrived that a side
// sent: its peer goes on and acknowledges nothing new. A burst of losses heals.
func (c *Conn) unheard(dir dissect.Dir) bool {
	run := c.Dir[dir].Quality().Unheard()
	return c.Dir[dir].Retries > 0 && run.Units >= deafUnits && run.Meanwhile() >= deafFrames && run.Answers() < deafAnswers && c.lasts(dir, run)
}

// deaf reports whether, to the end of the connection, a side sends again what its peer
// acknowledged.
func (c *Conn) deaf(dir dissect.Dir) bool {
	run := c.Dir[dir].Quality().Deaf()
	return run.First.N >= fewest && run.Most >= deafSends && c.lasts(dir, run)
}

// cutOff reports whether nothing arrives at a side, by what it or its peer sends.
func (c *Conn) cutOff(dir dissect.Dir) bool { return c.deaf(dir) || c.unheard(dir.Other()) }

// diagnoseOneWay tells a path that carries one direction alone. What a side shows by not
// hearing is left out where its peer shows it by not being heard.
func (c *Conn) diagnoseOneWay(dir dissect.Dir) {
	d := &c.Dir[dir]
	if d.Retries == 0 {
		return
	}
	if run := d.Quality().Unheard(); c.unheard(dir) {
		c.observe(rFldOneway, dir, run.First, when(true, "nothing sent from here on is acknowledged (%d new numbers in %s), while %d frames of the other side arrive: what %c sends does not reach it",
			run.Units, millis(run.Span()), run.Meanwhile(), 'a'+dir))
		return
	}
	run := d.Quality().Deaf()
	c.observe(rFldOneway, dir, run.First, when(c.deaf(dir) && !c.unheard(dir.Other()), "%d retries in %s up to the end, although acknowledgements pass here: %c does not receive what its peer sends",
		run.First.N, millis(run.Span()), 'a'+dir))
}

// lasts reports whether a run is long enough to be no burst of losses, goes on to the
// side's latest frame, and whether its peer is heard in it for a while: who is not fell
// silent, too.
func (c *Conn) lasts(dir dissect.Dir, run *seq.Deaf) bool {
	d := &c.Dir[dir]
	least := max(deafTrips*d.MinRTT(), deafLeast)
	peer := c.Rules.sight.last[dir.Other()] - run.First.Time
	return run.Span() >= least && d.Quality().Latest()-run.Last < least && peer >= max(least, deafPeer)
}
