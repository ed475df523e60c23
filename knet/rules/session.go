package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/knet/track"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// lateAnswer is how much later than the last ConnectSyn can have been sent a
// ConnectSynAck comes out of nowhere, in ns.
const lateAnswer = 1e9

// connectLate is ConnectTimeOut with some play, in ns.
const connectLate = 12e9

// judgeHandshake judges a message of the handshake (kNet page, Session Management).
func (c sessionJudge) judgeHandshake(dir dissect.Dir, sent *seq.Sending, k knet.Kind) {
	h := &c.handshake
	if !c.keepsRole(dir, k) {
		return
	}
	switch k {
	case knet.ConnectSyn:
		h.syn, h.synAt = true, sent.Time
	case knet.ConnectSynAck:
		if nowhere, sure := c.outOfNowhere(dir, sent); nowhere {
			x := c.c.Rules.Here(rSmSynackUnsol, "the ConnectSynAck answers no ConnectSyn: the connection is established")
			x.Since = h.spokeAt[dir.Other()]
			if !sure {
				x.Blocked = conform.GuardReord
			}
			c.frames().quarantine()
			c.c.Rules.Judge(x)
			return
		}
		c.c.Rules.Pass(rSmSynackUnsol)
		if h.ackAt == 0 {
			c.holdConfirm(dir.Other())
		}
		h.ackAt = sent.Time
	default:
		return
	}
	if !h.greeted[dir] || sent.Num < h.lowest[dir] {
		h.greeted[dir], h.lowest[dir] = true, sent.Num
	}
}

// holdConfirm waits for the client to confirm a ConnectSynAck. That it does not proves
// nothing against it: nobody knows whether it came.
func (c sessionJudge) holdConfirm(client dissect.Dir) {
	x := c.c.Rules.Here(rSmConfirm, "the client sends nothing after the ConnectSynAck, which it may not have received")
	x.Dir = client
	c.c.Rules.HoldFor(x, track.ConnectTime, unconfirmed{c, client})
}

// An unconfirmed is a ConnectSynAck that its client did not confirm.
type unconfirmed struct {
	c      sessionJudge
	client dissect.Dir
}

// Settle implements session.Settler.
func (h unconfirmed) Settle() (conform.Ruling, conform.Guard) {
	if h.c.handshake.spoke[h.client] {
		return conform.Passed, 0
	}
	return conform.Doubtful, conform.GuardKnew
}

// keepsRole: ConnectSyn and ConnectAck come from the client, ConnectSynAck from the
// server. Before the connection stands, the roles may change with another attempt.
func (c sessionJudge) keepsRole(dir dissect.Dir, k knet.Kind) bool {
	if c.Client() < 0 || !c.c.Complete {
		return true
	}
	rules := &c.c.Rules
	if rules.Check(rSmRole, (dir == c.Client()) == (k != knet.ConnectSynAck)) {
		return true
	}
	role := "server"
	if dir == c.Client() {
		role = "client"
	}
	x := rules.Here(rSmRole, fmt.Sprintf("the %s sends a %s", role, k))
	if c.State() != session.Established || !c.handshake.spoke[0] && !c.handshake.spoke[1] {
		x.Blocked = conform.GuardLife
	}
	c.frames().quarantine()
	rules.Judge(x)
	return false
}

// outOfNowhere reports a ConnectSynAck that answers nothing: its sender had gone on
// to other messages before, and so had the client for a time.
func (c sessionJudge) outOfNowhere(dir dissect.Dir, sent *seq.Sending) (nowhere, sure bool) {
	h := &c.handshake
	if !h.spoke[0] || !h.spoke[1] || sent.Num <= h.spokeNo[dir] {
		return false, false
	}
	late := max(c.side[0].datagrams.late, c.side[1].datagrams.late)
	return true, sent.Time-max(h.synAt, h.spokeAt[dir.Other()]) > lateAnswer+3*c.roundTime()+2*late
}

