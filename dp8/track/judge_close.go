package track

import (
	"fmt"
	"slices"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// overAfter is how long after the graceful end of a connection late frames may still
// come, in ns; quietBefore is how long a side that received END_STREAM may have
// nothing to send before it should have answered.
const (
	overAfter   = 1e9
	quietBefore = 5e9
)

// deafAfter is after how many sendings of one number a side that still speaks must
// have received one.
const deafAfter = 10

// A closeDuty is what a side has shown since the connection began to close.
type closeDuty struct {
	end   uint64 // frame of its END_STREAM
	next  int64  // number it sends next
	since int64  // when that was first captured
	knows bool   // it acknowledged the END_STREAM
	told  bool   // of a missing answer
	took  bool   // told that it acknowledges what lies behind the peer's
	deaf  bool   // told that it does not acknowledge any more
}

// judgeEnd judges END_STREAM and what follows it (MC-DPL8R 3.1.4.3).
func (c closeJudge) judgeEnd(rules *session.Evaluation, dir int, num int64, d *dp8.DFrame, prev *sentFrame) {
	s := &c.side[dir]
	if d.Control&dp8.CtlEndStream != 0 && prev == nil {
		if !rules.Check(r3143Reliable, d.Command&dp8.Reliable != 0) {
			rules.Broken(r3143Reliable, "END_STREAM on a frame that is not reliable")
		}
		if !rules.Check(r3143Empty, len(d.Payload) == 0 && !d.Coalesced) {
			x := rules.Here(r3143Empty, "END_STREAM on a frame with payload")
			if c.Signing() == dp8.SigningUnknown || len(d.Payload) == 8 && slices.Contains(c.c.Inferred, "signing") {
				x.Blocked = conform.GuardVer // it may be a signature
			}
			rules.Judge(x)
		}
		if c.side[1-dir].ended {
			rules.Pass(r3143Reply)
		}
	}
	if d.Control&dp8.CtlEndStream != 0 && !s.ended {
		c.side[dir].closing.end = c.fr.Frame
	}
	switch {
	case s.goesBeyond(num):
		c.judgeBeyond(rules, dir, d)
	case !s.ended && d.Control&dp8.CtlEndStream != 0:
		c.judgeOvertaken(rules, dir, num, d.Control&dp8.CtlRetry != 0)
	case s.beyond:
	case s.ended:
		rules.Pass(r3143Last)
	}
}

// judgeBeyond judges a new number behind END_STREAM. When the connection was over
// it is one of a connection that should be gone; a KeepAlive names it, anything
// else may be of another one.
func (c closeJudge) judgeBeyond(rules *session.Evaluation, dir int, d *dp8.DFrame) {
	s := &c.side[dir]
	sure := c.Unwrapped(dir, s.endAt)
	if at, over := c.overSince(); over && c.fr.Time-at > overAfter {
		x := rules.Here(r3143Terminated, fmt.Sprintf("bSeq %d, %d s after both sides ended and were acknowledged", d.Seq, (c.fr.Time-at)/1e9), c.side[dir].closing.end)
		if !sure && !(d.KeepAlive && c.hs.sessionKnown && c.c.Complete) {
			x.Blocked = conform.GuardLife
		}
		rules.Judge(x)
		return
	}
	x := rules.Here(r3143Last, fmt.Sprintf("bSeq %d follows END_STREAM, which was on bSeq %d", d.Seq, uint8(s.endSeq)), c.side[dir].closing.end)
	if !sure {
		x.Blocked = conform.GuardUnwrap
	}
	rules.Judge(x)
}

// judgeOvertaken looks for numbers behind END_STREAM that were captured before it.
func (c closeJudge) judgeOvertaken(rules *session.Evaluation, dir int, num int64, retry bool) {
	s := &c.side[dir]
	n, f := s.firstBehind(num)
	if f == nil {
		rules.Pass(r3143Last)
		return
	}
	x := conform.Case{Rule: r3143Last, Dir: dir, Frame: f.frame, Time: f.time, HasTime: f.timed, Proof: []uint64{c.fr.Frame},
		Message: fmt.Sprintf("bSeq %d follows END_STREAM, which is on bSeq %d", uint8(n), uint8(num))}
	if !c.Unwrapped(dir, f.time) || !retry && c.fr.Time-f.time > 3*c.horizon {
		x.Blocked = conform.GuardUnwrap
	}
	rules.Judge(x)
}

// overSince tells since when both sides have ended and are acknowledged.
func (c closeJudge) overSince() (at int64, over bool) {
	for dir := range c.side {
		s := &c.side[dir]
		cum, ok := c.c.Dir[dir].Window().Cumulative()
		if !s.ended || !ok || cum <= s.endSeq {
			return 0, false
		}
		at = max(at, s.endAt)
		if look, ok := c.c.Dir[dir].Look(s.endSeq); ok && look.AckTimed {
			at = max(at, look.AckTime)
		}
	}
	return at, true
}

// judgeAcknowledged judges what a frame of side dir acknowledges, next being the
// number it expects: before it is applied.
func (c closeJudge) judgeAcknowledged(dir int, next int64) {
	peer := &c.side[1-dir]
	if !peer.ended && !c.side[dir].ended {
		return
	}
	rules := &c.c.Rules
	if peer.ended {
		c.judgeTaken(rules, dir, next)
	} else {
		c.judgeDeaf(rules, dir, next)
	}
}

// judgeTaken: what lies behind END_STREAM is ignored (MC-DPL8R 3.1.4.3).
func (c closeJudge) judgeTaken(rules *session.Evaluation, dir int, next int64) {
	peer, duty := &c.side[1-dir], &c.side[dir].closing
	switch {
	case duty.took || next <= peer.endSeq || next > peer.endSeq+dp8.WindowSize:
	case next == peer.endSeq+1:
		rules.Pass(r3143Beyond)
	default:
		f := peer.history.at(peer.endSeq + 1)
		if f == nil {
			return // it was never sent: another rule
		}
		duty.took = true
		x := rules.Here(r3143Beyond, fmt.Sprintf("bNRcv %d acknowledges a frame after END_STREAM, which was on bSeq %d", uint8(next), uint8(peer.endSeq)), f.frame)
		if !c.Unwrapped(1-dir, peer.endAt) || f.last < peer.endAt {
			x.Blocked = conform.GuardLife
		}
		rules.Judge(x)
	}
}

// judgeDeaf: a side that ended acknowledges until its peer ends (MC-DPL8R 3.1.4.3).
// It still speaks, and expects what was sent to it time and again.
func (c closeJudge) judgeDeaf(rules *session.Evaluation, dir int, next int64) {
	peer, duty := &c.side[1-dir], &c.side[dir].closing
	if cum, ok := c.c.Dir[1-dir].Window().Cumulative(); ok && next > cum {
		rules.Pass(r3143Keepack)
		return
	}
	f := peer.history.at(next)
	if f == nil || duty.deaf || f.sendings < deafAfter || f.time < c.side[dir].endAt || c.fr.Time-f.time < overAfter ||
		c.f.Type != dp8.TypeSACK || c.f.SACK.SendMask != 0 {
		return // a SACK answers what arrived: the way to the side is open
	}
	duty.deaf = true
	x := rules.Here(r3143Keepack, fmt.Sprintf("bNRcv is still %d, although that number was sent %d times since the side ended its stream", uint8(next), f.sendings), f.frame)
	x.Since = f.time
	rules.Judge(x)
}

// judgeReply: who receives END_STREAM ends too (MC-DPL8R 3.1.4.3). A frame of side
// dir tells which number it sends next. When it has had nothing to send for long,
// nothing it sent is on its way, and it knows of the end, the answer is missing.
func (c closeJudge) judgeReply(dir int, next int64) {
	s, peer := &c.side[dir], &c.side[1-dir]
	if !peer.ended || s.ended || c.side[dir].closing.told {
		return
	}
	duty, rules := &c.side[dir].closing, &c.c.Rules
	cum, ok := c.c.Dir[1-dir].Window().Cumulative()
	mine, mineOK := c.c.Dir[dir].Window().Cumulative()
	switch {
	case !ok || cum <= peer.endSeq || !c.fr.HasTime:
		return
	case !duty.knows:
		duty.knows, duty.next, duty.since = true, next, c.fr.Time
		return
	case c.fr.Time-duty.since > quietBefore && next <= duty.next+1 && mineOK && mine >= duty.next && c.allCaptured(dir, duty.next):
		duty.told = true
		x := rules.Here(r3143Reply, fmt.Sprintf("%d s after acknowledging END_STREAM, with nothing left to send, the side has not ended its own stream", (c.fr.Time-duty.since)/1e9))
		x.Since = duty.since
		// After long silence it might be another connection: a KeepAlive names it.
		if !c.Unwrapped(dir, duty.since) && !(c.f.Type == dp8.TypeDFrame && c.f.DFrame.KeepAlive && c.hs.sessionKnown) {
			x.Blocked = conform.GuardLife
		}
		rules.Hold(x, func() (conform.Ruling, conform.Guard) {
			if s.ended || c.Resets() != [2]bool{} {
				return conform.Passed, conform.GuardNone
			}
			return conform.Failed, conform.GuardNone
		})
		return
	}
	if next > duty.next {
		duty.next, duty.since = next, c.fr.Time
	}
}

// allCaptured reports that the latest numbers below next were captured: none of them
// can have had an END_STREAM.
func (c closeJudge) allCaptured(dir int, next int64) bool {
	m := &c.side[dir].history
	for n := next - 1; n >= max(next-dp8.WindowSize, m.bottom); n-- {
		if m.at(n) == nil {
			return false
		}
	}
	return m.started && m.top+1 >= next
}

// judgeTermination: nothing new came once both sides had ended.
func (c closeJudge) judgeTermination() {
	if _, over := c.overSince(); over && !c.side[0].beyond && !c.side[1].beyond {
		c.c.Rules.Pass(r3143Terminated)
	}
}
