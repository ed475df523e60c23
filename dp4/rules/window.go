package rules

import (
	"fmt"
	"math"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/dp4/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// An excess is a message beyond the window of 24, until an acknowledgement shows
// what its sender can have known.
type excess struct {
	set   bool
	num   seq.Num // its first packet
	msg   seq.Num
	frame uint64
	time  int64
	ripe  int64 // from when on acknowledgements were sent later
	epoch uint32
	told  uint64 // lowest packet that was not acknowledged, when it was reported
	low   uint64 // that packet, when a message came sooner than an answer is known to come
	often int    // how often one did
}

// leastRTTs is from how many round trips on the shortest is one that no answer beats
// by half.
const leastRTTs = 20

// judgeWindow: at most 24 messages are outstanding, counted from the lowest
// reliable one that is not acknowledged (MC-DPL4R 2.2.2, AMB-DP4-16). What the
// sender knew when it sent the message passed the capture point before; but the
// capture may have missed it.
func (j *judge) judgeWindow(dir dissect.Dir, u track.Record) {
	rules, s := &j.c.Rules, &j.side[dir]
	low := j.outstanding(dir, u.Num)
	if !low.IsKnown() || u.Msg-low.Msg < dp4.MessageWindow {
		rules.Pass(r222MsgidWindow)
		return
	}
	x := &s.excess
	switch {
	case x.set && x.epoch == j.Epoch(dir) || x.told == low.Frame(): // one case is enough
	case j.Fine() && low.Low == 0 && (j.Frame.Time-low.Time() < j.surely() || j.missedOften(dir, low)):
		// No answer can have come back meanwhile.
		x.told = low.Frame()
		j.broken(r222MsgidWindow, beyond(u.Msg, low), low.Frame())
	default:
		*x = excess{true, u.Num, u.Msg, j.Frame.Frame, j.Frame.Time, j.Frame.Time + 2*rules.Horizon(), j.Epoch(dir), 0, x.low, x.often}
	}
}

// missedOften counts a message beyond the window that was sent sooner than an answer is known
// to come, and reports whether it is implausible that the capture missed one each time: nothing
// else of who would have sent them is missing (guard ODDS).
func (j *judge) missedOften(dir dissect.Dir, low track.Record) bool {
	x := &j.side[dir].excess
	if x.low == low.Frame() || j.Frame.Time-low.Time() >= j.quickest(fewRTTs)/2 {
		return false
	}
	x.low = low.Frame()
	x.often++
	needed := conform.NeededOdds(0, math.MaxInt32)
	if !j.c.Rules.Clean(0) {
		needed = j.neededAnswers(dir.Other())
	}
	return x.often >= needed
}

// neededAnswers is a number of answers of a side that is too high for the capture to have missed all of them
// by chance. The share that it missed is taken from both sides together: a side that said little may lack
// nothing by luck.
func (j *judge) neededAnswers(dir dissect.Dir) int {
	lost, captured := uint64(0), uint64(0)
	for d := range dissect.Dirs {
		q := j.c.Dir[d].Quality()
		lost, captured = lost+q.Uncaptured()+j.c.Dir[d].Missing(), captured+q.Distinct()
	}
	if !j.c.Rules.CleanOf(dir, 0) {
		return max(j.c.Rules.NeededOdds(dir), conform.NeededOdds(lost, captured))
	}
	return conform.NeededOdds(lost, captured)
}

// With fewRTTs round trips measured, the shortest of them counts (guard RTT).
const fewRTTs = 5

// surely is a time within which no answer comes back, in ns: half of the shortest
// round trip.
func (j *judge) surely() int64 { return j.quickest(leastRTTs) / 2 }

// quickest is the shortest way, in ns, to those sides and back that answered so often: what
// the whole round trip takes at least.
func (j *judge) quickest(answers int) (ns int64) {
	for dir := range dissect.Dirs {
		if j.side[dir].answers >= answers {
			ns += j.c.Dir[dir].MinRTT()
		}
	}
	return ns
}

func beyond(msg seq.Num, low track.Record) string {
	return fmt.Sprintf("message %d is sent while reliable message %d is unacknowledged: %d are outstanding", uint8(msg), uint8(low.Msg), msg-low.Msg+1)
}

// outstanding is the lowest reliable packet that is not known to be acknowledged,
// nil for none, as far below num that its message can be outside the window: no
// more messages begin than there are packets.
func (j *judge) outstanding(dir dissect.Dir, num seq.Num) track.Record {
	s, out := &j.side[dir], &j.c.Dir[dir]
	to := num - dp4.MessageWindow
	from := num - track.Remembered
	if next, ok := out.Window().Cumulative(); ok {
		from = max(from, next)
	}
	if s.heardIn == j.Epoch(dir) {
		from = max(from, s.heardTo+1)
	}
	for n := from; n <= to; n++ {
		if u := j.RecordOf(dir, n); u.IsKnown() && u.Flags&dp4.RLY != 0 {
			if look, ok := out.Look(n); ok && !look.Acked {
				return u
			}
		}
	}
	return track.Record{}
}

// namesAgain reports whether the ACK at hand may name a packet of a side that came again: the
// numbers above it may have been acknowledged before.
func (j *judge) namesAgain(dir dissect.Dir) bool {
	u := j.RecordOf(dir, j.Num)
	return j.Packet.Type == dp4.TypeACK && (!u.IsKnown() || j.Packet.Serial != u.Low || u.Low != 0 && u.Flags&dp4.WholeMessage == dp4.WholeMessage)
}

// settleExcess looks at the first acknowledgement that was certainly sent after a
// message beyond the window was: what it leaves open was open then.
func (j *judge) settleExcess(dir dissect.Dir) {
	rules, s := &j.c.Rules, &j.side[dir]
	x := &s.excess
	if !x.set || j.Frame.Time < x.ripe || !j.Fine() || j.namesAgain(dir) {
		return
	}
	low := j.outstanding(dir, x.num)
	if low.IsKnown() && x.epoch == j.Epoch(dir) && low.Last() <= x.time && j.Packet.Type == dp4.TypeACK {
		return // a NACK that was not captured may have said that it came, until it is sent again
	}
	x.set = false
	if x.epoch != j.Epoch(dir) {
		return
	}
	ruling := conform.Case{Rule: r222MsgidWindow, Dir: dir, Frame: x.frame, Time: x.time, HasTime: true, Since: noWindow}
	switch {
	case !low.IsKnown() || x.msg-low.Msg < dp4.MessageWindow:
		ruling.Blocked, ruling.Message = conform.GuardOdds, "the window of 24 messages seems exceeded, but an acknowledgement may have been missed"
	case low.Low != 0: // before the transmission that was captured a NACK may have said that it came
		ruling.Blocked, ruling.Message = conform.GuardClean, beyond(x.msg, low)
	default:
		ruling.Message, ruling.Proof = beyond(x.msg, low), []uint64{low.Frame(), j.Frame.Frame}
		x.told = low.Frame()
	}
	rules.Judge(ruling)
}
