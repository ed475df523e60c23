package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// passSignature enters a signature that is right under the rules it is right by.
func (j signatureJudge) passSignature(dir dissect.Dir, num seq.Num) {
	rules, s := &j.c.Rules, &j.side[dir]
	if len(s.inDoubt) > 0 {
		j.judgeForged(s)
	}
	if j.Packet.Type == dp8.TypeDFrame {
		rules.Pass(r222SigPresent)
	}
	if j.Mode() != track.ModeFull {
		rules.Pass(rSigFast)
		if j.hs.Secrets {
			rules.Pass(rSigFastDir)
		}
		return
	}
	rules.Pass(rSigFull)
	if j.hs.Secrets {
		rules.Pass(rSigFastDir)
	}
	if num>>8 > 0 {
		rules.Pass(rSigEpoch)
	}
	switch j.Packet.Type {
	case dp8.TypeSACK:
		rules.Pass(rSigSackkey)
	case dp8.TypeHardDisconnect:
		rules.Pass(rSigHdisckey)
	default:
		j.passLateNumber(rules, dir, num)
	}
}

// passLateNumber: behind number 191 of an epoch, its secret and the next are both
// known to the side (MC-DPL8R 3.1.4.4).
func (j signatureJudge) passLateNumber(rules *session.Evaluation, dir dissect.Dir, num seq.Num) {
	m := &j.side[dir].History
	switch {
	case num&255 < 192:
	case j.Packet.DFrame.Control&dp8.CtlRetry == 0:
		rules.Pass(rSigEarly)
	case m.Started && m.Top>>8 > num>>8:
		rules.Pass(rSigRetrykey)
	}
}

// reportSignature says what is wrong with a frame that does not verify.
func (j signatureJudge) reportSignature(dir dissect.Dir, num seq.Num, x *track.Signature) {
	rules := &j.c.Rules
	switch {
	case x.Missing:
		j.reportUnsigned(rules)
	case x.OutOfStep:
		j.doubtSignature(dir, x)
	case j.SignedByOther(dir):
		rules.Broken(rSigFastDir, "signed with the secret of the other side")
	case j.Mode() == track.ModeFast:
		x := rules.Here(rSigFast, "signature is not the sender's secret: forged")
		if x.Milder = !j.hs.Secrets; j.State() > session.Closing || j.mayBeOthers(dir, false) {
			x.Blocked = conform.GuardLife // it ended: another connection may have begun unseen
		}
		rules.Judge(x)
	case j.Packet.Type == dp8.TypeHardDisconnect && j.c.Dir[dir].Signatures.Valid > 0:
		rules.Broken(rSigHdisckey, fmt.Sprintf("the signature of the HARD_DISCONNECT does not verify with the secret for bRspId %d", j.Packet.Handshake.RspID))
	case x.Stale || x.Early:
		j.reportEpoch(rules, dir, num, x.Stale)
	case j.resigned(num, dir):
		rules.Broken(rSigResign, fmt.Sprintf("the retry of bSeq %d has the signature of an earlier transmission, but different bytes", j.Packet.DFrame.Seq))
	default:
		rules.Broken(rSigFull, "signature does not verify with the sender's secret: forged or altered")
	}
}

func (j signatureJudge) reportUnsigned(rules *session.Evaluation) {
	if n := len(j.Packet.SACK.Trailing); j.Packet.Type == dp8.TypeSACK && n > 0 {
		rules.Broken(r2215Len, fmt.Sprintf("%d bytes more than bFlags 0x%02x accounts for: the length is wrong with and without a signature", n, j.Packet.SACK.Flags))
		return
	}
	if !j.SurelySigned() {
		rules.Unclear(r222SigPresent, conform.GuardVer, "a frame without signature on what seems to be a signed connection")
		return
	}
	switch j.Packet.Type {
	case dp8.TypeSACK:
		rules.Broken(r2215SigPresent, "SACK without a signature on a signed connection")
	case dp8.TypeHardDisconnect:
		rules.Broken(r2214SigPresent, "HARD_DISCONNECT without a signature on a signed connection")
	default:
		rules.Broken(r222SigPresent, "data frame without room for a signature on a signed connection")
	}
}

