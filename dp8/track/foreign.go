package track

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
)

// foreignKeepAlive reports a KeepAlive of another session: receivers must
// ignore it (MC-DPL8R 3.1.5.2).
func (c *conn) foreignKeepAlive(d *dp8.DFrame) bool {
	foreign := d.KeepAlive && c.hs.sessionKnown && d.SessionID != c.c.SessionID
	if foreign {
		c.unsay(d.SessionID)
	}
	return foreign
}

// ignoreForeign takes a KeepAlive whose id is not the connection's: it takes no number, and
// where it goes on with this connection, it must not be acknowledged.
func (c *conn) ignoreForeign(dir int, num int64, d *dp8.DFrame) {
	if c.fr.Cut() || c.pair.knows(d.SessionID, c) {
		return
	}
	c.mark(dir, num, d)
	if c.fr.Words |= c.c.Dir[dir].Unnumbered(&c.sent, true); c.fr.Words.Has(dissect.Duplicate) {
		return
	}
	again := c.alive.other == d.SessionID // one that comes again is another connection's
	c.alive.other, c.alive.again = d.SessionID, again
	continues := !again && c.continues(dir, num, d.NRcv)
	if c.judge != nil {
		c.judge.content().judgeForeignKeepAlive(d, continues)
	}
	if continues && !c.hasIDBehind(d) {
		c.refuse(dir, num, foreignSession, c.doubtfulID())
	}
}

// continues reports whether a frame of side dir goes on with what its side sent, so
// that it belongs to no other connection of the same addresses (guard LIFE).
func (c *conn) continues(dir int, num int64, nrcv uint8) bool {
	m, other := &c.side[dir].history, &c.side[1-dir].history
	switch {
	case c.side[0].ended || c.side[1].ended || c.life.hard != [2]bool{} || c.trusted != 0:
		return false
	case !m.started:
		return num == 0 && c.c.Complete
	case !m.reachable(num):
		return false
	}
	return c.unwrapped(dir, m.sureSince) || c.c.Complete && c.pair.newest() == c && m.top > 3 && num == m.top+1 && other.started && uint8(other.top+1)-nrcv < 4
}

// hasIDBehind reports a KeepAlive with the connection's id behind 8 bytes: those of a signature,
// on a connection without signing (MC-DPL8R 2.2.2).
func (c *conn) hasIDBehind(d *dp8.DFrame) bool {
	return d.Control&dp8.CtlCoalesce == 0 && !d.HasSignature && len(d.Payload) == 8 && binary.LittleEndian.Uint32(d.Payload[4:]) == c.c.SessionID
}

// doubtfulID gives the guard that an id lacks which is not the connection's.
func (c *conn) doubtfulID() conform.Guard {
	switch handshake := c.hs.any; {
	case !handshake && !c.alive.sure:
		return conform.GuardStart // of two ids, which is the connection's?
	case !c.versionsSeen() && !(handshake && c.alive.seen && c.alive.id == c.c.SessionID):
		return conform.GuardVer // below 1.5 the four bytes may be payload
	}
	return conform.GuardNone
}
