package rules

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A secretWatch is what judging the secrets of a signed handshake needs.
type secretWatch struct {
	answered bool // by a connector's CONNECTED_SIGNED
	sender   dp8.Secret
	receiver dp8.Secret
	secrets  bool
	frame    uint64 // of the secrets
	same     int    // offers in a row that answer the same CONNECT
}

// keepsSecrets judges what CONNECTED_SIGNED has on top (MC-DPL8R 2.2.1.3), and reports whether it is right.
func (j commandJudge) keepsSecrets(h *dp8.Handshake, fromListener bool) (good bool) {
	rules := &j.c.Rules
	good = j.keepsOptions(h, fromListener)
	if fromListener {
		if !rules.Check(r2213SecretListener, h.SenderSecret == dp8.Secret{} && h.ReceiverSecret == dp8.Secret{}) {
			rules.Broken(r2213SecretListener, "the listener's CONNECTED_SIGNED carries a secret")
			good = false
		} else {
			rules.Pass(rSigSecretleak) // this frame tells nobody
		}
		if !rules.Check(r2213EchoZero, h.EchoTimestamp == 0) {
			rules.Broken(r2213EchoZero, fmt.Sprintf("dwEchoTimestamp is %d in an answer to CONNECT", h.EchoTimestamp))
			good = false
		}
		if !rules.Check(r2213SigCookie, h.ConnectSig != [8]byte{}) {
			rules.Broken(r2213SigCookie, "ullConnectSig is 0, which proves nothing")
		}
		j.judgeStateless(h)
		return good
	}
	good = j.keepsConnectorSecrets(h) && good
	good = j.keepsEchoes(h) && good
	j.chosen.answered = true
	return good
}

// keepsOptions judges dwSigningOpts, also against those of the other side, and reports whether they are right.
func (j commandJudge) keepsOptions(h *dp8.Handshake, fromListener bool) (good bool) {
	rules, w := &j.c.Rules, j.signed
	const both = dp8.SigningFast | dp8.SigningFull
	if !rules.Check(r2213OptsReserved, h.SigningOpts&^both == 0) {
		rules.Broken(r2213OptsReserved, fmt.Sprintf("dwSigningOpts is 0x%08x: only the lowest two bits are defined", h.SigningOpts))
	}
	mode := h.SigningOpts & both
	if !rules.Check(r2213OptsOne, mode == dp8.SigningFast || mode == dp8.SigningFull) {
		rules.Broken(r2213OptsOne, fmt.Sprintf("dwSigningOpts is 0x%08x: exactly one of FAST and FULL must be set", h.SigningOpts))
		return false
	}
	if fromListener && w.Mode != 0 {
		return j.keepsMode(mode)
	}
	if fromListener {
		return true
	}
	if len(w.Offers) == 0 {
		return true
	}
	o := &w.Offers[len(w.Offers)-1]
	if want := o.Opts & both; (want == dp8.SigningFast || want == dp8.SigningFull) && !rules.Check(r2213OptsMatch, want == mode) {
		rules.Broken(r2213OptsMatch, fmt.Sprintf("dwSigningOpts is %d, but the listener's is %d", mode, want), o.Frame)
		return false
	}
	return true
}

// keepsMode judges the mode of an offer that comes behind the connector's choice, and reports whether it is that.
func (j commandJudge) keepsMode(mode uint32) bool {
	rules, w := &j.c.Rules, j.signed
	if rules.Check(r2213OptsMatch, mode == w.Mode) {
		return true
	}
	message := fmt.Sprintf("dwSigningOpts is %d, but the connection's is %d", mode, w.Mode)
	if len(w.Offers) == 0 {
		rules.Unclear(r2213OptsMatch, conform.GuardClean, message) // the connector may have answered this offer, or one like it
		return true
	}
	rules.Broken(r2213OptsMatch, message)
	return false
}

