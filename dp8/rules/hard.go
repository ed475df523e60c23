package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A hardDisconnectState is what judging the HARD_DISCONNECTs of one side needs.
type hardDisconnectState struct {
	n        int // captured, copies left out; 0 while one is proven wrong
	first    conform.Case
	firstSeq seq.Num // highest data number of the side before it
	since    uint32  // its tick
	latest   uint8   // bMsgID
	tick     uint32
	at       int64
	ticks    [2]uint32 // of the two before
	times    [2]int64
	frames   [2]uint64
	last     int64 // time of the third
	fast     conform.Case
	data     bool // data behind it was judged
	ignored  int  // data frames of the other side behind three of them
	replied  bool
	once     bool
}

// manyReplies is how many HARD_DISCONNECTs of one side are more than any way of
// saying it three times.
const manyReplies = 10

// judgeHard judges a HARD_DISCONNECT of this connection that is genuine, no copy, and not cut.
func (j commandJudge) judgeHard(dir dissect.Dir, h *dp8.Handshake) {
	rules, w := &j.c.Rules, &j.side[dir].hard
	rules.PassSet(setCFrame)
	rules.Pass(r2214Cmd)
	j.judgeTrailing(rules, h)
	if j.c.HasSessionID {
		rules.Pass(r2214Sessid)
	}
	good := j.keepsHardFields(dir, h)
	j.settleFast(dir, h)
	j.judgeHardMsgID(dir, h)
	if !good || !j.c.HasSessionID {
		return // what is wrong with it shows that more may be; it may belong to a connection before
	}
	j.judgeHardTimes(dir, h)
	w.n++
	if w.n == 1 {
		w.first = rules.Here(r3145Nodata, "")
		w.firstSeq, _ = j.c.Dir[dir].Window().Highest()
		w.since = h.Timestamp
	}
	if w.n == 3 {
		w.last = j.Frame.Time
	}
	if o := &j.side[dir.Other()].hard; o.n > 0 && !o.replied {
		o.replied = true
		rules.Pass(r31514Reply)
	}
	if w.n > manyReplies && !w.once {
		w.once = true
		rules.Broken(r31514Once, fmt.Sprintf("HARD_DISCONNECT for the %dth time", w.n))
	} else if !w.once {
		rules.Pass(r31514Once)
	}
}

// keepsHardFields judges the values of one HARD_DISCONNECT (MC-DPL8R 2.2.1.4), and reports whether they are right.
func (j commandJudge) keepsHardFields(dir dissect.Dir, h *dp8.Handshake) (good bool) {
	rules := &j.c.Rules
	good = true
	check := func(rule int, holds bool, message string) {
		if !rules.Check(rule, holds) {
			rules.Broken(rule, message)
			good = false
		}
	}
	check(r2214Poll, h.Command&dp8.Poll == 0, "a HARD_DISCONNECT with POLL")
	switch {
	case j.Mode() == track.ModeFull:
		if !j.keepsHardSeq(dir, h) {
			good = false
		}
	case j.Mode() != track.ModeUnknown:
		check(r2214RspidZero, h.RspID == 0, fmt.Sprintf("bRspId is %d on a connection that is not fully signed", h.RspID))
	}
	if v := j.side[dir].Version; v != 0 && !j.side[dir].doubtful {
		check(r2214Version, h.Version == v, fmt.Sprintf("dwCurrentProtocolVersion is %s, the handshake said %s", versionText(h.Version), versionText(v)))
	}
	switch {
	case j.Signing() == dp8.Unsigned:
		check(r2214SigAbsent, len(h.Trailing) != 8, "a HARD_DISCONNECT with a signature on an unsigned connection")
	case j.Signing() == dp8.Signed && h.HasSignature:
		rules.Pass(r2214SigPresent)
	}
	return good
}

// keepsHardSeq judges bRspId, and reports whether it is right: it is the number of the data frame that would have been next.
// All numbers sent lie below it, whenever they were captured.
func (j commandJudge) keepsHardSeq(dir dissect.Dir, h *dp8.Handshake) bool {
	rules := &j.c.Rules
	highest, ok := j.c.Dir[dir].Window().Highest()
	num := j.Num
	switch {
	case !ok || num <= highest && !j.Unwraps(dir):
	case num == highest+1:
		rules.Pass(r2214RspidSeq)
	case num > highest+1:
		rules.Unclear(r2214RspidSeq, conform.GuardClean, fmt.Sprintf("bRspId is %d, but the highest data frame captured is %d", h.RspID, uint8(highest)))
	default:
		rules.Broken(r2214RspidSeq, fmt.Sprintf("bRspId is %d, but data frame %d was sent before", h.RspID, uint8(highest)))
		return false
	}
	return true
}

// hardMissed is how many command frames may be missing before a HARD_DISCONNECT;
// more are not sent that fast.
const hardMissed = 8

