package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeSample ends an opportunity of a rule about reactions of side dir.
func (j retryJudge) judgeSample(s *conform.Sample, rule int, dir dissect.Dir, took, most int64, what string) {
	rules := &j.c.Rules
	slack, ok := rules.Slack(dir)
	if !ok {
		return
	}
	late := took > slack+most+j.Grain()
	s.Enter(late)
	if rules.Check(rule, !late) {
		return
	}
	if !s.Mostly() {
		rules.Unclear(rule, conform.GuardSample, what+" came late")
		return
	}
	rules.Broken(rule, fmt.Sprintf("%d of %d times %s came late, this time after %s", s.Bad, s.N, what, ms(took)))
	*s = conform.Sample{}
}

// reactTo notes what the other side should react to.
func (j retryJudge) reactTo(dir dissect.Dir, num seq.Num, first bool) {
	s := &j.side[dir].sequence.samples
	switch {
	case !j.Frame.HasTime:
	case first && s.gapAt == 0:
		s.gapNum, s.gapAt, s.unnamed = num, j.Frame.Time, false
	case !first && s.again == 0 && j.Prior.Known && j.Prior.Look.Acked:
		s.again = j.Frame.Time
	}
}

// judgeReactions judges how soon a side reports gaps and answers repetitions
// (MC-DPL8R 3.1.2.2, 3.1.5.2.1).
func (j retryJudge) judgeReactions(dir dissect.Dir, next seq.Num, mask uint64) {
	s := &j.side[dir.Other()].sequence.samples
	if i := s.gapNum - next - 1; s.gapAt != 0 && i < 64 {
		switch {
		case i < 0:
			if s.unnamed {
				j.judgeQueued(dir.Other())
			}
			s.gapAt = 0 // only the capture missed what was before it
		case mask == 0:
			s.unnamed = s.unnamed || j.Frame.Time-s.gapAt > j.c.Dir[dir.Other()].MinRTT()+j.Apart()
		case mask>>uint(i)&1 != 0:
			s.queued.Enter(false)
			j.c.Rules.Pass(r31521Sackinfo)
			j.judgeSample(&s.gaps, r3122AckdelayOoo, dir, j.Frame.Time-s.gapAt, ackShort, "the first report of a gap")
			s.gapAt = 0
		}
	}
	if s.again != 0 {
		j.judgeSample(&s.repeats, r31521OorSack, dir, j.Frame.Time-s.again, ackNormal, "the answer to a duplicate")
		s.again = 0
	}
	if mask != 0 && s.missing != next {
		s.missing, s.missingAt = next, j.Frame.Time
	}
}

// judgeQueued judges that the number behind a gap of side dir is acknowledged at last, was
// sent once as far as was captured, and no mask named it while the gap lasted (MC-DPL8R
// 3.1.5.2.1). One retry that was not captured explains each of them, but not most of many.
func (j retryJudge) judgeQueued(dir dissect.Dir) {
	s, rules := &j.side[dir].sequence.samples, &j.c.Rules
	look, ok := j.c.Dir[dir].Look(s.gapNum)
	if !ok || !look.First || look.Retried || look.Copies != 1 {
		return
	}
	s.queued.Enter(true)
	if !s.queued.Mostly() {
		rules.Unclear(r31521Sackinfo, conform.GuardSample, fmt.Sprintf("no SACK mask named %d while the number before it was missing", uint8(s.gapNum)), look.Frame)
		return
	}
	rules.Broken(r31521Sackinfo, fmt.Sprintf("%d of %d times no SACK mask named what arrived after a gap, this time %d", s.queued.Bad, s.queued.N, uint8(s.gapNum)), look.Frame)
	s.queued = conform.Sample{}
}

// judgeFast judges how soon a number is sent again that a mask reported missing
// (MC-DPL8R 3.1.5.2.3).
func (j retryJudge) judgeFast(dir dissect.Dir, num seq.Num) {
	if s := &j.side[dir].sequence.samples; s.missingAt != 0 && s.missing == num {
		j.judgeSample(&s.fast, r31523Fast, dir, j.Frame.Time-s.missingAt, ackNormal, "the retry that a mask asked for")
		s.missingAt = 0
	}
}
