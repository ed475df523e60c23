package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeRefuted judges frames whose numbers turned out to be out of place: the side went
// on before them (MC-DPL8R 3.1.5.2.1).
func (j *judge) judgeRefuted(dir dissect.Dir, frames []seq.ProvisionalFrame) {
	reached, _ := j.c.Dir[dir].Window().Highest()
	j.c.JudgeRefuted(dir, frames, func(p *seq.ProvisionalFrame, x *conform.Case) {
		doubtful := j.Trusted() != 0 && p.Time-j.Trusted() < track.FirstAckTime || p.HasAcked && p.Acked > p.Expected // many numbers went by unseen
		x.Rule, x.Message = r31521Inc, fmt.Sprintf("bSeq is %d, but the numbers before and after it continue at %d", uint8(p.Num), uint8(p.Expected))
		switch {
		case p.By == 0, doubtful, p.Outdated, p.Num > p.Expected && p.Num <= reached: // the side has come that far since
			x.Blocked = conform.GuardUnwrap
		case p.HasAcked && p.Num >= p.Acked+dp8.WindowSize, p.Num < 0 && j.c.Complete && j.Trusted() == 0:
			x.Rule = r31521Range
			x.Message = fmt.Sprintf("bSeq is %d, outside the 64 numbers from %d, the lowest unacknowledged; the side continues at %d", uint8(p.Num), uint8(p.Acked), uint8(p.Expected))
		case p.Num < p.Expected: // it may come from long ago
			x.Blocked = conform.GuardUnwrap
		}
	})
}