// reportEpoch reports a frame that is signed with the secret of another epoch than
// that of its number (MC-DPL8R 3.1.4.4, 2.2.1.5, AMB-DP8-10).
func (j signatureJudge) reportEpoch(rules *session.Evaluation, dir dissect.Dir, num seq.Num, stale bool) {
	m := &j.side[dir].History
	switch {
	case j.Packet.Type == dp8.TypeSACK:
		rules.Broken(rSigSackkey, fmt.Sprintf("SACK is not signed with the secret for bNSeq %d, but with that of another epoch", j.Packet.SACK.NSeq))
	case stale:
		rules.Broken(rSigEpoch, "signed with the secret of another epoch: stale")
	case j.Packet.DFrame.Control&dp8.CtlRetry != 0 && m.Started && m.Top>>8 > num>>8:
		rules.Broken(rSigRetrykey, fmt.Sprintf("the retry of bSeq %d is signed with the secret used after the wrap", j.Packet.DFrame.Seq))
	default:
		rules.Broken(rSigEarly, fmt.Sprintf("bSeq %d is signed with the secret of the next epoch", j.Packet.DFrame.Seq))
	}
}

// resigned reports a retry with the signature of an earlier sending of its number
// and other bytes (MC-DPL8R 3.1.6.5).
func (j signatureJudge) resigned(num seq.Num, dir dissect.Dir) bool {
	if j.Packet.Type != dp8.TypeDFrame || j.Packet.DFrame.Control&dp8.CtlRetry == 0 {
		return false
	}
	d, h := &j.Packet.DFrame, &j.side[dir].History
	prev := h.At(num)
	if !prev.IsKnown() || prev.IsCut() {
		return false
	}
	digest := j.Sent.Digest()
	if d.Signature == h.Signature(prev) && digest != prev.Digest() {
		return true
	}
	latest, signature, again := prev.Latest()
	return again && d.Signature == signature && digest != latest
}

// judgeResigned judges a retry that verifies, or that no secret is known for: its
// signature is a new one when its bytes are. That needs no secret.
func (j signatureJudge) judgeResigned(rules *session.Evaluation, dir dissect.Dir, d *dp8.DFrame, prev track.Record) {
	if j.Mode() != track.ModeFull || !prev.IsKnown() || !j.SurelySigned() || !d.HasSignature || d.Control&dp8.CtlRetry == 0 || prev.IsCut() {
		return
	}
	if !rules.Check(rSigResign, d.Signature != j.side[dir].History.Signature(prev) || j.Sent.Digest() == prev.Digest()) {
		rules.Broken(rSigResign, fmt.Sprintf("the retry of bSeq %d has the signature of frame %d, but different bytes", d.Seq, prev.Frame()), prev.Frame())
	}
}

// judgeSigningVersion: signing needs 1.6 on both sides (MC-DPL8R 1.7, 2.2.1). The
// connector's CONNECTED_SIGNED is at hand.
func (j signatureJudge) judgeSigningVersion() {
	a, b := j.side[0].Version, j.side[1].Version
	if a == 0 || b == 0 || !j.hs.Answered || j.Frame.Words.Has(dissect.Duplicate) {
		return
	}
	rules := &j.c.Rules
	if !rules.Check(rSigVer, min(a, b) >= dp8.Version16) {
		rules.Broken(rSigVer, fmt.Sprintf("versions 1.%d and 1.%d agree on signing, which needs 1.6", a&0xffff, b&0xffff))
	}
}

// judgeLeak tells that the secrets were captured with the handshake, once a
// connection (MC-DPL8R 5.1).
func (j signatureJudge) judgeLeak(h *dp8.Handshake) {
	if h.SenderSecret != (dp8.Secret{}) || h.ReceiverSecret != (dp8.Secret{}) {
		j.c.Rules.Broken(rSigSecretleak, "this frame carries the signing secrets in the clear: anyone who captured it can forge signatures")
	}
}

