package rules

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
)

// judgeMix: a handshake is signed or unsigned throughout (MC-DPL8R 3.1.5.1.2,
// 3.1.5.1.3). The listener says which, and the connector answers in kind: who repeats
// what the listener offered breaks nothing.
func (j handshakeJudge) judgeMix(h *dp8.Handshake) {
	rules, x := &j.c.Rules, &j.Greeting
	if x.Keeps {
		if x.Known {
			rules.Pass(r31513Mix)
		}
		return
	}
	kind := dissect.Dir(0)
	if h.Opcode == dp8.OpConnectedSigned {
		kind = 1
	}
	message := [2]string{"CONNECTED in a signed handshake", "CONNECTED_SIGNED in a handshake that is not signed"}[kind]
	switch {
	case x.FromListener && !x.Offered[kind.Other()] && j.AtLeast(j.hs.ModeAt) <= j.InOrder():
		rules.Unclear(r31513Mix, conform.GuardReord, message) // the answer overtook it
	case !x.FromListener && x.Offered[kind]:
		rules.Pass(r31513Mix) // it was offered both
	case x.Offered[kind.Other()]:
		rules.Broken(r31513Mix, message)
	default:
		rules.Unclear(r31513Mix, conform.GuardClean, message) // the offers before it were not captured
	}
}

// judgeAsked: CONNECTED answers a CONNECT (MC-DPL8R 3.1.5.1.2). One that was not captured
// may have asked for it: that it is unsolicited is never certain.
func (j handshakeJudge) judgeAsked() {
	if rules := &j.c.Rules; !rules.Check(r31512Unsolicited, j.hs.Connects > 0) {
		rules.Unclear(r31512Unsolicited, conform.GuardStart, "the CONNECT that this answers was not captured")
	}
}
