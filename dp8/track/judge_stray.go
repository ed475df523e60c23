package track

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A stray is a frame that names another session than its connection's. It is
// proven wrong when the connection goes on; until then it may belong to a new one
// whose start was not captured.
type stray struct {
	conform.Case
	id      uint32
	rsp     uint8
	side    int      // whose frames show that the connection goes on, -1 for either
	pending bool     // the handshake of the connection was still under way
	seen    int      // data frames in sequence since
	next    [2]int64 // number of each side that is in sequence
	silent  bool     // no case: the id was merely named
}

// Bounds of strays.
const (
	maxStrays   = 8
	strayFrames = 2     // data frames in sequence that show that a connection goes on
	strayAnswer = 200e6 // ns within which the confirmation follows an answer
	strayPause  = 2e9   // ns within which data must come, before and behind it, to show that
	strayStart  = 2e9   // ns from a connection's start in which one before it may still speak
)

// addStray keeps a case, whose frame may be of another connection of the pair.
func (c commandJudge) addStray(s stray) {
	if len(c.strays) == maxStrays {
		c.dropStray(0, conform.GuardLife)
	}
	latest := int64(0)
	for dir := range s.next {
		s.next[dir] = -1
		if highest, ok := c.c.Dir[dir].Window().Highest(); ok {
			s.next[dir] = highest + 1
			x, _ := c.c.Dir[dir].Look(highest)
			latest = max(latest, x.Time)
		}
	}
	if c.life.closeEnd != [2]bool{} || s.Time-latest > strayPause {
		s.next = [2]int64{-1, -1} // the connection may be over
	}
	c.strays = append(c.strays, s)
}

// dropStray ends a case that is not proven.
func (c commandJudge) dropStray(i int, why conform.Guard) {
	if s := &c.strays[i]; !s.silent {
		s.Blocked = why
		c.c.Rules.Judge(s.Case)
	}
	c.strays = append(c.strays[:i], c.strays[i+1:]...)
}

// judgeStrayAnswer keeps an answer with another session id. Answers that follow the
// bMsgID of one CONNECT after the other answer these.
func (c commandJudge) judgeStrayAnswer(rule, dir int, h *dp8.Handshake) {
	rules := &c.c.Rules
	x := rules.Here(rule, "dwSessID is "+idText(h.SessionID)+", but the handshake's is "+idText(c.c.SessionID))
	now := stray{Case: x, id: h.SessionID, rsp: h.RspID, side: -1, pending: !c.hs.answered}
	for i := range c.strays {
		s := &c.strays[i]
		if s.id == h.SessionID && !s.silent && s.Dir == dir && s.pending && now.pending && h.RspID == s.rsp+1 && h.RspID == c.asked[1-dir].top {
			rules.Judge(x)
			return
		}
	}
	c.addStray(now)
}

// lives notes a frame that shows that the connection goes on; sure says that it
// names the connection. The data frame num does when it follows what was sent
// before.
func (c commandJudge) lives(dir int, sure bool, num int64) {
	for i := 0; i < len(c.strays); i++ {
		s := &c.strays[i]
		since := c.atLeast(s.Time)
		if s.silent || s.side >= 0 && s.side != dir || s.Frame == c.fr.Frame {
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
		s.Proof = append(s.Proof, c.fr.Frame)
		c.c.Rules.Judge(s.Case)
		c.strays = append(c.strays[:i], c.strays[i+1:]...)
		i--
	}
}

// judgeStrayHard keeps a HARD_DISCONNECT with another session id. Right behind the
// start of a connection it may be a late one of a connection before.
func (c commandJudge) judgeStrayHard(dir int, h *dp8.Handshake) {
	rules := &c.c.Rules
	if c.fr.Cut() || c.fr.Words.Has(duplicate) {
		return
	}
	message := "dwSessID is " + idText(h.SessionID) + ", but the connection's is " + idText(c.c.SessionID)
	if !c.fr.HasTime || c.atLeast(c.c.FirstTime) < strayStart {
		rules.Unclear(r2214Sessid, conform.GuardLife, message)
		return
	}
	c.addStray(stray{Case: rules.Here(r2214Sessid, message), id: h.SessionID, side: -1})
}

// finishStrays ends the cases that are left.
func (c commandJudge) finishStrays() {
	for len(c.strays) > 0 {
		c.dropStray(0, conform.GuardLife)
	}
}

// named reports whether the other side named a session id before: then it is one
// of its own.
func (c commandJudge) named(dir int, id uint32) bool {
	for i := range c.strays {
		if s := &c.strays[i]; s.id == id && s.Dir != dir {
			c.strays = append(c.strays[:i], c.strays[i+1:]...)
			return true
		}
	}
	return false
}

// unsay drops the cases against frames that name a session which a KeepAlive names as
// well: it exists, and the KeepAlive is its own.
func (c commandJudge) unsay(id uint32) {
	for i := 0; i < len(c.strays); i++ {
		if c.strays[i].id == id {
			c.alive.other = id
			c.dropStray(i, conform.GuardLife)
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
func (c commandJudge) quiet(fr *dissect.Frame) bool {
	return c.life.state >= session.Closed || !fr.HasTime || c.connector < 0 || fr.Time-c.c.Rules.LastOf(c.connector) >= restless
}

// changesID reports a CONNECT that goes on with a pending attempt under another
// session id: the number after the last one's, before a new attempt could have come
// that far.
func (c commandJudge) changesID(fr *dissect.Frame) bool {
	b, a := fr.Payload, &c.asked[c.c.DirOf(fr.Datagram)]
	return c.life.state == session.Opening && !c.hs.confirmed && a.n > 0 && c.connector == c.c.DirOf(fr.Datagram) &&
		b[2] == a.top+1 && fr.HasTime && fr.Time-a.at <= attemptGap
}

// awaits reports an answer that a pending attempt is waiting for, whatever session
// it names.
func (c commandJudge) awaits(fr *dissect.Frame) bool {
	return c.life.state == session.Opening && c.hs.connects > 0 && !c.hs.answered && c.c.DirOf(fr.Datagram) != c.connector &&
		dp8.Command(fr.Payload[0])&dp8.Poll != 0
}
