package rules

import (
	"fmt"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
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
	end   uint64  // frame of its END_STREAM
	next  seq.Num // number it sends next
	since int64   // when that was first captured
	knows bool    // it acknowledged the END_STREAM
	told  bool    // of a missing answer
	took  bool    // told that it acknowledges what lies behind the peer's
	deaf  bool    // told that it does not acknowledge any more
}

// judgeEnd judges END_STREAM and what follows it (MC-DPL8R 3.1.4.3).
func (j closeJudge) judgeEnd(rules *session.Evaluation, dir dissect.Dir, num seq.Num, d *dp8.DFrame, prev track.Record) {
	s := &j.side[dir]
	if d.Control&dp8.CtlEndStream != 0 && !prev.IsKnown() {
		if !rules.Check(r3143Reliable, d.Command&dp8.Reliable != 0) {
			rules.Broken(r3143Reliable, "END_STREAM on a frame that is not reliable")
		}
		if !rules.Check(r3143Empty, len(d.Payload) == 0 && !d.Coalesced) {
			x := rules.Here(r3143Empty, "END_STREAM on a frame with payload")
			if j.Signing() == dp8.SigningUnknown || len(d.Payload) == 8 && slices.Contains(j.c.Inferred, "signing") {
				x.Blocked = conform.GuardVer // it may be a signature
			}
			rules.Judge(x)
		}
		if j.side[dir.Other()].Ended {
			rules.Pass(r3143Reply)
		}
	}
	if d.Control&dp8.CtlEndStream != 0 && !s.Ended {
		j.side[dir].closing.end = j.Frame.Frame
	}
	switch {
	case s.GoesBeyond(num):
		j.judgeBeyond(rules, dir, d)
	case !s.Ended && d.Control&dp8.CtlEndStream != 0:
		j.judgeOvertaken(rules, dir, num, d.Control&dp8.CtlRetry != 0)
	case s.Beyond:
	case s.Ended:
		rules.Pass(r3143Last)
	}
}

// judgeBeyond judges a new number behind END_STREAM. When the connection was over
// it is one of a connection that should be gone; a KeepAlive names it, anything
// else may be of another one.
func (j closeJudge) judgeBeyond(rules *session.Evaluation, dir dissect.Dir, d *dp8.DFrame) {
	s := &j.side[dir]
	sure := j.Unwrapped(dir, s.EndAt)
	if at, over := j.overSince(); over && j.Frame.Time-at > overAfter {
		x := rules.Here(r3143Terminated, fmt.Sprintf("bSeq %d, %d s after both sides ended and were acknowledged", d.Seq, (j.Frame.Time-at)/1e9), j.side[dir].closing.end)
		if !sure && !(d.KeepAlive && j.c.HasSessionID && j.c.Complete) {
			x.Blocked = conform.GuardLife
		}
		rules.Judge(x)
		return
	}
	x := rules.Here(r3143Last, fmt.Sprintf("bSeq %d follows END_STREAM, which was on bSeq %d", d.Seq, uint8(s.EndSeq)), j.side[dir].closing.end)
	if !sure {
		x.Blocked = conform.GuardUnwrap
	}
	rules.Judge(x)
}

// judgeOvertaken looks for numbers behind END_STREAM that were captured before it.
func (j closeJudge) judgeOvertaken(rules *session.Evaluation, dir dissect.Dir, num seq.Num, retry bool) {
	s := &j.side[dir]
	n, f := s.FirstBehind(num)
	if !f.IsKnown() {
		rules.Pass(r3143Last)
		return
	}
	x := conform.Case{Rule: r3143Last, Dir: dir, Frame: f.Frame(), Time: f.Time(), HasTime: f.Timed(), Proof: []uint64{j.Frame.Frame},
		Message: fmt.Sprintf("bSeq %d follows END_STREAM, which is on bSeq %d", uint8(n), uint8(num))}
	if !j.Unwrapped(dir, f.Time()) || !retry && j.Frame.Time-f.Time() > 3*j.Horizon {
		x.Blocked = conform.GuardUnwrap
	}
	rules.Judge(x)
}

// overSince tells since when both sides have ended and are acknowledged.
func (j closeJudge) overSince() (at int64, over bool) {
	for dir := range dissect.Dirs {
		s := &j.side[dir]
		cum, ok := j.c.Dir[dir].Window().Cumulative()
		if !s.Ended || !ok || cum <= s.EndSeq {
			return 0, false
		}
		at = max(at, s.EndAt)
		if look, ok := j.c.Dir[dir].Look(s.EndSeq); ok && look.AckTimed {
			at = max(at, look.AckTime)
		}
	}
	return at, true
}

// judgeAcknowledged judges what a frame of side dir acknowledges, next being the
// number it expects: before it is applied.
func (j closeJudge) judgeAcknowledged(dir dissect.Dir, next seq.Num) {
	peer := &j.side[dir.Other()]
	if !peer.Ended && !j.side[dir].Ended {
		return
	}
	rules := &j.c.Rules
	if peer.Ended {
		j.judgeTaken(rules, dir, next)
	} else {
		j.judgeDeaf(rules, dir, next)
	}
}

