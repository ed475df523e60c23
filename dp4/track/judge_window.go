package track

import (
	"fmt"
	"math"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/conform"
)

// An excess is a message beyond the window of 24, until an acknowledgement shows
// what its sender can have known.
type excess struct {
	set   bool
	num   int64 // its first packet
	msg   int64
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
func (c packetJudge) judgeWindow(dir int, u *fact) {
	rules, s := &c.c.Rules, &c.side[dir]
	low := c.outstanding(dir, u.num)
	if low == nil || u.msg-low.msg < dp4.MessageWindow {
		rules.Pass(r222MsgidWindow)
		return
	}
	x := &s.excess
	switch {
	case x.set && x.epoch == s.facts.epoch || x.told == low.frame: // one case is enough
	case c.fine() && low.low == 0 && (c.fr.Time-low.time < c.surely() || c.missedOften(dir, low)):
		// No answer can have come back meanwhile.
		x.told = low.frame
		c.broken(r222MsgidWindow, beyond(u.msg, low), low.frame)
	default:
		*x = excess{true, u.num, u.msg, c.fr.Frame, c.fr.Time, c.fr.Time + 2*rules.Horizon(), s.facts.epoch, 0, x.low, x.often}
	}
}

// missedOften counts a message beyond the window that was sent sooner than an answer is known
// to come, and reports whether it is absurd that the capture missed one each time: nothing
// else of who would have sent them is missing (guard ODDS).
func (c packetJudge) missedOften(dir int, low *fact) bool {
	x := &c.side[dir].excess
	if x.low == low.frame || c.fr.Time-low.time >= c.quickest(fewRTTs)/2 {
		return false
	}
	x.low = low.frame
	x.often++
	needed := conform.NeededOdds(0, math.MaxInt32)
	if !c.c.Rules.Clean(0) {
		needed = c.c.Rules.NeededOdds(1 - dir)
	}
	return x.often >= needed
}

// With fewRTTs round trips measured, the shortest of them counts (guard RTT).
const fewRTTs = 5

// surely is a time within which no answer comes back, in ns: half of the shortest
// round trip.
func (c packetJudge) surely() int64 { return c.quickest(leastRTTs) / 2 }

// quickest is the shortest way, in ns, to those sides and back that answered so often: what
// the whole round trip takes at least.
func (c packetJudge) quickest(answers int) (ns int64) {
	for dir := range c.side {
		if c.side[dir].answers >= answers {
			ns += c.c.Dir[dir].MinRTT()
		}
	}
	return ns
}

func beyond(msg int64, low *fact) string {
	return fmt.Sprintf("message %d is sent while reliable message %d is unacknowledged: %d are outstanding", uint8(msg), uint8(low.msg), msg-low.msg+1)
}

// outstanding is the lowest reliable packet that is not known to be acknowledged,
// nil for none, as far below num that its message can be outside the window: no
// more messages begin than there are packets.
func (c packetJudge) outstanding(dir int, num int64) *fact {
	s, out := &c.side[dir], &c.c.Dir[dir]
	to := num - dp4.MessageWindow
	from := num - remembered
	if next, ok := out.Window().Cumulative(); ok {
		from = max(from, next)
	}
	if s.heardIn == s.facts.epoch {
		from = max(from, s.heardTo+1)
	}
	for n := from; n <= to; n++ {
		if u := s.facts.fact(n); u != nil && u.flags&dp4.RLY != 0 {
			if look, ok := out.Look(n); ok && !look.Acked {
				return u
			}
		}
	}
	return nil
}

// settleExcess looks at the first acknowledgement that was certainly sent after a
// message beyond the window was: what it leaves open was open then.
func (c packetJudge) settleExcess(dir int) {
	rules, s := &c.c.Rules, &c.side[dir]
	x := &s.excess
	if !x.set || c.fr.Time < x.ripe || !c.fine() {
		return
	}
	x.set = false
	if x.epoch != s.facts.epoch {
		return
	}
	ruling := conform.Case{Rule: r222MsgidWindow, Dir: dir, Frame: x.frame, Time: x.time, HasTime: true, Since: noWindow}
	low := c.outstanding(dir, x.num)
	switch {
	case low == nil || x.msg-low.msg < dp4.MessageWindow:
		ruling.Blocked, ruling.Message = conform.GuardOdds, "the window of 24 messages seems exceeded, but an acknowledgement may have been missed"
	case low.low != 0: // before the sending that was captured a NACK may have said that it came
		ruling.Blocked, ruling.Message = conform.GuardClean, beyond(x.msg, low)
	default:
		ruling.Message, ruling.Proof = beyond(x.msg, low), []uint64{low.frame, c.fr.Frame}
		x.told = low.frame
	}
	rules.Judge(ruling)
}
