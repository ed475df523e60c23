package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// answerRules are those that CONNECTED and CONNECTED_SIGNED have in common.
type answerRules struct{ major, sessid, pollListener, pollConnector, rspid, reconfirm int }

var (
	plainRules   = answerRules{r2212Major, r2212Sessid, r2212PollListener, r2212PollConnector, r2212Rspid, r31512Reconfirm}
	csignedRules = answerRules{r2213Major, r2213Sessid, r2213PollListener, r2213PollConnector, r2213Rspid, r31513Reconfirm}
)

// judgeGreeting judges a frame of the handshake.
func (j handshakeJudge) judgeGreeting(dir dissect.Dir, h *dp8.Handshake) {
	if j.Frame.Words.Has(duplicate) {
		j.copied(dir, h)
		return
	}
	rules := &j.c.Rules
	rules.PassSet(setCFrame)
	rules.Pass(cmdRules[h.Opcode])
	j.commands().judgeTrailing(rules, h)
	if h.Opcode == dp8.OpConnect {
		j.judgeConnect(dir, h, j.Greeting.Foreign, j.Greeting.Sound)
		return
	}
	switch j.judgeMajor(h); {
	case h.Version>>16 != 1:
	case j.Greeting.Foreign:
		j.commands().judgeStrayAnswer(h, j.Event.Stray, j.Greeting.Follows)
	default:
		j.judgeAnswer(dir, h)
	}
}

// copied notes a copy of a handshake frame.
func (j handshakeJudge) copied(dir dissect.Dir, h *dp8.Handshake) {
	j.side[dir].cframes.copied(j.judge, h)
	j.asked[dir].copies++ // each is answered
}

// exchangeRoles takes what the listener offered for what the connector confirmed.
func (j handshakeJudge) exchangeRoles() { j.offers, j.confirms = min(j.confirms, 1), 0 }

func answerRulesOf(h *dp8.Handshake) *answerRules {
	if h.Opcode == dp8.OpConnectedSigned {
		return &csignedRules
	}
	return &plainRules
}

// judgeMajor judges the major version of an answer.
func (j handshakeJudge) judgeMajor(h *dp8.Handshake) {
	if rules, rule := &j.c.Rules, answerRulesOf(h).major; !rules.Check(rule, h.Version>>16 == 1) {
		rules.Broken(rule, fmt.Sprintf("dwCurrentProtocolVersion is %s, but the major version must be 1", versionText(h.Version)))
	}
}

// judgeAnswer judges a CONNECTED or CONNECTED_SIGNED of the connection's session (MC-DPL8R
// 2.2.1.2, 2.2.1.3).
func (j handshakeJudge) judgeAnswer(dir dissect.Dir, h *dp8.Handshake) {
	rules, r, fromListener := &j.c.Rules, answerRulesOf(h), j.Greeting.FromListener
	signed := h.Opcode == dp8.OpConnectedSigned && j.hs.Connects > 0
	if j.hs.Connects > 0 {
		rules.Pass(r.sessid)
	}
	if j.judgeMix(h); !j.Greeting.Keeps {
		if signed {
			j.commands().keepsSecrets(h, fromListener)
		}
		return
	}
	good := j.keepsAnswerVersion(dir, h)
	good = j.keepsPoll(r, h, fromListener) && good
	if fromListener {
		j.judgeAsked()
		j.judgeAnswered(h)
	}
	good = j.keepsRspID(r, dir, h) && good
	if signed {
		good = j.commands().keepsSecrets(h, fromListener) && good
	}
	if !good {
		return
	}
	if fromListener {
		j.judgeRepliesAgain(dir, h)
	}
	j.judgeAnswerMsgID(dir, h, fromListener)
	j.settleEarly(dir, h, fromListener)
	j.judgeConfirms(r, h, fromListener)
	j.side[dir].cframes.keep(j.judge, h)
	if fromListener {
		j.asked[dir].add(j.judge, h)
	}
}

// judgeRival keeps the listener's answer to a CONNECT that came while it had this connection
// with the same address, since it may go on here.
func (j handshakeJudge) judgeRival(s *track.Stray) {
	rule, text := r31511Otherid, "answer to the CONNECT of another session while a handshake is pending"
	if j.State() == session.Established {
		rule, text = r31511Est, "answer to a CONNECT on an established connection"
	}
	j.commands().keepStray(s, conform.Case{Rule: rule, Dir: s.From, Frame: s.Frame, Time: s.Time, HasTime: s.Timed, Message: text})
}

