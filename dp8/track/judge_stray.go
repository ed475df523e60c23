package track

import (
	"slices"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A strayCase is what a stray breaks if it was of its connection.
type strayCase struct {
	conform.Case
	stray *stray
}

// keepStray keeps what a stray breaks until it shows whose it was.
func (c commandJudge) keepStray(s *stray, x conform.Case) {
	c.strayCases = append(c.strayCases, strayCase{x, s})
}

// judgeStray judges a stray of which it shows whose it was, or that no more will show.
func (c commandJudge) judgeStray(s *stray) {
	i := slices.IndexFunc(c.strayCases, func(x strayCase) bool { return x.stray == s })
	if i < 0 {
		return
	}
	x := c.strayCases[i].Case
	c.strayCases = slices.Delete(c.strayCases, i, i+1)
	switch s.outcome {
	case strayTheirs:
		return
	case strayOurs:
		x.Proof = append(x.Proof, c.fr.Frame)
	default:
		x.Blocked = conform.GuardLife
	}
	c.c.Rules.Judge(x)
}

// judgeStrayAnswer judges an answer with another session id; follows tells that it and those
// before it answer the CONNECTs of this connection one after the other.
func (c commandJudge) judgeStrayAnswer(h *dp8.Handshake, s *stray, follows bool) {
	rules := &c.c.Rules
	x := rules.Here(answerRulesOf(h).sessid, "dwSessID is "+idText(h.SessionID)+", but the handshake's is "+idText(c.c.SessionID))
	if follows {
		rules.Judge(x)
	} else {
		c.keepStray(s, x)
	}
}

// judgeStrayHard judges a HARD_DISCONNECT with another session id; s is nil where that may be
// of a connection before.
func (c commandJudge) judgeStrayHard(h *dp8.Handshake, s *stray) {
	rules := &c.c.Rules
	message := "dwSessID is " + idText(h.SessionID) + ", but the connection's is " + idText(c.c.SessionID)
	if s == nil {
		rules.Unclear(r2214Sessid, conform.GuardLife, message)
	} else {
		c.keepStray(s, rules.Here(r2214Sessid, message))
	}
}

// finishStrays ends the cases that are left.
func (c commandJudge) finishStrays() {
	for _, x := range c.strayCases {
		x.Blocked = conform.GuardLife
		c.c.Rules.Judge(x.Case)
	}
	c.strayCases = nil
}
