package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/dp4/track"
	"github.com/dpdissect/dpdissect/session/conform"
)

// shunTime bounds how long an ignored frame is remembered, in ns.
const shunTime = 5e9

// judgeIgnored remembers a data frame that was not tracked.
func (j *judge) judgeIgnored(dir dissect.Dir) {
	j.side[dir].oddly(j.Packet.Sequence, j.Frame.Time)
	switch j.Reason {
	case track.ByFlags:
		j.shunFrame(dir, r222CmdextActed)
	case track.ByWindow:
		j.shunFrame(dir, r3152Range)
	}
}

// shunFrame notes a data frame that must be ignored.
func (j *judge) shunFrame(dir dissect.Dir, rule int) {
	f, sent := j.Packet, j.Sent(dir)
	j.side[dir].ignoredFrame = ignoredFrame{set: true, rule: rule, seq: f.Sequence, message: f.MessageID, serial: f.Serial, frame: j.Frame.Frame, time: j.Frame.Time,
		sum: sent, before: sent - int64(f.Size(j.Frame.Length)), clean: j.c.Rules.CleanOf(dir, 0), ext: 1 + int(f.MaskSize)}
}

// judgeIgnoredFrame looks at an ACK for one of a frame of the other side that must be
// ignored (MC-DPL4R 2.2.2, 3.1.5.2). captured says that another frame with its
// numbers was.
func (j *judge) judgeIgnoredFrame(dir dissect.Dir, captured bool) {
	x, f, base := &j.side[dir.Other()].ignoredFrame, j.Packet, &j.side[dir].hearing.base
	if !x.set {
		return
	}
	if f.Type != dp4.TypeACK || j.Frame.Time-x.time > shunTime {
		x.set = x.set && j.Frame.Time-x.time <= shunTime
		return
	}
	if f.Sequence != x.seq || f.MessageID != x.message || f.Serial != x.serial || captured {
		if !x.passed {
			x.passed = true
			j.c.Rules.Pass(x.rule)
		}
		return
	}
	x.set = false
	what := map[int]string{r222CmdextActed: "frame %d, which has CMD and EXT and must be ignored, is acknowledged",
		r3152Range: "frame %d, whose message is beyond the window of the receiver and must be ignored, is acknowledged"}[x.rule]
	message := fmt.Sprintf(what, x.frame)
	u := j.RecordOf(dir.Other(), base.num)
	if !base.set || !base.hasNum || !u.IsKnown() || base.typ != dp4.TypeACK || !x.counted(int64(f.BytesReceived-base.bytes)+u.Sum) {
		j.c.Rules.Unclear(x.rule, conform.GuardClean, message, x.frame)
		return
	}
	j.broken(x.rule, message, x.frame)
}

// counted reports whether the count of bytes leaves no room for another frame with
// the same numbers. Room for just the same frame without extended flags is left only
// while the capture missed nothing.
func (x *ignoredFrame) counted(received int64) bool {
	return received == x.sum || received == x.before || x.clean && received == x.sum-int64(x.ext)
}

// judgeBytes: bytes received is no more than what was sent (MC-DPL4R 3.1.5.4). All
// packets after the one the last ACK named were captured, and each may have been
// doubled on its way. Retries the capture missed look alike: only a later count that
// is lower again proves one wrong.
func (j *judge) judgeBytes(dir dissect.Dir, y *heard) {
	rules := &j.c.Rules
	base := &j.side[dir].hearing.base
	u := j.RecordOf(dir.Other(), base.num)
	if !base.hasNum || base.typ != dp4.TypeACK || !u.IsKnown() || base.epoch != y.epoch || !j.Whole(dir.Other(), base.num) {
		return
	}
	y.grew, y.sent = int64(y.bytes-base.bytes), j.Sent(dir.Other())-u.Sum
	if y.ahead = y.grew > 2*y.sent+bytesRoom; !y.ahead {
		rules.Pass(r3154BytesMax)
		return
	}
	rules.Unclear(r3154BytesMax, conform.GuardClean, y.excess(), base.frame)
}

func (y *heard) excess() string {
	return fmt.Sprintf("bytes received grows by %d, but only %d bytes were sent since the packet named by the previous ACK", y.grew, y.sent)
}

// bytesRoom is what may have been on its way besides, in bytes.
const bytesRoom = 3000
