package track

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// foreignKeepAlive reports a KeepAlive of another session: receivers must
// ignore it (MC-DPL8R 3.1.5.2).
func (c *conn) foreignKeepAlive(d *dp8.DFrame) bool {
	foreign := d.KeepAlive && c.c.HasSessionID && d.SessionID != c.c.SessionID
	if foreign {
		c.unsay(d.SessionID)
	}
	return foreign
}

// ignoreForeign takes a KeepAlive whose id is not the connection's: it takes no number, and
// where it goes on with this connection, it must not be acknowledged.
func (c *conn) ignoreForeign(dir dissect.Dir, num seq.Num, d *dp8.DFrame) {
	if c.Frame.Cut() || c.pair.knows(d.SessionID, c) {
		return
	}
	c.mark(dir, num, d)
	if c.Frame.Words |= c.c.Dir[dir].Unnumbered(&c.Sent, true); c.Frame.Words.Has(dissect.Duplicate) {
		return
	}
	again := c.alive.other == d.SessionID // one that comes again is another connection's
	c.alive.other, c.alive.again = d.SessionID, again
	c.OtherID = OtherID{!again && c.continues(dir, num, d.NRcv), c.hasIDBehind(d), c.doubtfulID()}
	c.tellOf(dir, num, Foreign)
	if c.OtherID.Continues && !c.OtherID.Behind {
		c.refuse(dir, num, ForeignSession, c.OtherID.Doubt)
	}
}

// continues reports whether a frame of side dir goes on with what its side sent, so
// that it belongs to no other connection of the same addresses (guard LIFE).
func (c *conn) continues(dir dissect.Dir, num seq.Num, nrcv uint8) bool {
	m, other := &c.side[dir].History, &c.side[dir.Other()].History
	switch {
	case c.side[0].Ended || c.side[1].Ended || c.life.hard != [2]bool{} || c.trusted != 0:
		return false
	case !m.Started:
		next, said := c.side[dir].nseq.Known()
		return num == 0 && c.c.Complete && c.Frame.Time-c.c.FirstTime <= longSilence && !(said && next > 1)
	case !m.Reachable(num):
		return false
	}
	return c.unwrapped(dir, m.SureSince) || c.c.Complete && c.pair.newest() == c && m.Top > 3 && num == m.Top+1 && other.Started && uint8(other.Top+1)-nrcv < 4
}

// hasIDBehind reports a KeepAlive with the connection's id behind 8 bytes: those of a signature,
// on a connection without signing (MC-DPL8R 2.2.2).
func (c *conn) hasIDBehind(d *dp8.DFrame) bool {
	return d.Control&dp8.CtlCoalesce == 0 && !d.HasSignature && len(d.Payload) == 8 && binary.LittleEndian.Uint32(d.Payload[4:]) == c.c.SessionID
}

// An OtherID is what is known of a KeepAlive whose id is not the connection's.
type OtherID struct {
	Continues bool // it goes on with this connection
	Behind    bool // the connection's id stands behind 8 more bytes
	Doubt     IDDoubt
}

// IDDoubt is why an id that is not the connection's may be none of another one.
type IDDoubt uint8

const (
	IDKnown   IDDoubt = iota
	IDOneOf           // of two ids, which is the connection's?
	IDPayload         // below 1.5 the four bytes may be payload
)

// doubtfulID tells whether it is in doubt that an id is another one's.
func (c *conn) doubtfulID() IDDoubt {
	switch handshake := c.hs.any; {
	case !handshake && !c.alive.sure:
		return IDOneOf
	case !c.versionsSeen() && !(handshake && c.alive.seen && c.alive.id == c.c.SessionID):
		return IDPayload
	}
	return IDKnown
}