// judgeHardMsgID: bMsgID is one more than that of the side's command frame before.
func (j commandJudge) judgeHardMsgID(dir dissect.Dir, h *dp8.Handshake) {
	rules, p := &j.c.Rules, &j.side[dir].cframes
	if !p.any {
		p.keep(j.judge, h)
		return
	}
	if ahead := int8(h.MsgID - p.msgID); !j.handshakes().isLater(p, h) && ahead <= 0 && ahead > -hardMissed {
		return // overtaken
	}
	stateless := p.op == dp8.OpConnectedSigned && dir != j.Connector() // its counter may not have begun
	switch ahead := int(h.MsgID - p.msgID); {
	case ahead == 1 || stateless && h.MsgID == 0:
		rules.Pass(r2214Msgid)
	case ahead > 1 && ahead <= hardMissed:
		rules.Unclear(r2214Msgid, conform.GuardClean, fmt.Sprintf("bMsgID is %d, that of the previous command frame was %d", h.MsgID, p.msgID))
	default:
		rules.Broken(r2214Msgid, fmt.Sprintf("bMsgID is %d, that of the previous command frame was %d", h.MsgID, p.msgID), p.frame)
		return
	}
	p.keep(j.judge, h)
}

// Bounds of the hard disconnect timer (MC-DPL8R 3.1.2.4). Ticks advance in steps of
// up to 16 ms.
const (
	hardLeast = 10 // ms
	hardMost  = 500
	hardOver  = 10e3 // later ones end another connection of the same session
)

// judgeHardTimes judges the spacing of a side's own HARD_DISCONNECTs by its ticks:
// the path may have changed that of their arrival.
func (j commandJudge) judgeHardTimes(dir dissect.Dir, h *dp8.Handshake) {
	rules, w := &j.c.Rules, &j.side[dir].hard
	if !j.Frame.HasTime {
		return
	}
	if w.n > 0 && h.MsgID == w.latest+1 {
		gap, seen := int64(int32(h.Timestamp-w.tick)), j.AtLeast(w.at)/1e6
		slow := min(gap, seen) > hardMost+tickStep+20 && gap < hardOver
		if !rules.Check(r3124SpacingMax, !slow) {
			rules.Broken(r3124SpacingMax, fmt.Sprintf("%d ms between two HARD_DISCONNECTs", gap), w.frames[0])
		}
	}
	if w.n > 1 && !j.Resets()[dir.Other()] {
		gap, seen := int64(int32(h.Timestamp-w.ticks[1])), j.AtMost(w.times[1])/1e6
		switch {
		case gap >= 2*hardLeast:
			rules.Pass(r3124Spacing)
		case max(gap, seen) < tickStep/2 && w.fast.Frame == 0:
			w.fast = rules.Here(r3124Spacing, fmt.Sprintf("three HARD_DISCONNECTs within %d ms", gap), w.frames[:]...)
		}
	}
	w.latest, w.tick, w.at = h.MsgID, h.Timestamp, j.Frame.Time
	w.ticks[1], w.times[1], w.frames[1] = w.ticks[0], w.times[0], w.frames[0]
	w.ticks[0], w.times[0], w.frames[0] = h.Timestamp, j.Frame.Time, j.Frame.Frame
}

// settleHard ends the question whether quick HARD_DISCONNECTs were answers, which
// leave at once: the other side had sent none when it goes on with data.
func (j commandJudge) settleHard(dir dissect.Dir) {
	if w := &j.side[dir.Other()].hard; w.fast.Frame != 0 && j.side[dir].hard.n == 0 && j.AtLeast(w.fast.Time) > j.InOrder() {
		if j.AtLeast(w.fast.Time) > hardOver*1e6 {
			w.fast.Blocked = conform.GuardLife // another connection may have begun since
		}
		j.c.Rules.Judge(w.fast)
		w.fast = conform.Case{}
	}
}

// settleFast does so when the first HARD_DISCONNECT of the other side comes behind
// them: by its bMsgID none was sent before.
func (j commandJudge) settleFast(dir dissect.Dir, h *dp8.Handshake) {
	w, o, p := &j.side[dir].hard, &j.side[dir.Other()].hard, &j.side[dir].cframes
	next := p.any && h.MsgID == p.msgID+1
	if p.op == dp8.OpConnectedSigned && dir != j.Connector() {
		next = h.MsgID == 0
	}
	if o.fast.Frame != 0 && w.n == 0 && next && j.AtLeast(o.fast.Time) > j.InOrder() {
		j.c.Rules.Judge(o.fast)
		o.fast = conform.Case{}
	}
}

