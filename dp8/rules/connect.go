package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// cframes is what one side's command frames other than SACK said so far: one
// counter numbers them (AMB-DP8-03).
type cframes struct {
	any   bool
	op    uint8
	msgID uint8 // of the latest
	tick  uint32
	at    int64
	frame uint64
	copy  int64 // time of its latest copy
}

func (p *cframes) keep(j *judge, h *dp8.Handshake) {
	*p = cframes{true, h.Opcode, h.MsgID, h.Timestamp, j.Frame.Time, j.Frame.Frame, j.Frame.Time}
}

// copied notes a copy: a relay may double it once more, under an identification of its own.
func (p *cframes) copied(j *judge, h *dp8.Handshake) {
	if p.op == h.Opcode && p.msgID == h.MsgID && p.tick == h.Timestamp {
		p.copy = max(p.copy, j.Frame.Time)
	}
}

// asked is what a side sent that the other one answers: CONNECTs of the connector,
// CONNECTEDs or CONNECTED_SIGNEDs of the listener.
type asked struct {
	speaks bool // the side sent data or SACKs: it asks no more

	n       int
	copies  int   // of them, captured
	first   uint8 // bMsgID
	top     uint8 // highest bMsgID
	firstAt int64
	at      int64  // when top was captured
	frame   uint64 // of top
	spokeAt int64
	spoke   uint64 // frame
}

func (a *asked) add(j *judge, h *dp8.Handshake) {
	if a.n == 0 {
		a.first, a.top, a.firstAt, a.at, a.frame = h.MsgID, h.MsgID, j.Frame.Time, j.Frame.Time, j.Frame.Frame
	}
	if a.n++; h.MsgID > a.top {
		a.top, a.at, a.frame = h.MsgID, j.Frame.Time, j.Frame.Frame
	}
}

// retryLeast is the shortest time in which any implementation repeats a handshake
// frame, in ns: a fifth of the recommended 200 ms (MC-DPL8R 3.1.2.1).
const retryLeast = 40e6

// unseen is how many more frames than captured a side may have sent for the other
// to answer by now.
func (j handshakeJudge) unseen(dir dissect.Dir) int {
	a := &j.asked[dir]
	if !j.Frame.HasTime {
		return 255
	}
	until := j.Frame.Time
	if a.speaks {
		until = min(until, a.spokeAt)
	}
	n := int((max(0, until-a.at) + j.StepOf(until, a.at)) / retryLeast)
	if dir != j.Connector() { // it repeats by itself and answers repeated CONNECTs
		n = 2*n + max(0, j.asked[dir.Other()].n-1) + j.asked[dir.Other()].copies + 1 // the network may double one behind the capture
	}
	return n
}

// speaks notes that a side sends data or SACKs.
func (j handshakeJudge) speaks(dir dissect.Dir) {
	if a := &j.asked[dir]; !a.speaks {
		a.speaks, a.spokeAt, a.spoke = true, j.Frame.Time, j.Frame.Frame
	}
}

// judgeConnect judges a CONNECT that is no copy; foreign tells that it names another session,
// good that no receiver ignores it.
func (j handshakeJudge) judgeConnect(dir dissect.Dir, h *dp8.Handshake, foreign, good bool) {
	rules, opening := &j.c.Rules, j.State() == session.Opening
	j.judgeConnectFields(h)
	switch {
	case foreign && good && opening:
		j.judgeChangedID(dir, h)
		j.asked[dir].add(j.judge, h)
		return
	case foreign:
		return
	case !good:
		if opening {
			j.keepBad(h)
		}
		return
	}
	if j.c.HasSessionID && j.asked[dir].n > 0 {
		rules.Pass(r2211SessidConst)
	}
	if opening {
		j.judgeConnectMsgID(dir, h)
	}
	j.judgeRepeated(dir)
	if p := &j.side[dir].cframes; p.any || h.MsgID <= lateFirst {
		p.keep(j.judge, h)
	}
	j.asked[dir].add(j.judge, h)
	j.keepBad(h)
}

// judgeConnectFields judges the values of one CONNECT (MC-DPL8R 2.2.1.1).
func (j handshakeJudge) judgeConnectFields(h *dp8.Handshake) {
	rules, major, minor := &j.c.Rules, h.Version>>16, h.Version&0xffff
	check := func(rule int, holds bool, message string) {
		if !rules.Check(rule, holds) {
			rules.Broken(rule, message)
		}
	}
	check(r2211Poll, h.Command&dp8.Poll != 0, "a CONNECT without POLL")
	if h.RspID != 0 {
		check(r2211Rspid, false, fmt.Sprintf("bRspId of a CONNECT is %d", h.RspID))
	} else {
		rules.Pass(r2211Rspid)
	}
	if major != 1 {
		check(r2211Major, false, fmt.Sprintf("dwCurrentProtocolVersion is %s, but the major version must be 1", versionText(h.Version)))
		return
	}
	rules.Pass(r2211Major)
	check(r2211SessidZero, h.SessionID != 0 || minor < 5, "dwSessID is 0")
	j.judgeMinor(r2211Minor, h)
	if !rules.Check(r2211MinorHigh, minor <= 6) {
		rules.Broken(r2211MinorHigh, fmt.Sprintf("dwCurrentProtocolVersion is %s, the highest known is 1.6", versionText(h.Version)))
	}
}

// judgeMinor: a minor version below 6 tells of an old system.
func (j handshakeJudge) judgeMinor(rule int, h *dp8.Handshake) {
	if rules := &j.c.Rules; !rules.Check(rule, h.Version >= dp8.Version16) {
		rules.Broken(rule, fmt.Sprintf("dwCurrentProtocolVersion is %s, not 1.6", versionText(h.Version)))
	}
}

