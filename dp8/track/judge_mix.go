package track

import (
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A mixState is which kinds of answers a handshake had.
type mixState struct {
	offered [2]bool // the listener's CONNECTED, its CONNECTED_SIGNED
	mixed   bool    // it is both signed and not
}

// judgeMix: a handshake is signed or unsigned throughout (MC-DPL8R 3.1.5.1.2,
// 3.1.5.1.3). The listener says which, and the connector answers in kind: who repeats
// what the listener offered breaks nothing.
func (c handshakeJudge) judgeMix(h *dp8.Handshake, fromListener bool) bool {
	rules, offered, kind := &c.c.Rules, &c.hs.mix.offered, 0
	signed := h.Opcode == dp8.OpConnectedSigned
	if signed {
		kind = 1
	}
	was := *offered
	offered[kind] = offered[kind] || fromListener
	if c.hs.plain && !signed || c.hs.signed && signed || !c.hs.plain && !c.hs.signed {
		if c.hs.plain || c.hs.signed {
			rules.Pass(r31513Mix)
		}
		c.hs.plain = c.hs.plain || !signed
		c.hs.modeAt = c.fr.Time
		return true
	}
	c.hs.mix.mixed = true
	c.doubtMode()
	message := [2]string{"CONNECTED in a signed handshake", "CONNECTED_SIGNED in a handshake that is not signed"}[kind]
	switch {
	case fromListener && !was[1-kind] && c.fr.Time-c.hs.modeAt <= rules.Horizon():
		rules.Unclear(r31513Mix, conform.GuardReord, message) // the answer overtook it
	case !fromListener && was[kind]:
		rules.Pass(r31513Mix) // it was offered both
	case was[1-kind]:
		rules.Broken(r31513Mix, message)
	default:
		rules.Unclear(r31513Mix, conform.GuardClean, message) // the offers before it were not captured
	}
	return false
}

// judgeAsked: CONNECTED answers a CONNECT (MC-DPL8R 3.1.5.1.2). One that was not captured
// may have asked for it: that it is unsolicited is never certain.
func (c handshakeJudge) judgeAsked() {
	if rules := &c.c.Rules; !rules.Check(r31512Unsolicited, c.hs.connects > 0) {
		rules.Unclear(r31512Unsolicited, conform.GuardStart, "the CONNECT that this answers was not captured")
	}
}

// doubtMode forgets how frames are signed when the handshake says both: they will
// tell.
func (c handshakeJudge) doubtMode() {
	if !c.started() {
		c.mode, c.params.Signing, c.c.Signing = modeUnknown, dp8.SigningUnknown, ""
	}
}
