package rules

import (
	"slices"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A strayCase is what a stray breaks if it was of its connection.
type strayCase struct {
	conform.Case
	stray *track.Stray
}

// keepStray keeps what a stray breaks until it shows whose it was.
func (j commandJudge) keepStray(s *track.Stray, x conform.Case) {
	j.strayCases = append(j.strayCases, strayCase{x, s})
}

// judgeStray judges a stray of which it shows whose it was, or that no more will show.
func (j commandJudge) judgeStray(s *track.Stray) {
	i := slices.IndexFunc(j.strayCases, func(x strayCase) bool { return x.stray == s })
	if i < 0 {
		return
	}
	x := j.strayCases[i].Case
	j.strayCases = slices.Delete(j.strayCases, i, i+1)
	switch s.Outcome {
	case track.StrayTheirs:
		return
	case track.StrayOurs:
		x.Proof = append(x.Proof, j.Frame.Frame)
	default:
		x.Blocked = conform.GuardLife
	}
	j.c.Rules.Judge(x)
}

// judgeStrayAnswer judges an answer with another session id; follows tells that it and those
// before it answer the CONNECTs of this connection one after the other.
func (j commandJudge) judgeStrayAnswer(h *dp8.Handshake, s *track.Stray, follows bool) {
	rules := &j.c.Rules
	x := rules.Here(answerRulesOf(h).sessid, "dwSessID is "+idText(h.SessionID)+", but the handshake's is "+idText(j.c.SessionID))
	if follows {
		rules.Judge(x)
	} else {
		j.keepStray(s, x)
	}
}

// judgeStrayHard judges a HARD_DISCONNECT with another session id; s is nil where that may be
// of a connection before.
func (j commandJudge) judgeStrayHard(h *dp8.Handshake, s *track.Stray) {
	rules := &j.c.Rules
	message := "dwSessID is " + idText(h.SessionID) + ", but the connection's is " + idText(j.c.SessionID)
	if s == nil {
		rules.Unclear(r2214Sessid, conform.GuardLife, message)
	} else {
		j.keepStray(s, rules.Here(r2214Sessid, message))
	}
}

// finishStrays ends the cases that are left.
func (j commandJudge) finishStrays() {
	for _, x := range j.strayCases {
		x.Blocked = conform.GuardLife
		j.c.Rules.Judge(x.Case)
	}
	j.strayCases = nil
}
