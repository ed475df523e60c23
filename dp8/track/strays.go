package track

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Stray is a frame that names another session than its connection's. It is
// of this connection when that goes on; until then it may belong to a new one
// whose start was not captured.
type Stray struct {
	id      uint32
	rsp     uint8
	From    dissect.Dir // its sender
	Frame   uint64
	Time    int64
	Timed   bool
	side    dissect.Dir // whose frames show that the connection goes on, -1 for either
	pending bool        // the handshake of the connection was still under way
	seen    int         // data frames in sequence since
	next    [2]seq.Num  // number of each side that is in sequence
	silent  bool        // the id was merely named
	Outcome StrayOutcome
}

// StrayOutcome is what became of a stray.
type StrayOutcome uint8

const (
	StrayOpen    StrayOutcome = iota
	StrayOurs                 // its connection goes on: the frame was of that
	StrayTheirs               // another connection has its id
	StrayUnknown              // nothing shows whose it was
)

// Bounds of strays.
const (
	maxStrays   = 8
	strayFrames = 2     // data frames in sequence that show that a connection goes on
	strayAnswer = 200e6 // ns within which the confirmation follows an answer
	strayPause  = 2e9   // ns within which data must come, before and behind it, to show that
	strayStart  = 2e9   // ns from a connection's start in which one before it may still speak
)

// newStray describes a frame as a stray with an id, of a side; nothing is open of it yet.
func newStray(fr *dissect.Frame, from dissect.Dir, id uint32) *Stray {
	return &Stray{id: id, From: from, Frame: fr.Frame, Time: fr.Time, Timed: fr.HasTime, side: -1}
}

// addStray keeps a frame that may be of another connection of the pair.
func (c *conn) addStray(s *Stray) {
	if len(c.strays) == maxStrays {
		c.dropStray(0, StrayUnknown)
	}
	latest := int64(0)
	for dir := range dissect.Dirs {
		s.next[dir] = -1
		if highest, ok := c.c.Dir[dir].Window().Highest(); ok {
			s.next[dir] = highest + 1
			x, _ := c.c.Dir[dir].Look(highest)
			latest = max(latest, x.Time)
		}
	}
	if c.someEnded() || s.Time-latest > strayPause {
		s.next = [2]seq.Num{-1, -1} // the connection may be over
	}
	c.strays = append(c.strays, s)
}

// dropStray ends a stray.
func (c *conn) dropStray(i int, what StrayOutcome) {
	s := c.strays[i]
	c.strays = append(c.strays[:i], c.strays[i+1:]...)
	if s.Outcome = what; c.judge != nil && !s.silent {
		c.judge.Stray(s)
	}
}

// followsStray reports an answer that follows one with the same id, each to the CONNECT of its
// turn: these are answers to this connection's CONNECTs.
func (c *conn) followsStray(x *Stray) bool {
	for _, s := range c.strays {
		if s.id == x.id && !s.silent && s.From == x.From && s.pending && x.pending && x.rsp == s.rsp+1 && x.rsp == c.attempts[x.From.Other()].top {
			return true
		}
	}
	return false
}

// lives notes a frame that shows that the connection goes on; sure says that it
// names the connection. The data frame num does when it follows what was sent
// before.
func (c *conn) lives(dir dissect.Dir, sure bool, num seq.Num) {
	for i := 0; i < len(c.strays); i++ {
		s := c.strays[i]
		since := c.atLeast(s.Time)
		if s.silent || s.side >= 0 && s.side != dir || s.Frame >= c.Frame.Frame { // what is believed late came before it
			continue
		}
		if !sure && s.pending {
			continue // data names no session
		}
		if !sure {
			if num != s.next[dir] || since > strayPause {
				continue
			}
			s.next[dir]++
			if since <= c.c.Rules.Horizon() {
				continue
			}
			if s.seen++; s.seen < strayFrames {
				continue
			}
		}
		if s.pending && c.atMost(s.Time) > strayAnswer {
			continue
		}
		c.dropStray(i, StrayOurs)
		i--
	}
}

// strayHard takes a HARD_DISCONNECT with another session id. Right behind the
// start of a connection it may be a late one of a connection before.
func (c *conn) strayHard(dir dissect.Dir, h *dp8.Handshake) {
	if c.Frame.Cut() || c.Frame.Words.Has(dissect.Duplicate) {
		return
	}
	var s *Stray
	if c.Frame.HasTime && c.atLeast(c.c.FirstTime) >= strayStart {
		s = newStray(c.Frame, dir, h.SessionID)
		c.addStray(s)
	}
	c.Stray = s
	c.tell(dir, ResetsOther)
}

// claimsOwn reports whether the other side named a session id before: then it is one of its own,
// and what named it is no stray any more.
func (c *conn) claimsOwn(dir dissect.Dir, id uint32) bool {
	for i, s := range c.strays {
		if s.id == id && s.From != dir {
			c.dropStray(i, StrayTheirs)
			return true
		}
	}
	return false
}

// unsay drops the strays that name a session which a KeepAlive names as well: it exists, and
// the KeepAlive is its own.
func (c *conn) unsay(id uint32) {
	for i := 0; i < len(c.strays); i++ {
		if c.strays[i].id == id {
			c.alive.other = id
			c.dropStray(i, StrayUnknown)
			i--
		}
	}
}

// isReal reports a CONNECT without a fault that makes receivers ignore it.
func isReal(b []byte) bool {
	if len(b) < 16 || b[3] != 0 {
		return false
	}
	v := binary.LittleEndian.Uint32(b[4:])
	return v>>16 == 1 && (v >= 0x10000 && v < dp8.Version15 || binary.LittleEndian.Uint32(b[8:]) != 0)
}

// restless is how long a connection must have been silent on the connector's side,
// in ns, to be taken for over when the same session begins again.
const restless = 1e9

// quiet reports whether the connection may be over: it was closed, or its connector
// said nothing for a while.
func (c *conn) quiet(fr *dissect.Frame) bool {
	return c.life.state >= session.Closed || !fr.HasTime || c.connector < 0 || fr.Time-c.c.Rules.LastOf(c.connector) >= restless
}

// changesID reports a CONNECT that goes on with a pending attempt under another
// session id: the number after the last one's, before a new attempt could have come
// that far.
func (c *conn) changesID(fr *dissect.Frame) bool {
	b, a := fr.Payload, &c.attempts[c.c.DirOf(fr.Datagram)]
	return c.life.state == session.Opening && !c.hs.Confirmed && a.n > 0 && c.connector == c.c.DirOf(fr.Datagram) &&
		b[2] == a.top+1 && fr.HasTime && fr.Time-a.at <= AttemptGap
}

// awaits reports an answer that a pending attempt is waiting for, whatever session
// it names.
func (c *conn) awaits(fr *dissect.Frame) bool {
	return c.life.state == session.Opening && c.hs.Connects > 0 && !c.hs.Answered && c.c.DirOf(fr.Datagram) != c.connector &&
		dp8.Command(fr.Payload[0])&dp8.Poll != 0
}