// judgeDataBehindHard judges a new data frame of a connection that a side ended
// with HARD_DISCONNECTs.
func (j commandJudge) judgeDataBehindHard(dir dissect.Dir, num seq.Num) {
	w, o := &j.side[dir].hard, &j.side[dir.Other()].hard
	if w.n > 0 && !w.data {
		j.judgeNoData(dir, w, num)
	}
	if o.n >= 3 && w.n == 0 && !o.replied {
		j.judgeIgnored(o)
	}
	j.settleHard(dir)
}

// hardNumbers is from how many numbers on those of a new connection are not taken
// for the ones that follow.
const hardNumbers = 4

// judgeNoData: nothing but HARD_DISCONNECTs follows the side's first (MC-DPL8R
// 3.1.4.5).
func (j commandJudge) judgeNoData(dir dissect.Dir, w *hardDisconnectState, num seq.Num) {
	rules := &j.c.Rules
	since := j.AtLeast(w.first.Time)
	if !j.Frame.HasTime || since <= j.InOrder() || num <= w.firstSeq {
		return // overtaken
	}
	if w.firstSeq < hardNumbers || since > hardOver*1e6 {
		w.data = true
		rules.Unclear(r3145Nodata, conform.GuardLife, "a data frame after the side's HARD_DISCONNECT may belong to a new connection", w.first.Frame)
		return
	}
	if w.data = true; num > w.firstSeq+dp8.WindowSize || !j.Unwraps(dir) {
		rules.Unclear(r3145Nodata, conform.GuardUnwrap, "a data frame after the side's HARD_DISCONNECT may be a delayed one", w.first.Frame)
	} else {
		rules.Broken(r3145Nodata, fmt.Sprintf("data frame %d is sent %d ms after the side's HARD_DISCONNECT", uint8(num), since/1e6), w.first.Frame)
	}
}

// judgeSACKBehindHard judges a SACK of a side that has sent a HARD_DISCONNECT: by its
// tick it was sent later.
func (j commandJudge) judgeSACKBehindHard(dir dissect.Dir, next seq.Num) {
	rules, w, tick := &j.c.Rules, &j.side[dir].hard, j.Packet.SACK.Timestamp
	since := j.AtLeast(w.first.Time)
	if w.data || !j.Frame.HasTime || since <= j.InOrder() || int32(tick-w.since) <= tickStep {
		return // overtaken
	}
	w.data = true
	switch {
	case w.firstSeq < hardNumbers || since > hardOver*1e6 || int32(tick-w.since) > hardOver:
		rules.Unclear(r3145Nodata, conform.GuardLife, "a SACK after the side's HARD_DISCONNECT may belong to a new connection", w.first.Frame)
	case next <= w.firstSeq || next > w.firstSeq+dp8.WindowSize || !j.Signs(dir) && !j.Unwraps(dir):
		rules.Unclear(r3145Nodata, conform.GuardUnwrap, "a SACK after the side's HARD_DISCONNECT may belong to another connection", w.first.Frame)
	default:
		rules.Broken(r3145Nodata, fmt.Sprintf("a SACK is sent %d ms after the side's HARD_DISCONNECT", since/1e6), w.first.Frame)
	}
}

// ignoredFrames is how many new data frames behind three HARD_DISCONNECTs show that
// these are ignored.
const ignoredFrames = 4

// judgeIgnored: who received a HARD_DISCONNECT answers it and sends no more data
// (MC-DPL8R 3.1.5.1.4). Three of them do not all get lost while much else arrives.
func (j commandJudge) judgeIgnored(o *hardDisconnectState) {
	rules := &j.c.Rules
	if j.AtLeast(o.last) <= max(rules.HoldTime(), 1e9) {
		return
	}
	if o.ignored++; o.ignored == ignoredFrames {
		since := (j.Frame.Time - o.last) / 1e6
		if id, _ := j.OtherSession(); since > hardOver || id != 0 {
			rules.Unclear(r31514Ignored, conform.GuardLife, "data after the third HARD_DISCONNECT of the other side may belong to a new connection", o.first.Frame)
			return
		}
		rules.Broken(r31514Ignored, fmt.Sprintf("data continues %d ms after the third HARD_DISCONNECT of the other side", since), o.first.Frame)
		rules.Broken(r31514Reply, fmt.Sprintf("no HARD_DISCONNECT in answer within %d ms", since), o.first.Frame)
	}
}

// finishHard ends what the capture leaves open about HARD_DISCONNECTs.
func (j commandJudge) finishHard(dir dissect.Dir) {
	w, rules := &j.side[dir].hard, &j.c.Rules
	if w.fast.Frame != 0 {
		w.fast.Blocked = conform.GuardHold
		rules.Judge(w.fast)
	}
	if w.n > 0 && !w.data {
		rules.Pass(r3145Nodata)
	}
	if o := &j.side[dir.Other()].hard; o.n >= 3 && o.ignored == 0 {
		rules.Pass(r31514Ignored)
	}
}
