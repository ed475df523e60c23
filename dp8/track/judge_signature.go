package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// passSignature enters a signature that is right under the rules it is right by.
func (c signatureJudge) passSignature(dir int, num int64) {
	rules, s := &c.c.Rules, &c.side[dir]
	if len(s.inDoubt) > 0 {
		c.judgeForged(s)
	}
	if c.f.Type == dp8.TypeDFrame {
		rules.Pass(r222SigPresent)
	}
	if c.Mode() != modeFull {
		rules.Pass(rSigFast)
		if c.hs.secrets {
			rules.Pass(rSigFastDir)
		}
		return
	}
	rules.Pass(rSigFull)
	if c.hs.secrets {
		rules.Pass(rSigFastDir)
	}
	if num>>8 > 0 {
		rules.Pass(rSigEpoch)
	}
	switch c.f.Type {
	case dp8.TypeSACK:
		rules.Pass(rSigSackkey)
	case dp8.TypeHardDisconnect:
		rules.Pass(rSigHdisckey)
	default:
		c.passLateNumber(rules, dir, num)
	}
}

// passLateNumber: behind number 191 of an epoch, its secret and the next are both
// known to the side (MC-DPL8R 3.1.4.4).
func (c signatureJudge) passLateNumber(rules *session.Evaluation, dir int, num int64) {
	m := &c.side[dir].history
	switch {
	case num&255 < 192:
	case c.f.DFrame.Control&dp8.CtlRetry == 0:
		rules.Pass(rSigEarly)
	case m.started && m.top>>8 > num>>8:
		rules.Pass(rSigRetrykey)
	}
}

// reportSignature says what is wrong with a frame that does not verify.
func (c signatureJudge) reportSignature(dir int, num int64, x *signature) {
	rules, v := &c.c.Rules, x.verdict
	switch {
	case x.missing:
		c.reportUnsigned(rules)
	case x.adrift:
		c.doubtSignature(dir, x)
	case c.SignedByOther(dir):
		rules.Broken(rSigFastDir, "signed with the secret of the other side")
	case c.Mode() == modeFast:
		x := rules.Here(rSigFast, "signature is not the sender's secret: forged")
		x.Milder = !c.hs.secrets
		rules.Judge(x)
	case c.f.Type == dp8.TypeHardDisconnect && c.c.Dir[dir].Signatures.Valid > 0:
		rules.Broken(rSigHdisckey, fmt.Sprintf("the signature of the HARD_DISCONNECT does not verify with the secret for bRspId %d", c.f.Handshake.RspID))
	case v != sigInvalid:
		c.reportEpoch(rules, dir, num, v)
	case c.resigned(num, dir):
		rules.Broken(rSigResign, fmt.Sprintf("the retry of bSeq %d has the signature of an earlier transmission, but different bytes", c.f.DFrame.Seq))
	default:
		rules.Broken(rSigFull, "signature does not verify with the sender's secret: forged or altered")
	}
}