// judgeChangedID judges a CONNECT that goes on with a pending attempt under another
// session id. Where a single missing CONNECT would make it the second of a new
// attempt, it must have come before anyone gives up.
func (j handshakeJudge) judgeChangedID(dir dissect.Dir, h *dp8.Handshake) {
	rules, a := &j.c.Rules, &j.asked[dir]
	message := "dwSessID is " + idText(h.SessionID) + ", but the previous CONNECT carried " + idText(j.c.SessionID)
	if h.MsgID == 1 && j.AtMost(a.at) > 1e9 {
		rules.Unclear(r2211SessidConst, conform.GuardLife, message, a.frame)
	} else {
		rules.Broken(r2211SessidConst, message, a.frame)
	}
}

// lateFirst is a bMsgID that no attempt comes to: at 5 s between two CONNECTs it
// would take five minutes.
const lateFirst = 60

// judgeConnectMsgID: the CONNECTs of an attempt count from 0 by one (MC-DPL8R
// 2.2.1.1).
func (j handshakeJudge) judgeConnectMsgID(dir dissect.Dir, h *dp8.Handshake) {
	rules, p := &j.c.Rules, &j.side[dir].cframes
	switch {
	case !p.any && h.MsgID == 0:
		rules.Pass(r2211MsgidInit)
	case !p.any && h.MsgID <= lateFirst:
		rules.Unclear(r2211MsgidInit, conform.GuardStart, fmt.Sprintf("the first CONNECT captured has bMsgID %d", h.MsgID))
	case !p.any:
		rules.Broken(r2211MsgidInit, fmt.Sprintf("the first CONNECT has bMsgID %d", h.MsgID))
	case p.op == dp8.OpConnect:
		j.judgeNextMsgID(r2211MsgidInc, p, h)
	}
}

// judgeNextMsgID judges the bMsgID of a frame that repeats the one before.
func (j handshakeJudge) judgeNextMsgID(rule int, p *cframes, h *dp8.Handshake) {
	rules := &j.c.Rules
	switch ahead := int8(h.MsgID - p.msgID); {
	case !j.isLater(p, h): // overtaken
	case ahead == 1:
		rules.Pass(rule)
	case ahead > 1:
		rules.Unclear(rule, conform.GuardClean, fmt.Sprintf("bMsgID is %d, that of the previous %s was %d", h.MsgID, j.Packet.Type, p.msgID), p.frame)
	default:
		rules.Broken(rule, fmt.Sprintf("bMsgID is %d, that of the previous %s was %d", h.MsgID, j.Packet.Type, p.msgID), p.frame)
	}
}

// isLater reports whether a command frame was sent after the one before it, by their
// ticks.
func (j handshakeJudge) isLater(p *cframes, h *dp8.Handshake) bool {
	return int32(h.Timestamp-p.tick) > 0 || h.Timestamp == p.tick && j.AtLeast(p.copy) > j.InOrder()
}

// A badConnect is a CONNECT that must not be answered, or only unsigned.
type badConnect struct {
	msgID   uint8
	frame   uint64
	version uint32
	id      uint32
	any     bool
}

// keepBad keeps the latest CONNECT for its answers.
func (j handshakeJudge) keepBad(h *dp8.Handshake) {
	j.lastConnect = badConnect{h.MsgID, j.Frame.Frame, h.Version, h.SessionID, true}
}

// judgeAnswered judges that the listener answered at all, when the CONNECT that it
// names was captured (MC-DPL8R 2.2.1.1, 3.1.5.1.1).
func (j handshakeJudge) judgeAnswered(h *dp8.Handshake) {
	rules, x := &j.c.Rules, &j.lastConnect
	if !x.any || x.msgID != h.RspID {
		return
	}
	if x.version>>16 != 1 {
		rules.Broken(r31511VerIgnore, fmt.Sprintf("answer to a CONNECT of version %s", versionText(x.version)), x.frame)
		return
	}
	rules.Pass(r31511VerIgnore)
	if h.Opcode != dp8.OpConnectedSigned {
		return
	}
	if !rules.Check(r31511SignVer, x.version >= dp8.Version16) {
		rules.Broken(r31511SignVer, fmt.Sprintf("signed answer to a CONNECT of version %s", versionText(x.version)), x.frame)
	}
	if !rules.Check(r31511SignSessid0, x.id != 0 || h.SessionID != 0) {
		rules.Broken(r31511SignSessid0, "signed answer to a CONNECT with dwSessID 0", x.frame)
	}
}

// repeatedConnects is how many repeated CONNECTs between two consecutive answers
// show that the listener does not answer them: so many do not get lost.
const repeatedConnects = 5

// judgeRepeated counts the CONNECTs behind an answer.
func (j handshakeJudge) judgeRepeated(dir dissect.Dir) {
	if dir == j.Connector() && j.asked[dir.Other()].n > 0 && !j.hs.Confirmed {
		j.repeats++
	}
}

// judgeRepliesAgain: each CONNECT of a pending handshake is answered at once
// (MC-DPL8R 3.1.5.1.1). That none was in between shows in the bMsgID of the
// listener's next answer.
func (j handshakeJudge) judgeRepliesAgain(dir dissect.Dir, h *dp8.Handshake) {
	rules, p := &j.c.Rules, &j.side[dir].cframes
	n := j.repeats
	j.repeats = 0
	switch {
	case n == 0 || p.op != dp8.OpConnected || h.MsgID != p.msgID+1:
	case n < repeatedConnects:
		rules.Pass(r31511Dupreply)
	default:
		x := rules.Here(r31511Dupreply, fmt.Sprintf("%d repeated CONNECTs before the next answer", n), j.asked[j.Connector()].frame)
		rules.Judge(x)
	}
}