// judgeModifier judges the frames that came before the secret of their epoch was
// proven. Any derivation that is proven will do: the text leaves it open
// (AMB-DP8-12).
func (j signatureJudge) judgeModifier(dir dissect.Dir, suspects []track.Suspect) {
	rules := &j.c.Rules
	rules.Pass(rSigModifier)
	for _, s := range suspects {
		rules.Judge(conform.Case{Rule: rSigFull, Dir: dir, Frame: s.Frame, Time: s.Time, HasTime: s.Timed,
			Message: "signature does not verify with the sender's secret: forged or altered"})
	}
}

// judgeUnproven: an epoch whose secret no known derivation gives is not judged.
func (j signatureJudge) judgeUnproven(dir dissect.Dir) {
	rules := &j.c.Rules
	rules.Judge(conform.Case{Rule: rSigModifier, Dir: dir, Frame: j.c.LastFrame, Time: j.c.LastTime, HasTime: j.c.HasTime, Blocked: conform.GuardDial,
		Message: "no known derivation of the modifier yields the secret of the epoch"})
}

// actedRules are those that an acknowledgement of a refused number breaks, by why it was
// refused.
var actedRules = [...]struct {
	rule int
	what string
}{
	track.BadSignature:   {rSigActed, "a frame with a wrong signature"},
	track.NoSignature:    {rSigUnsignedActed, "a frame without signature"},
	track.ForeignSession: {r222KaActed, "a KeepAlive with another session id"},
}

// passActed passes a refused number of which a good frame was captured.
func (j signatureJudge) passActed(r *track.Refusal) { j.c.Rules.Pass(actedRules[r.Why].rule) }

// doubtGuards are the guards that an id lacks which is not the connection's.
var doubtGuards = [...]conform.Guard{track.IDKnown: conform.GuardNone, track.IDOneOf: conform.GuardStart, track.IDPayload: conform.GuardVer}

// judgeActed judges that a refused frame of side dir is acknowledged. A good copy may be captured
// a little later.
func (j signatureJudge) judgeActed(dir dissect.Dir, r *track.Refusal) {
	rules, broken := &j.c.Rules, &actedRules[r.Why]
	if r.Good {
		rules.Pass(broken.rule)
		return
	}
	x := rules.Here(broken.rule, fmt.Sprintf("bNRcv %d acknowledges %s", uint8(r.Next), broken.what), r.Frame)
	x.Blocked = doubtGuards[r.Doubt]
	if !rules.CleanBut(dir, 0, r.Refused) || !rules.CleanOf(dir.Other(), 0) {
		x.Blocked = conform.GuardClean
	}
	rules.Hold(x, actedOn{j, dir, r})
}

// An actedOn is a refused frame of a side that was acknowledged.
type actedOn struct {
	j   signatureJudge
	dir dissect.Dir
	r   *track.Refusal
}

// Settle implements session.Settler.
func (h actedOn) Settle() (conform.Ruling, conform.Guard) {
	if h.j.side[h.dir].Took(h.r) {
		return conform.Passed, conform.GuardNone
	}
	if _, again := h.j.OtherSession(); h.r.Why == track.ForeignSession && again {
		return conform.Doubtful, conform.GuardLife // its id came again: another connection's
	}
	if h.r.Why == track.BadSignature && h.j.mayBeOthers(h.dir, h.r.MayBeRight()) {
		return conform.Doubtful, conform.GuardLife
	}
	return conform.Failed, conform.GuardNone
}

// mayBeOthers reports that a frame whose signature is wrong may be of another connection: itself
// tells that, or others of its side were before, and the secret was concluded.
func (j signatureJudge) mayBeOthers(dir dissect.Dir, itself bool) bool {
	return itself || !j.hs.Secrets && j.side[dir].astray
}

// checkSupplied compares supplied secrets with those of the handshake.
func (j signatureJudge) checkSupplied(h *dp8.Handshake) {
	supplied := j.Supplied()
	for i := range supplied {
		s := &supplied[i]
		if !s.IsFor(j.c.SessionID) || s.Current || j.c.Rules.Check(rSecretContradicted, s.Connector == h.SenderSecret && s.Listener == h.ReceiverSecret) {
			continue
		}
		j.c.Rules.Broken(rSecretContradicted, "the supplied secrets differ from those of the handshake; those of the handshake are used")
	}
}