// judgePending judges what a client sends before it was answered, and notes who has
// come beyond the handshake.
func (c sessionJudge) judgePending(dir dissect.Dir, first bool) {
	h := &c.handshake
	if h.spoke[dir] {
		return
	}
	end := false
	for i := range c.Datagram.Messages {
		switch c.Datagram.Messages[i].Kind {
		case knet.ConnectSyn, knet.ConnectSynAck, knet.ConnectAck:
			if c.Datagram.Messages[i].Kind != knet.ConnectAck {
				return
			}
		case knet.Disconnect, knet.DisconnectAck:
			end = true
		}
	}
	rules := &c.c.Rules
	if dir != c.Client() && first && !end && h.premature.frame == 0 && h.ackAt != 0 && c.onlyGreeted(dir.Other()) && h.greeted[dir] && c.Sent.Num > h.lowest[dir] {
		h.premature = premature{c.Frame.Frame, c.Frame.Time}
	}
	if dir == c.Client() && first && h.premature.frame != 0 {
		c.judgePremature(dir)
	}
	if h.syn && dir == c.Client() && c.c.Complete && first && !end {
		if c.side[dir.Other()].datagrams.has {
			rules.Pass(rSmPending)
			c.judgeConnectTime()
		} else {
			c.holdPending(dir)
			return
		}
	}
	h.spoke[dir], h.spokeAt[dir], h.spokeNo[dir] = true, c.Frame.Time, c.Sent.Num
}

func (c sessionJudge) holdPending(dir dissect.Dir) {
	c.frames().quarantine()
	x := c.c.Rules.Here(rSmPending, "the client sends this before the server has answered its ConnectSyn")
	x.Since = c.Frame.Time
	c.c.Rules.Hold(x, unanswered{c, dir.Other(), c.Frame.Time, true})
}

// An unanswered is what a client sent before its server had answered.
type unanswered struct {
	c      sessionJudge
	server dissect.Dir
	at     int64
	whole  bool // the answer may be in a datagram that the capture cut
}

// Settle implements session.Settler.
func (h unanswered) Settle() (conform.Ruling, conform.Guard) {
	if h.whole && h.c.c.Rules.SawCut(h.server) {
		return conform.Doubtful, conform.GuardSnap // one of them may have been the answer
	}
	return h.c.answeredFrom(h.server, h.at)
}

// judgePremature judges a server that sent more than its ConnectSynAck, now that the
// client comes with its first datagram after ConnectSyn. That must be the first
// transmission of it, and none before it was missed.
func (c sessionJudge) judgePremature(dir dissect.Dir) {
	h, r := &c.handshake.premature, &c.side[dir].datagrams
	x := conform.Case{Rule: rSmPending, Dir: dir.Other(), Frame: h.frame, Time: h.time, HasTime: true, Since: h.time, Proof: []uint64{c.Frame.Frame},
		Message: "the server sends this before the client has answered its ConnectSynAck"}
	if now := c.Frame.Time; now-h.time <= 2*c.horizon() || now-r.startAt >= resendLeast || c.jump || !c.onlyGreeted(dir) || !c.fromStart(dir) {
		x.Blocked = conform.GuardReord
	}
	c.c.Rules.Judge(x)
}

// onlyGreeted reports that of a side one datagram of the handshake was captured, and
// nothing else.
func (c sessionJudge) onlyGreeted(dir dissect.Dir) bool {
	h, r := &c.handshake, &c.side[dir].datagrams
	return h.greeted[dir] && !h.spoke[dir] && r.low == h.lowest[dir] && r.top == r.low
}

// judgeConnectTime judges that a client goes on although the answer came late.
func (c sessionJudge) judgeConnectTime() {
	h := &c.handshake
	if h.ackAt == 0 {
		return
	}
	if took := h.ackAt - h.synAt; !c.c.Rules.Check(rCvConnto, took <= connectLate) {
		c.c.Rules.Broken(rCvConnto, fmt.Sprintf("the client continues, although the ConnectSynAck came %.1f s after the ConnectSyn", float64(took)/1e9))
	}
}
