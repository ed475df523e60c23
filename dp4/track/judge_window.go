package track

import (
	"fmt"

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
	switch {
	case s.excess.set || s.excess.told == low.frame: // one case is enough
	case c.fine() && low.low == 0 && c.fr.Time-low.time < c.surely():
		// No answer can have come back meanwhile.
		s.excess.told = low.frame
		c.broken(r222MsgidWindow, beyond(u.msg, low), low.frame)
	default:
		s.excess = excess{true, u.num, u.msg, c.fr.Frame, c.fr.Time, c.fr.Time + 2*rules.Horizon(), s.facts.epoch, 0}
	}
}

// surely is a time within which no answer comes back, in ns: half of the shortest
// round trip, when there were enough.
func (c packetJudge) surely() int64 {
	if min(c.side[0].answers, c.side[1].answers) < leastRTTs {
		return 0
	}
	return c.roundTrip() / 2
}

func beyond(msg int64, low *fact) string {
	return fmt.Sprintf("message %d is sent while reliable message %d is not acknowledged: %d are outstanding", uint8(msg), uint8(low.msg), msg-low.msg+1)
}

// outstanding is the lowest reliable packet that is not known to be acknowledged,
// nil for none, as far below num that its message can be outside the window: no
// more messages begin than there are packets.
func (c packetJudge) outstanding(dir int, num int64) *fact {
	s, out := &c.side[dir], &c.c.Dir[dir]
	to := num - dp4.MessageWindow
	from, ok := out.Window().Cumulative()
	if ok && from > to {
		return nil
	}
	if !ok || from < num-remembered+1 {
		from = num - remembered + 1
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