// keepsConnectorSecrets judges the secrets, which are the connector's to choose, and reports whether they are right.
func (j commandJudge) keepsConnectorSecrets(h *dp8.Handshake) bool {
	rules := &j.c.Rules
	if !rules.Check(r2213SecretConnector, h.SenderSecret != dp8.Secret{} && h.ReceiverSecret != dp8.Secret{}) {
		rules.Broken(r2213SecretConnector, "a secret of the connector is 0")
		return false
	}
	if j.chosen.secrets && !rules.Check(r2213SecretStable, j.chosen.sender == h.SenderSecret && j.chosen.receiver == h.ReceiverSecret) {
		rules.Broken(r2213SecretStable, "the secrets differ from those of the previous CONNECTED_SIGNED", j.chosen.frame)
		return false
	}
	switch {
	case j.chosen.secrets:
	case h.SenderSecret == h.ReceiverSecret:
		rules.Broken(r2213SecretRandom, "both secrets are the same")
	case significant(h.SenderSecret) <= 16 || significant(h.ReceiverSecret) <= 16:
		rules.Broken(r2213SecretRandom, "a secret has no more than 16 significant bits")
	default:
		rules.Pass(r2213SecretRandom)
	}
	j.chosen.sender, j.chosen.receiver, j.chosen.secrets, j.chosen.frame = h.SenderSecret, h.ReceiverSecret, true, j.Frame.Frame
	return true
}

func significant(s dp8.Secret) int { return bits.Len64(binary.LittleEndian.Uint64(s[:])) }

// keepsEchoes judges what the connector's CONNECTED_SIGNED repeats of the offer it
// answers: cookie and tick. Which one that is shows in either; an offer that was not
// captured may have been another. It reports whether they are right.
func (j commandJudge) keepsEchoes(h *dp8.Handshake) bool {
	w := j.signed
	if len(w.Offers) == 0 || w.More || j.Blind() {
		return true
	}
	byTick, byCookie := w.Echoes(h)
	last := &w.Offers[len(w.Offers)-1]
	tick := j.keepsEcho(r2213EchoMatch, byTick, j.impossibleEcho(h.EchoTimestamp), last,
		fmt.Sprintf("dwEchoTimestamp is %d, but the listener's tTimestamp is %d", h.EchoTimestamp, last.Tick))
	cookie := j.keepsEcho(r2213SigEcho, byCookie, byTick, last,
		fmt.Sprintf("ullConnectSig is %x, but the listener's is %x", h.ConnectSig, last.Cookie))
	return tick && cookie
}

func (j commandJudge) keepsEcho(rule int, holds, proven bool, o *track.Offer, message string) bool {
	rules := &j.c.Rules
	switch {
	case rules.Check(rule, holds):
		return true
	case !proven:
		rules.Unclear(rule, conform.GuardClean, message, o.Frame)
		return true
	}
	rules.Broken(rule, message, o.Frame)
	return false
}

func (j commandJudge) dirOf() dissect.Dir { return j.c.DirOf(j.Frame.Datagram) }

// echoSlack is by how much, in ms, an offer may have been sent before it was captured,
// and attemptSpan how long CONNECTs may have been sent before the first captured.
const (
	echoSlack   = 1000
	attemptSpan = 60e3
)

// impossibleEcho reports a tick that no offer between the first CONNECT and now can
// have carried.
func (j commandJudge) impossibleEcho(tick uint32) bool {
	o, a := &j.signed.Offers[0], &j.asked[j.dirOf()]
	if !j.Frame.HasTime || a.n == 0 {
		return false
	}
	before := (o.Time-a.firstAt+j.StepOf(o.Time, a.firstAt))/1e6 + tickStep
	if a.first != 0 || o.Time < a.firstAt {
		before += attemptSpan
	}
	after := j.AtMost(o.Time)/1e6 + echoSlack
	off := int64(int32(tick - o.Tick))
	return off < -before || off > after
}

// statelessOffers is how many offers in answer to one CONNECT show that the
// listener repeats them by itself.
const statelessOffers = 3

