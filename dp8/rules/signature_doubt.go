package rules

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A doubtCase is what a frame of doubtful signature breaks if it is forged.
type doubtCase struct {
	conform.Case
	doubt *track.Doubt
}

// doubtSignature keeps the case of the frame at hand, whose signature is wrong, until it
// shows whether it is forged.
func (j signatureJudge) doubtSignature(dir dissect.Dir, about *track.Signature) {
	s, rules := &j.side[dir], &j.c.Rules
	x := rules.Here(rSigFull, "signature does not verify with the sender's secret: forged or altered")
	x.Milder = !j.hs.Secrets
	x.Blocked, s.astray = conform.GuardUnwrap, true
	if j.Mode() == track.ModeFast {
		x.Rule, x.Message, x.Blocked = rSigFast, "signature is not the sender's secret: forged", conform.GuardLife
	}
	if about.Doubt == nil {
		rules.Judge(x)
		return
	}
	s.inDoubt = append(s.inDoubt, doubtCase{x, about.Doubt})
}

// judgeForged judges the frames of a side that turned out to be forged.
func (j signatureJudge) judgeForged(s *side) {
	keep := s.inDoubt[:0]
	for _, d := range s.inDoubt {
		if !d.doubt.Forged {
			keep = append(keep, d)
			continue
		}
		d.Blocked = conform.GuardNone
		j.c.Rules.Judge(d.Case)
	}
	s.inDoubt = keep
}

// finishDoubts leaves what is still in doubt without a verdict.
func (j signatureJudge) finishDoubts(s *side) {
	for _, d := range s.inDoubt {
		j.c.Rules.Judge(d.Case)
	}
	s.inDoubt = nil
}
