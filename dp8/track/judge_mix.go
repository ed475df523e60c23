package track

import (
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
)

// judgeMix: a handshake is signed or unsigned throughout (MC-DPL8R 3.1.5.1.2,
// 3.1.5.1.3). The listener says which, and the connector answers in kind: who repeats
// what the listener offered breaks nothing.
func (c handshakeJudge) judgeMix(h *dp8.Handshake) {
	rules, x := &c.c.Rules, &c.greeting
	if x.keeps {
		if x.known {
			rules.Pass(r31513Mix)
		}
		return
	}
	kind := 0
	if h.Opcode == dp8.OpConnectedSigned {
		kind = 1
	}
	message := [2]string{"CONNECTED in a signed handshake", "CONNECTED_SIGNED in a handshake that is not signed"}[kind]
	switch {
	case x.fromListener && !x.offered[1-kind] && c.fr.Time-c.hs.modeAt <= rules.Horizon():
		rules.Unclear(r31513Mix, conform.GuardReord, message) // the answer overtook it
	case !x.fromListener && x.offered[kind]:
		rules.Pass(r31513Mix) // it was offered both
	case x.offered[1-kind]:
		rules.Broken(r31513Mix, message)
	default:
		rules.Unclear(r31513Mix, conform.GuardClean, message) // the offers before it were not captured
	}
}

// judgeAsked: CONNECTED answers a CONNECT (MC-DPL8R 3.1.5.1.2). One that was not captured
// may have asked for it: that it is unsolicited is never certain.
func (c handshakeJudge) judgeAsked() {
	if rules := &c.c.Rules; !rules.Check(r31512Unsolicited, c.hs.connects > 0) {
		rules.Unclear(r31512Unsolicited, conform.GuardStart, "the CONNECT that this answers was not captured")
	}
}
