package track

import "github.com/dpdissect/dpdissect/session/conform"

// A doubtCase is what a frame of doubtful signature breaks if it is forged.
type doubtCase struct {
	conform.Case
	doubt *doubt
}

// doubtSignature keeps the case of the frame at hand, whose signature is wrong, until it
// shows whether it is forged.
func (c signatureJudge) doubtSignature(dir int, about *signature) {
	s, rules := &c.side[dir], &c.c.Rules
	x := rules.Here(rSigFull, "signature does not verify with the sender's secret: forged or altered")
	x.Milder = !c.hs.secrets
	x.Blocked = conform.GuardUnwrap
	if c.Mode() == modeFast {
		x.Rule, x.Message, x.Blocked = rSigFast, "signature is not the sender's secret: forged", conform.GuardLife
	}
	if about.doubt == nil {
		rules.Judge(x)
		return
	}
	s.inDoubt = append(s.inDoubt, doubtCase{x, about.doubt})
}

// judgeForged judges the frames of a side that turned out to be forged.
func (c signatureJudge) judgeForged(s *judgedSide) {
	keep := s.inDoubt[:0]
	for _, d := range s.inDoubt {
		if !d.doubt.forged {
			keep = append(keep, d)
			continue
		}
		d.Blocked = conform.GuardNone
		c.c.Rules.Judge(d.Case)
	}
	s.inDoubt = keep
}

// finishDoubts leaves what is still in doubt without a verdict.
func (c signatureJudge) finishDoubts(s *judgedSide) {
	for _, d := range s.inDoubt {
		c.c.Rules.Judge(d.Case)
	}
	s.inDoubt = nil
}
