package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeAgain compares a sending of a packet with that captured before (MC-DPL4R
// 2.2.2).
func (c packetJudge) judgeAgain(dir int, u *fact, msg int64) bool {
	f := c.f
	data := dataPrint(f, c.fr)
	rule, what := r222SeqUnique, ""
	switch {
	case u.msg != msg && c.isNewBelow(dir, u.num, msg):
		rule, what = r222SeqInc, fmt.Sprintf("is a new packet of message %d, but the highest sequence so far was %d", f.MessageID, uint8(c.side[dir].facts.top))
	case u.msg != msg:
		what = fmt.Sprintf("is of message %d, but was of message %d", f.MessageID, uint8(u.msg))
	case (f.Flags^u.flags)&dp4.RLY != 0:
		rule, what = r222RlyConst, "is sent again with a different RLY"
	case (f.Flags^u.flags)&dp4.WholeMessage != 0:
		what = "is sent again with a different STA or EOM"
	case data != 0 && u.data != 0 && data != u.data:
		what = "is sent again with different data"
	}
	if what == "" {
		c.judgeRepeat(dir, u)
		return true
	}
	if rule == r222SeqUnique && u.msg == msg && int8(f.Serial-u.high) > 0 {
		rule = r222RetrySame
	}
	what = fmt.Sprintf("sequence %d %s", f.Sequence, what)
	if f.Initial() && f.Serial == 0 {
		c.c.Rules.Unclear(rule, conform.GuardLife, what, u.frame) // the players may begin again
		return true
	}
	c.broken(rule, what, u.frame)
	return false
}

// isNewBelow reports whether what has the number of another packet is a new one: the
// first sending of a message behind all others, below the highest number.
func (c packetJudge) isNewBelow(dir int, num, msg int64) bool {
	s := &c.side[dir]
	last, ok := s.msg.Known()
	return ok && msg > last && num < s.facts.top && c.f.Serial == 0 && c.f.Flags&dp4.STA != 0
}

// judgeRepeat judges a further sending of the same packet by its serial: an earlier
// sending may come late, the same one does not come twice.
func (c packetJudge) judgeRepeat(dir int, u *fact) {
	rules, f := &c.c.Rules, c.f
	if step := int8(f.Serial - u.high); step > 0 {
		rules.PassSet(setRepeat)
		if f.Flags&dp4.WholeMessage == dp4.WholeMessage {
			rules.Pass(r222SerialSingle)
		}
		c.judgeRetryTime(dir, u)
		return
	}
	if c.fr.IPID != 0 && c.fr.IPID == u.ipid {
		return // a copy of the first sending, however late (guard DUP)
	}
	if f.Flags&dp4.WholeMessage == dp4.WholeMessage && c.fine() && c.fr.Time-u.last > seq.CopyDoubt && (f.Serial == u.high || f.Serial == 0 && u.low == 0) {
		c.broken(r222SerialSingle, fmt.Sprintf("sequence %d is sent again with serial %d, which an earlier transmission already had", f.Sequence, f.Serial), u.frame)
	}
}
