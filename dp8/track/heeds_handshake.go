package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
)

// An attempt are the CONNECTs of one side.
type attempt struct {
	n   int
	top uint8 // highest bMsgID
	at  int64 // when that was captured
}

func (a *attempt) add(fr *dissect.Frame, h *dp8.Handshake) {
	if a.n++; a.n == 1 || h.MsgID > a.top {
		a.top, a.at = h.MsgID, fr.Time
	}
}

// A Greeting is what a frame of the handshake says beside those before it.
type Greeting struct {
	Foreign   bool // it names another session
	Sound     bool // of a CONNECT: no receiver ignores it
	Exchanged bool // … it shows that the roles are the other way round

	// Of a CONNECTED or CONNECTED_SIGNED.
	FromListener bool
	Known        bool    // whether the handshake is signed was, before it
	Keeps        bool    // it keeps to that
	Offered      [2]bool // the listener had sent CONNECTED, CONNECTED_SIGNED before it
	Follows      bool    // of another session: it goes on with one before it, which answered a CONNECT of this connection
	Secrets      bool    // its secrets are those of the connection
}

// heedsHandshake reports whether a CONNECT, CONNECTED or CONNECTED_SIGNED may change anything.
func (c *conn) heedsHandshake(dir dissect.Dir, h *dp8.Handshake) bool {
	if c.Frame.Cut() {
		c.blind = true
		return !(len(c.Frame.Payload) >= 12 && c.isForeign(h))
	}
	if c.Frame.Words.Has(dissect.Duplicate) {
		c.tell(dir, Greets)
		return false
	}
	if h.Opcode == dp8.OpConnect {
		return c.heedsConnect(dir, h)
	}
	return c.heedsAnswer(dir, h)
}

// isForeign reports a command frame of another session.
func (c *conn) isForeign(h *dp8.Handshake) bool {
	return c.c.HasSessionID && h.SessionID != c.c.SessionID
}

// isSound reports a CONNECT that no receiver ignores (MC-DPL8R 2.2.1.1).
func isSound(h *dp8.Handshake) bool {
	return h.Command&dp8.Poll != 0 && h.RspID == 0 && h.Version>>16 == 1 && (h.SessionID != 0 || h.Version&0xffff < 5)
}

// heedsConnect reports whether a CONNECT may change anything: not when it names another
// session, nor, once the handshake is over, when receivers ignore it.
func (c *conn) heedsConnect(dir dissect.Dir, h *dp8.Handshake) bool {
	foreign, good := c.isForeign(h), isSound(h)
	c.Greeting.Foreign, c.Greeting.Sound = foreign, good
	c.tell(dir, Greets)
	opening := c.life.state == session.Opening
	switch {
	case foreign && good && opening: // the attempt goes on under another id
		c.attempts[dir].add(c.Frame, h)
		s := newStray(c.Frame, dir, h.SessionID)
		s.silent = true
		c.addStray(s)
		return false
	case foreign:
		return false
	case !good:
		return opening
	}
	c.lives(dir, true, 0)
	c.noteTick(dir, h.Timestamp)
	c.attempts[dir].add(c.Frame, h)
	return true
}

// heedsAnswer reports whether a CONNECTED or CONNECTED_SIGNED may change anything: not when it
// has another major version, another session, or is signed in an unsigned handshake
// (MC-DPL8R 2.2.1.2, 2.2.1.3, 3.1.5.1.2, 3.1.5.1.3).
func (c *conn) heedsAnswer(dir dissect.Dir, h *dp8.Handshake) bool {
	if h.Version>>16 != 1 {
		c.tell(dir, Greets)
		return false
	}
	x := &c.Greeting
	if x.Foreign = c.isForeign(h); x.Foreign {
		c.strayAnswer(dir, h)
		return false
	}
	if x.FromListener = h.Command&dp8.Poll != 0; c.connector >= 0 {
		x.FromListener = dir != c.connector
	}
	c.keepsKind(h)
	signed := h.Opcode == dp8.OpConnectedSigned
	if signed && c.hs.Connects > 0 {
		c.readSigned(h, x.FromListener)
	}
	if x.FromListener && x.Keeps {
		c.meetRival()
	}
	c.tell(dir, Greets)
	if signed && x.FromListener {
		c.addOffer(h)
	}
	if !x.Keeps {
		return false
	}
	c.lives(dir, true, 0)
	c.noteTick(dir, h.Timestamp)
	return true
}

// strayAnswer takes an answer with another session id.
func (c *conn) strayAnswer(dir dissect.Dir, h *dp8.Handshake) {
	s := newStray(c.Frame, dir, h.SessionID)
	s.rsp, s.pending = h.RspID, !c.hs.Answered
	c.Stray, c.Greeting.Follows = s, c.followsStray(s)
	c.tell(dir, Greets)
	if !c.Greeting.Follows {
		c.addStray(s)
	}
}

// meetRival looks at the listener's answer to a CONNECT that came while it had another
// connection with the same address: it ignores that (MC-DPL8R 3.1.5.1.1). That it still has
// the other one shows when it goes on there.
func (c *conn) meetRival() {
	o := c.rival
	if c.rival = nil; o == nil || o.finished || o.life.state > session.Established {
		return
	}
	if o.life.state != session.Established && (o.hs.Signed || !o.hs.plain) {
		return // who signs keeps no state of a pending handshake
	}
	s := newStray(c.Frame, o.c.DirOf(c.Frame.Datagram), c.c.SessionID)
	s.side = s.From
	if o.judge != nil {
		o.judge.Stray(s)
	}
	o.addStray(s)
}