func (c signatureJudge) reportUnsigned(rules *session.Evaluation) {
	if n := len(c.f.SACK.Trailing); c.f.Type == dp8.TypeSACK && n > 0 {
		rules.Broken(r2215Len, fmt.Sprintf("%d bytes more than bFlags 0x%02x accounts for: the length is wrong with and without a signature", n, c.f.SACK.Flags))
		return
	}
	if !c.SurelySigned() {
		rules.Unclear(r222SigPresent, conform.GuardVer, "a frame without signature on what seems to be a signed connection")
		return
	}
	switch c.f.Type {
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
func (c signatureJudge) reportEpoch(rules *session.Evaluation, dir int, num int64, v sigVerdict) {
	m := &c.side[dir].history
	switch {
	case c.f.Type == dp8.TypeSACK:
		rules.Broken(rSigSackkey, fmt.Sprintf("SACK is not signed with the secret for bNSeq %d, but with that of another epoch", c.f.SACK.NSeq))
	case v == sigStale:
		rules.Broken(rSigEpoch, "signed with the secret of another epoch: stale")
	case c.f.DFrame.Control&dp8.CtlRetry != 0 && m.started && m.top>>8 > num>>8:
		rules.Broken(rSigRetrykey, fmt.Sprintf("the retry of bSeq %d is signed with the secret used after the wrap", c.f.DFrame.Seq))
	default:
		rules.Broken(rSigEarly, fmt.Sprintf("bSeq %d is signed with the secret of the next epoch", c.f.DFrame.Seq))
	}
}

// resigned reports a retry with the signature of an earlier sending of its number
// and other bytes (MC-DPL8R 3.1.6.5).
func (c signatureJudge) resigned(num int64, dir int) bool {
	if c.f.Type != dp8.TypeDFrame || c.f.DFrame.Control&dp8.CtlRetry == 0 {
		return false
	}
	d, prev := &c.f.DFrame, c.side[dir].history.at(num)
	if prev == nil || prev.cut {
		return false
	}
	hash := c.sent.Hash
	if d.Signature == prev.signature && hash != prev.hash {
		return true
	}
	last := c.Resent(dir, num)
	return prev.sendings > 1 && last != nil && d.Signature == last.signature && hash != last.hash
}

// judgeResigned judges a retry that verifies, or that no secret is known for: its
// signature is a new one when its bytes are. That needs no secret.
func (c signatureJudge) judgeResigned(rules *session.Evaluation, d *dp8.DFrame, prev *sentFrame) {
	if c.Mode() != modeFull || prev == nil || !c.SurelySigned() || !d.HasSignature || d.Control&dp8.CtlRetry == 0 || prev.cut {
		return
	}
	if !rules.Check(rSigResign, d.Signature != prev.signature || c.sent.Hash == prev.hash) {
		rules.Broken(rSigResign, fmt.Sprintf("the retry of bSeq %d has the signature of frame %d, but different bytes", d.Seq, prev.frame), prev.frame)
	}
}

// judgeSigningVersion: signing needs 1.6 on both sides (MC-DPL8R 1.7, 2.2.1). The
// connector's CONNECTED_SIGNED is at hand.
func (c signatureJudge) judgeSigningVersion() {
	a, b := c.side[0].version, c.side[1].version
	if a == 0 || b == 0 || !c.hs.answered || c.fr.Words.Has(dissect.Duplicate) {
		return
	}
	rules := &c.c.Rules
	if !rules.Check(rSigVer, min(a, b) >= dp8.Version16) {
		rules.Broken(rSigVer, fmt.Sprintf("versions 1.%d and 1.%d agree on signing, which needs 1.6", a&0xffff, b&0xffff))
	}
}

// judgeLeak tells that the secrets were captured with the handshake, once a
// connection (MC-DPL8R 5.1).
func (c signatureJudge) judgeLeak(h *dp8.Handshake) {
	if h.SenderSecret != (dp8.Secret{}) || h.ReceiverSecret != (dp8.Secret{}) {
		c.c.Rules.Broken(rSigSecretleak, "this frame carries the signing secrets in the clear: anyone who captured it can forge signatures")
	}
}

// judgeModifier judges the frames that came before the secret of their epoch was
// proven. Any derivation that is proven will do: the text leaves it open
// (AMB-DP8-12).
func (c signatureJudge) judgeModifier(dir int, suspects []suspect) {
	rules := &c.c.Rules
	rules.Pass(rSigModifier)
	for _, s := range suspects {
		rules.Judge(conform.Case{Rule: rSigFull, Dir: dir, Frame: s.frame, Time: s.time, HasTime: s.timed,
			Message: "signature does not verify with the sender's secret: forged or altered"})
	}
}

// judgeUnproven: an epoch whose secret no known derivation gives is not judged.
func (c signatureJudge) judgeUnproven(dir int) {
	rules := &c.c.Rules
	rules.Judge(conform.Case{Rule: rSigModifier, Dir: dir, Frame: c.c.LastFrame, Time: c.c.LastTime, HasTime: c.c.HasTime, Blocked: conform.GuardDial,
		Message: "no known derivation of the modifier yields the secret of the epoch"})
}

// actedRules are those that an acknowledgement of a refused number breaks, by why it was
// refused.
var actedRules = [...]struct {
	rule int
	what string
}{
	badSignature:   {rSigActed, "a frame with a wrong signature"},
	noSignature:    {rSigUnsignedActed, "a frame without signature"},
	foreignSession: {r222KaActed, "a KeepAlive with another session id"},
}

// passActed passes a refused number of which a good frame was captured.
func (c signatureJudge) passActed(r *refusal) { c.c.Rules.Pass(actedRules[r.why].rule) }

// doubtGuards are the guards that an id lacks which is not the connection's.
var doubtGuards = [...]conform.Guard{idKnown: conform.GuardNone, idOneOf: conform.GuardStart, idPayload: conform.GuardVer}

// judgeActed judges that a refused frame of side dir is acknowledged. A good copy may be captured
// a little later.
func (c signatureJudge) judgeActed(dir int, r *refusal) {
	s, rules, broken := &c.side[dir], &c.c.Rules, &actedRules[r.why]
	if r.good {
		rules.Pass(broken.rule)
		return
	}
	x := rules.Here(broken.rule, fmt.Sprintf("bNRcv %d acknowledges %s", uint8(r.next), broken.what), r.frame)
	x.Blocked = doubtGuards[r.doubt]
	if !rules.CleanBut(dir, 0, r.refused) || !rules.CleanOf(1-dir, 0) {
		x.Blocked = conform.GuardClean
	}
	rules.Hold(x, func() (conform.Ruling, conform.Guard) {
		if s.took(r) {
			return conform.Passed, conform.GuardNone
		}
		if _, again := c.OtherID(); r.why == foreignSession && again {
			return conform.Doubtful, conform.GuardLife // its id came again: another connection's
		}
		return conform.Failed, conform.GuardNone
	})
}

// checkSupplied compares supplied secrets with those of the handshake.
func (c signatureJudge) checkSupplied(h *dp8.Handshake) {
	supplied := c.Supplied()
	for i := range supplied {
		s := &supplied[i]
		if !s.IsFor(c.c.SessionID) || s.Current || c.c.Rules.Check(rSecretContradicted, s.Connector == h.SenderSecret && s.Listener == h.ReceiverSecret) {
			continue
		}
		c.c.Rules.Broken(rSecretContradicted, "the supplied secrets differ from those of the handshake; those of the handshake are used")
	}
}