// keepsAnswerVersion judges the version that an answer reports, and tells whether it is right.
func (j handshakeJudge) keepsAnswerVersion(dir dissect.Dir, h *dp8.Handshake) bool {
	rules, v := &j.c.Rules, j.side[dir].Version
	switch {
	case h.Opcode == dp8.OpConnected:
		j.judgeMinor(r2212Minor, h)
	case h.Version < dp8.Version15:
		rules.Broken(r2213MinorMin, fmt.Sprintf("CONNECTED_SIGNED of version %s; the minimum is 1.5", versionText(h.Version)))
		return false
	default:
		rules.Pass(r2213MinorMin)
		if !rules.Check(r2213MinorSign, h.Version >= dp8.Version16) {
			rules.Broken(r2213MinorSign, fmt.Sprintf("CONNECTED_SIGNED of version %s: a side that signs ignores versions below 1.6", versionText(h.Version)))
			return false
		}
	}
	if s := &j.side[dir]; v == 0 || s.doubtful {
		return true
	} else if s.doubtful = !rules.Check(r2212VerStable, h.Version == v); s.doubtful {
		rules.Broken(r2212VerStable, fmt.Sprintf("dwCurrentProtocolVersion is %s, but the side reported %s earlier", versionText(h.Version), versionText(v)))
		return false
	}
	return true
}

// keepsPoll judges the POLL flag when a CONNECT showed who is who, and reports whether it is right.
func (j handshakeJudge) keepsPoll(r *answerRules, h *dp8.Handshake, fromListener bool) bool {
	rules, poll := &j.c.Rules, h.Command&dp8.Poll != 0
	if j.hs.Connects == 0 {
		return true
	}
	rule, text := r.pollConnector, "the connector's %s has POLL"
	if fromListener {
		rule, text = r.pollListener, "the listener's %s has no POLL"
	}
	if !rules.Check(rule, poll == fromListener) {
		rules.Broken(rule, fmt.Sprintf(text, j.Packet.Type))
		return false
	}
	return true
}

// keepsRspID judges bRspId, and reports whether it is right: it is the bMsgID of the frame that is answered. Any of the
// attempt may be, also some that were not captured.
func (j handshakeJudge) keepsRspID(r *answerRules, dir dissect.Dir, h *dp8.Handshake) bool {
	rules, a := &j.c.Rules, &j.asked[dir.Other()]
	if a.n == 0 || j.hs.Connects == 0 && dir != j.Connector() || j.Blind() {
		return true
	}
	excess := int(h.RspID) - int(a.top)
	if excess <= 0 {
		rules.Pass(r.rspid)
		return true
	}
	message := fmt.Sprintf("bRspId is %d, but the highest bMsgID of the other side is %d", h.RspID, a.top)
	if excess <= j.unseen(dir.Other()) {
		rules.Unclear(r.rspid, conform.GuardClean, message, a.frame)
		return true
	}
	rules.Broken(r.rspid, message, a.frame)
	return false
}

// judgeAnswerMsgID judges the bMsgID of an answer. A side begins with 0 or goes on
// counting from its CONNECTs (AMB-DP8-03); a listener that signs keeps no count.
func (j handshakeJudge) judgeAnswerMsgID(dir dissect.Dir, h *dp8.Handshake, fromListener bool) {
	rules, p := &j.c.Rules, &j.side[dir].cframes
	init, inc := r2212MsgidInit, r2212MsgidInc
	if h.Opcode == dp8.OpConnectedSigned {
		init, inc = r2213Msgid, r2213Msgid
	}
	switch {
	case h.Opcode == dp8.OpConnectedSigned && fromListener && h.MsgID == 0:
		rules.Pass(init)
	case p.any && p.op == h.Opcode:
		j.judgeNextMsgID(inc, p, h)
	case h.MsgID == 0 || p.any && h.MsgID == p.msgID+1:
		rules.Pass(init)
	default:
		j.judgeFirstMsgID(init, dir, h)
	}
}

// doubled is how many answers more there may be than frames to answer: the network
// doubles some behind the capture.
const doubled = 2