// judgeTaken: what lies behind END_STREAM is ignored (MC-DPL8R 3.1.4.3).
func (j closeJudge) judgeTaken(rules *session.Evaluation, dir dissect.Dir, next seq.Num) {
	peer, duty := &j.side[dir.Other()], &j.side[dir].closing
	switch {
	case duty.took || next <= peer.EndSeq || next > peer.EndSeq+dp8.WindowSize:
	case next == peer.EndSeq+1:
		rules.Pass(r3143Beyond)
	default:
		f := peer.History.At(peer.EndSeq + 1)
		if !f.IsKnown() {
			return // it was never sent: another rule
		}
		duty.took = true
		x := rules.Here(r3143Beyond, fmt.Sprintf("bNRcv %d acknowledges a frame after END_STREAM, which was on bSeq %d", uint8(next), uint8(peer.EndSeq)), f.Frame())
		if !j.Unwrapped(dir.Other(), peer.EndAt) || f.Last() < peer.EndAt {
			x.Blocked = conform.GuardLife
		}
		rules.Judge(x)
	}
}

// judgeDeaf: a side that ended acknowledges until its peer ends (MC-DPL8R 3.1.4.3).
// It still speaks, and expects what was sent to it time and again.
func (j closeJudge) judgeDeaf(rules *session.Evaluation, dir dissect.Dir, next seq.Num) {
	peer, duty := &j.side[dir.Other()], &j.side[dir].closing
	if cum, ok := j.c.Dir[dir.Other()].Window().Cumulative(); ok && next > cum {
		rules.Pass(r3143Keepack)
		return
	}
	f := peer.History.At(next)
	if !f.IsKnown() || duty.deaf || f.Sendings() < deafAfter || f.Time() < j.side[dir].EndAt || j.Frame.Time-f.Time() < overAfter ||
		j.Packet.Type != dp8.TypeSACK || j.Packet.SACK.SendMask != 0 {
		return // a SACK answers what arrived: the way to the side is open
	}
	duty.deaf = true
	x := rules.Here(r3143Keepack, fmt.Sprintf("bNRcv is still %d, although that number was sent %d times since the side ended its stream", uint8(next), f.Sendings()), f.Frame())
	x.Since = f.Time()
	rules.Judge(x)
}

// judgeReply: who receives END_STREAM ends too (MC-DPL8R 3.1.4.3). A frame of side
// dir tells which number it sends next. When it has had nothing to send for long,
// nothing it sent is on its way, and it knows of the end, the answer is missing.
func (j closeJudge) judgeReply(dir dissect.Dir, next seq.Num) {
	s, peer := &j.side[dir], &j.side[dir.Other()]
	if !peer.Ended || s.Ended || j.side[dir].closing.told {
		return
	}
	duty, rules := &j.side[dir].closing, &j.c.Rules
	cum, ok := j.c.Dir[dir.Other()].Window().Cumulative()
	mine, mineOK := j.c.Dir[dir].Window().Cumulative()
	switch {
	case !ok || cum <= peer.EndSeq || !j.Frame.HasTime:
		return
	case !duty.knows:
		duty.knows, duty.next, duty.since = true, next, j.Frame.Time
		return
	case j.Frame.Time-duty.since > quietBefore && next <= duty.next+1 && mineOK && mine >= duty.next && j.allCaptured(dir, duty.next):
		duty.told = true
		x := rules.Here(r3143Reply, fmt.Sprintf("%d s after acknowledging END_STREAM, with nothing left to send, the side has not ended its own stream", (j.Frame.Time-duty.since)/1e9))
		x.Since = duty.since
		// After long silence it might be another connection: a KeepAlive names it.
		if !j.Unwrapped(dir, duty.since) && !(j.Packet.Type == dp8.TypeDFrame && j.Packet.DFrame.KeepAlive && j.c.HasSessionID) {
			x.Blocked = conform.GuardLife
		}
		rules.Hold(x, unended{j, dir})
		return
	}
	if next > duty.next {
		duty.next, duty.since = next, j.Frame.Time
	}
}

// An unended is a side that has not ended its stream.
type unended struct {
	j   closeJudge
	dir dissect.Dir
}

// Settle implements session.Settler.
func (h unended) Settle() (conform.Ruling, conform.Guard) {
	if h.j.side[h.dir].Ended || h.j.Resets() != [2]bool{} {
		return conform.Passed, conform.GuardNone
	}
	return conform.Failed, conform.GuardNone
}

// allCaptured reports that the latest numbers below next were captured: none of them
// can have had an END_STREAM.
func (j closeJudge) allCaptured(dir dissect.Dir, next seq.Num) bool {
	m := &j.side[dir].History
	for n := next - 1; n >= max(next-dp8.WindowSize, m.Bottom); n-- {
		if !m.At(n).IsKnown() {
			return false
		}
	}
	return m.Started && m.Top+1 >= next
}

// judgeTermination: nothing new came once both sides had ended.
func (j closeJudge) judgeTermination() {
	if _, over := j.overSince(); over && !j.side[0].Beyond && !j.side[1].Beyond {
		j.c.Rules.Pass(r3143Terminated)
	}
}
