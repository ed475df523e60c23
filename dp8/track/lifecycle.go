package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Give-up limits: how often a side tries the same thing before it takes the
// connection for lost (MC-DPL8R 3.1.2.1: 14 retries of CONNECT; 3.1.2.5: 10 of
// a data frame). Some of the last retries may be missing from the capture when
// silence follows.
const (
	connectGiveUp = 15 // CONNECTs, the first included
	dataGiveUp    = 11 // sendings of one number, the first included
	missedTries   = 3
	giveUpSilence = 5e9 // ns of silence behind the last try, the cap of both timers
)

// sawData notes what a data frame says about the life of the connection.
func (c *conn) sawData(dir dissect.Dir, num seq.Num, d *dp8.DFrame, copies int) {
	s := &c.side[dir]
	if c.life.state == session.Opening && (c.hs.Answered || c.hs.Confirmed) {
		c.establish() // data flows: the missing confirmation was not captured
	}
	if c.Frame.Words&(dissect.Retry|dissect.Duplicate) == dissect.Retry {
		c.life.try(dir, copies, dataGiveUp, c.Frame.Time)
	}
	if d.Control&dp8.CtlEndStream == 0 || s.Ended {
		return
	}
	s.Ended, s.EndSeq = true, num
	c.closing(dir, func(first dissect.Dir) bool {
		// It crosses the other side's when it was sent without having received that.
		end := c.side[first].EndSeq
		return near(end, d.NRcv) <= end
	})
	c.life.graceful = c.life.graceful || c.life.hard == [2]bool{}
	if c.side[dir.Other()].Ended {
		c.life.state = session.Closed
	} else if c.life.state < session.Closing {
		c.life.state = session.Closing
	}
}

// someEnded reports whether an END_STREAM was captured.
func (c *conn) someEnded() bool { return c.side[0].Ended || c.side[1].Ended }

// closing notes whose closing frame was captured first; crosses tells whether a
// second one within a round trip was sent on its own and is no answer.
func (c *conn) closing(dir dissect.Dir, crosses func(first dissect.Dir) bool) {
	side := session.Side(dir + 1)
	switch l := &c.life; l.closer {
	case session.NoSide:
		l.closer, l.closeAt = side, c.Frame.Time
	case side, session.BothSides:
	default:
		if crosses(dir.Other()) {
			l.closer = session.BothSides
		}
	}
}

// hardDisconnect tracks an abrupt close (MC-DPL8R 3.1.5.1.4).
func (c *conn) hardDisconnect(dir dissect.Dir) {
	h := &c.Packet.Handshake
	if len(c.Frame.Payload) < 16 {
		return // cut by the capture: whose it is and whether it is genuine is not known
	}
	num := c.nextSend(&c.side[dir], h.RspID)
	if c.c.HasSessionID && h.SessionID != c.c.SessionID {
		c.strayHard(dir, h)
		return // of another session: ignored
	}
	if !c.authentic(dir, num, h.HasSignature, 16, h.Signature) {
		return
	}
	c.Frame.Words |= c.c.Dir[dir].Unnumbered(c.sending(0, seq.Unmarked), true) // bMsgID tells repetitions
	c.heedHard(dir, num, h)
}

// heedHard tracks a HARD_DISCONNECT that is not known to be forged.
func (c *conn) heedHard(dir dissect.Dir, num seq.Num, h *dp8.Handshake) {
	c.Frame.Words |= dissect.Close
	if !c.Frame.Cut() && !c.Frame.Words.Has(dissect.Duplicate) {
		if c.c.HasSessionID {
			c.lives(dir, true, 0)
		}
		c.noteTick(dir, h.Timestamp)
		c.tellOf(dir, num, Resets)
	}
	c.knowSession(h.SessionID)
	c.knowVersion(dir, h.Version)
	if c.life.hard[dir] {
		return
	}
	c.life.hard[dir] = true
	c.closing(dir, func(first dissect.Dir) bool {
		// An answer needs the way to the peer and back; what is clearly faster than
		// the quickest answer so far was sent before.
		return !c.side[first].Ended && c.Frame.Time-c.life.closeAt < c.c.Dir[first].MinRTT()*3/4
	})
	switch {
	case c.life.state == session.Closed:
	case dir == c.life.trier && c.life.tries >= dataGiveUp-missedTries:
		c.life.state = session.TimedOut
	case c.someEnded():
		c.life.state = session.Closed
	default:
		c.life.state = session.Reset
	}
}

// unreachable tracks an ICMP notice.
func (c *conn) unreachable(answered bool) {
	switch {
	case c.life.state == session.Opening && !answered:
		c.life.state = session.Refused
	case c.life.state == session.Established || c.life.state == session.StateUnknown:
		c.life.state = session.Reset
	}
}

// TimedOut implements session.TimeLimit: it reports whether a side gave up after tries without any reaction, when nothing came until end.
func (c *conn) TimedOut(end int64) bool {
	return c.life.state <= session.Closing && c.life.gaveUp(end)
}

// finish settles the connection. end is the time of the last packet captured.
func (c *conn) finish(end int64) {
	if c.finished {
		return
	}
	c.finished = true
	for dir := range dissect.Dirs {
		if len(c.side[dir].keys.held) > 0 {
			c.believeHeld(dir, false)
		}
		c.c.Dir[dir].Provisionals().End()
		c.refuted(dir)
	}
	for dir := range dissect.Dirs {
		c.endClaims(dir, ClaimLeft)
	}
	var unproven [2]bool
	for dir := range dissect.Dirs {
		s := &c.side[dir]
		s.asm.close()
		c.settleKeys(dir)
		n := s.keys.finish()
		c.c.Dir[dir].Signatures.Unverifiable += n
		unproven[dir] = n > 0
	}
	if c.judge != nil {
		c.judge.End(unproven)
	}
	l := &c.life
	if c.TimedOut(end) {
		l.state = session.TimedOut
	}
	c.c.State = l.state
	if l.state == session.Closed || l.state == session.Reset || l.state == session.Closing {
		c.c.ClosedBy = l.closer
	}
	c.flow.Finish(c.c)
	c.free()
}

// free forgets what only a connection that goes on asks for: frames of this one are
// counted from now on and judged no longer.
func (c *conn) free() {
	c.strays = nil
	for i := range c.side {
		s := &c.side[i]
		s.History.close()
		s.unjudged, s.doubts, s.refused = nil, nil, nil
		s.asm.buf, s.asm.sum = nil, nil
	}
}