// judgeFirstMsgID judges the bMsgID of the first answer captured of a side, which is
// neither of the two it may be. Answers that were not captured explain as many as
// there was time for.
func (j handshakeJudge) judgeFirstMsgID(rule int, dir dissect.Dir, h *dp8.Handshake) {
	rules, p, base := &j.c.Rules, &j.side[dir].cframes, 0
	since := j.asked[dir.Other()].firstAt
	if p.any {
		base, since = int(p.msgID)+1, p.at
	} else if j.asked[dir.Other()].n == 0 || dir == j.Connector() {
		return
	}
	room := int(j.AtMost(since)/retryLeast) + max(0, j.asked[dir.Other()].n-1) + doubled
	message := fmt.Sprintf("the first %s of the side has bMsgID %d", j.Packet.Type, h.MsgID)
	if excess := int(h.MsgID) - base; excess < 0 && int32(h.Timestamp-p.tick) >= 0 || excess > room && (p.any || j.asked[dir.Other()].first == 0) {
		rules.Broken(rule, message)
		return
	}
	rules.Unclear(rule, conform.GuardStart, message)
}

// An earlyFrame is data or a SACK of a side before the handshake allows it.
type earlyFrame struct {
	conform.Case
}

// judgeUnestablished notes a data frame or SACK of the listener before any
// confirmation of the connector was captured (MC-DPL8R 3.1, 3.1.5.1.5). Whether one
// was sent shows in the bMsgID of the one that is captured next.
func (j handshakeJudge) judgeUnestablished(dir dissect.Dir, rule int) {
	if j.Connector() < 0 || dir == j.Connector() || j.hs.Connects == 0 {
		return
	}
	rules := &j.c.Rules
	if j.hs.Confirmed || j.asked[j.Connector()].speaks {
		rules.Pass(rule)
		return
	}
	if e := &j.early; e.Frame == 0 {
		e.Case = rules.Here(rule, "the listener sends data before the connector has confirmed the connection")
	}
}

// settleEarly: a confirmation with the number right behind the CONNECTs is the
// first one.
func (j handshakeJudge) settleEarly(dir dissect.Dir, h *dp8.Handshake, fromListener bool) {
	e, p, rules := &j.early, &j.side[dir].cframes, &j.c.Rules
	if fromListener || e.Frame == 0 {
		return
	}
	e.Proof = append(e.Proof, j.Frame.Frame)
	switch {
	case p.op != dp8.OpConnect || h.MsgID != p.msgID+1:
		e.Blocked = conform.GuardClean
	case j.AtLeast(e.Time) <= j.InOrder(): // what is captured may be a copy, the first of which was missed
		e.Blocked = conform.GuardReord
	}
	if e.Blocked == conform.GuardNone {
		rules.HoldOrder(e.Case)
	} else {
		rules.Judge(e.Case)
	}
	*e = earlyFrame{}
}

// confirmOffers is how many repeated answers of the listener must stay without a
// confirmation: so many do not all get lost.
const confirmOffers = 4

// judgeConfirms: the connector confirms the listener's answer, each time it is
// repeated (MC-DPL8R 3.1.5.1.2, 3.1.5.1.3).
func (j handshakeJudge) judgeConfirms(r *answerRules, h *dp8.Handshake, fromListener bool) {
	rules := &j.c.Rules
	if !fromListener {
		if j.offers > 0 && h.Opcode == dp8.OpConnected {
			rules.Pass(r31512Confirm)
		}
		if j.offers > 0 && j.confirms > 0 {
			rules.Pass(r.reconfirm)
		}
		j.offers, j.confirms = 0, j.confirms+1
		return
	}
	if !j.asked[max(0, j.Connector())].speaks || j.Connector() < 0 {
		j.offers = max(j.offers, 1)
		return
	}
	// The connector sends data: it received one of them.
	if j.offers++; j.offers <= max(confirmOffers, rules.NeededOdds(j.Connector())) || j.Resets() != [2]bool{} {
		return
	}
	rule := r.reconfirm
	if j.confirms == 0 && h.Opcode == dp8.OpConnected {
		rule = r31512Confirm
	}
	a := &j.asked[j.Connector()]
	rules.Judge(conform.Case{Rule: rule, Dir: j.Connector(), Frame: a.spoke, Time: a.spokeAt, HasTime: j.Frame.HasTime, Proof: []uint64{j.Frame.Frame}, Since: counted,
		Message: fmt.Sprintf("%d answers of the listener in a row were not confirmed, while data continues", j.offers)})
	j.offers = 1
}

// passRival: the CONNECT this connection began with was ignored, and the other
// connection went on (MC-DPL8R 3.1.5.1.1).
func (j handshakeJudge) passRival() {
	switch pending, ok := j.PassedOver(); {
	case !ok:
	case pending:
		j.c.Rules.Pass(r31511Otherid)
	default:
		j.c.Rules.Pass(r31511Est)
	}
}