// judgeStateless: a listener that signs keeps no state of a CONNECT and repeats
// nothing (MC-DPL8R 3.1.5.1.1). Copies of a CONNECT made by the network come
// together.
func (j commandJudge) judgeStateless(h *dp8.Handshake) {
	rules, w := &j.c.Rules, j.signed
	if j.chosen.answered || j.asked[max(j.Connector(), 0)].speaks || len(w.Offers) == 0 || j.asked[max(j.Connector(), 0)].n == 0 {
		return
	}
	o := &w.Offers[len(w.Offers)-1]
	if o.RspID != h.RspID || j.AtLeast(o.Time) < retryLeast || j.asked[j.Connector()].top != h.RspID {
		j.chosen.same = 0
		if o.RspID != h.RspID {
			rules.Pass(r31513Stateless)
		}
		return
	}
	if j.chosen.same++; j.chosen.same+1 == statelessOffers {
		x := rules.Here(r31513Stateless, fmt.Sprintf("%d CONNECTED_SIGNED in answer to one CONNECT, %d ms apart", j.chosen.same+1, (j.Frame.Time-o.Time)/1e6), o.Frame)
		rules.HoldFor(x, offersSettle, repeatedOffers{j, j.Connector(), j.side[j.Connector()].cframes.msgID})
	}
}

// offersSettle is how long the connector may take to send its next command frame, in ns.
const offersSettle = 1e9

// repeatedOffers are offers that nothing captured asked for. A listener that has not received the
// confirmation answers what else the connector sends, too: what follows on the CONNECT
// tells whether a confirmation was missed.
type repeatedOffers struct {
	j     commandJudge
	dir   dissect.Dir // of the connector
	msgID uint8       // of its CONNECT
}

// Settle implements session.Settler.
func (h repeatedOffers) Settle() (conform.Ruling, conform.Guard) {
	switch p := &h.j.side[h.dir].cframes; p.msgID {
	case h.msgID:
		return conform.Doubtful, conform.GuardHold
	case h.msgID + 1:
		return conform.Failed, conform.GuardNone
	}
	return conform.Doubtful, conform.GuardClean
}

// firstNumbers is how many of a side's first data numbers are looked at for its
// KeepAlive.
const firstNumbers = 4

// keepAliveState looks for the KeepAlive that follows a signed handshake.
type keepAliveState struct {
	seen uint8 // numbers captured
	over bool
	at   conform.Case
}

// judgeFirstKeepAlive: behind a signed handshake either side sends a reliable
// KeepAlive (MC-DPL8R 3.1.5.1.3).
func (j commandJudge) judgeFirstKeepAlive(dir dissect.Dir, num seq.Num, d *dp8.DFrame, keepAlive bool) {
	w := &j.side[dir].alive1
	if w.over {
		return
	}
	rules := &j.c.Rules
	rule := r31513KaListener
	if dir == j.Connector() {
		rule = r31513KaConnector
	}
	switch {
	case j.Frame.Cut() || !j.hs.Signed || j.Connector() < 0 || num >= firstNumbers && w.seen == 0:
		w.over = j.Frame.Cut() || num >= firstNumbers
		return
	case (keepAlive || d.Control&dp8.CtlKeepAlive != 0) && d.Command&dp8.Reliable != 0 && num < firstNumbers:
		w.over = true
		rules.Pass(rule)
		return
	case num < firstNumbers:
		if w.at.Frame == 0 || num == 0 {
			w.at = rules.Here(rule, "no reliable KeepAlive among the first data frames")
			w.at.Milder = d.Command&dp8.Reliable != 0
		}
		w.seen |= 1 << uint(num)
	}
	if w.seen == 1<<firstNumbers-1 {
		w.over = true
		if w.at.Time-j.c.FirstTime > firstTime {
			w.at.Blocked = conform.GuardUnwrap // numbers may have come round, unseen
		}
		rules.Judge(w.at)
	}
}

// firstTime is within what time of its connection's start a side must begin, in ns, for its
// numbers to be the first ones.
const firstTime = 0.5e9
