package rules

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeUsual is judgeData and judgeNumber for what the short way takes: a frame that is plain, first sent, not the
// end, and the next of its side.
func (j *judge) judgeUsual(dir dissect.Dir, num seq.Num, d *dp8.DFrame) {
	l, rules := &j.side[dir].sequence, &j.c.Rules
	rules.PassSet(setData)
	if d.Control != 0 {
		j.content().judgeMasks(rules, d)
	}
	l.idle = false
	j.sequence().judgeNext(dir, num, d)
	j.retries().judgeFresh(dir, num, d)
	if !l.begun {
		j.sequence().judgeStart(dir, num, true)
	}
}
