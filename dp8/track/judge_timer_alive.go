package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// wake looks at a pause of both sides, behind which the frame at hand comes.
func (w *timerState) wake(c *judge, pause int64) {
	*w = timerState{alive: w.alive, due: true, pause: pause, woken: c.fr.Frame, wokenAt: c.fr.Time, sleeper: c.Dir, opening: w.opening}
	for i := range c.side {
		if n := &c.side[i].numbers; n.started && c.side[i].sequence.idle && !c.side[i].restless { // SACKs have no numbers that would show one missing
			w.next[i] = n.seen + 1
		} else {
			w.due = false
		}
	}
	w.due = w.due && c.State() == session.Established && !c.side[0].ended && !c.side[1].ended && !c.c.Rules.Doubted() && w.goesOn(c)
}

// goesOn reports whether the frame behind the pause has the number that follows it, and
// acknowledges all before it: else frames were missed, or it is of another connection.
func (w *timerState) goesOn(c *judge) bool {
	nrcv, _, _ := c.masks()
	return c.stamp.num == w.next[w.sleeper] && nrcv == uint8(w.next[1-w.sleeper])
}

// judgeQuiet judges a pause of both sides: a KeepAlive was due in it. KeepAlives are
// numbered, so that none can have been missed where both sides' numbers go on
// (MC-DPL8R 3.1.2.6).
func (c retryJudge) judgeQuiet(dir int, num int64) {
	w, rules := &c.timers, &c.c.Rules
	if num != w.next[dir] && !w.fits[dir] || c.MayBeOther() {
		w.due = false
		return
	}
	w.fits[dir] = true
	slack, ok := rules.Slack(w.sleeper)
	if !w.fits[1-dir] || !ok {
		return
	}
	w.due = false
	if w.pause > aliveAfter+slack {
		rules.Judge(conform.Case{Rule: r3126Keepalive, Dir: w.sleeper, Frame: w.woken, Time: w.wokenAt, HasTime: true, Since: w.wokenAt, Proof: []uint64{c.fr.Frame},
			Message: fmt.Sprintf("nothing was received for %.0f s, and no KeepAlive was sent in that time", float64(w.pause)/1e9)})
	}
}

// judgeEarly judges a new KeepAlive of a connection that was captured from its start:
// one belongs to the handshake, and every further one to a time of its own without
// anything received. When it leaves says little: it waits for its turn like other
// frames (MC-DPL8R 3.1.2.6).
func (c retryJudge) judgeEarly(dir int) {
	w, rules := &c.timers, &c.c.Rules
	if !c.c.Complete {
		return
	}
	w.alive[dir]++
	age := c.fr.Time - c.c.FirstTime
	if !rules.Check(r3126Early, int64(w.alive[dir]) <= 1+age/aliveEarliest) {
		rules.Broken(r3126Early, fmt.Sprintf("KeepAlive %d of the side in %.1f s: the timer runs 25 s and restarts with every frame received", w.alive[dir], float64(age)/1e9))
	} else if w.alive[dir] > 1 {
		rules.Pass(r3126Keepalive)
	}
}

// openingMost is how many packets a side may send before the first answer can
// come: the text names two; what is certainly no slow start is told.
const openingMost = 30

// openingKnown is the number from which on the round trip is known well enough.
const openingKnown = 40

// judgeOpening takes down how fast the first numbers were sent, up to this one.
func (c retryJudge) judgeOpening(dir int, num int64) {
	if !c.c.Complete || c.Trusted() != 0 {
		return
	}
	if f := c.Remembered(dir, 1); f != nil && f.first {
		c.timers.opening[dir] = burst{c.fr.Frame, c.fr.Time, c.fr.Time - f.time}
	}
}

// roundTrip is the shortest round trip, where numbers or the handshake show it, in ns: of
// a side of which little was captured, the handshake may be all.
func (c retryJudge) roundTrip() int64 {
	rtt := c.c.Dir[0].MinRTT() + c.c.Dir[1].MinRTT()
	if c.Connector() < 0 {
		return rtt
	}
	asks, confirms := &c.asked[c.Connector()], &c.side[c.Connector()].cframes
	if asks.n > 0 && confirms.op != dp8.OpConnect && confirms.at > asks.firstAt {
		rtt = min(rtt, confirms.at-asks.firstAt)
	}
	return rtt
}

// settleOpening judges the first numbers of a side when they are acknowledged: no
// more than the first window in half a round trip (MC-DPL8R 3.1.4.4).
func (c retryJudge) settleOpening(dir int, next int64) {
	b, rules := &c.timers.opening[dir], &c.c.Rules
	rtt := c.roundTrip()
	if b.frame == 0 || next <= openingKnown || c.c.Dir[0].MinRTT() == 0 || c.c.Dir[1].MinRTT() == 0 {
		return
	}
	if !rules.Check(r3144CcInit, b.took >= rtt/2) {
		x := conform.Case{Rule: r3144CcInit, Dir: dir, Frame: b.frame, Time: b.time, HasTime: true,
			Message: fmt.Sprintf("%d packets were sent in %s, and a round trip takes %s: congestion control starts with two", openingMost+1, ms(b.took), ms(rtt))}
		rules.Hold(x, func() (conform.Ruling, conform.Guard) {
			if !rules.Clean(0) {
				return conform.Doubtful, conform.GuardClean
			}
			return conform.Failed, conform.GuardNone
		})
	}
	*b = burst{}
}

// judgeConnects judges when and how often CONNECT is sent (MC-DPL8R 3.1.2.1). The
// bMsgIDs show that none between two was missed, times are lower bounds anyway.
func (c retryJudge) judgeConnects(h *dp8.Handshake) {
	w, rules := &c.timers, &c.c.Rules
	if c.fr.Words.Has(dissect.Duplicate) || !c.fr.HasTime || len(c.fr.Payload) < 16 || w.connects > 0 && h.Timestamp == w.lastTick {
		return // a copy, as far as can be seen
	}
	w.lastTick = h.Timestamp
	if w.connects > 0 && c.fr.Time-w.lastTry > attemptGap {
		w.connects = 0
	}
	if w.connects++; w.connects > 1 {
		if gap := c.fr.Time - w.lastTry; !rules.Check(r3121Connretry, gap+c.Grain() >= connectFirst/2) {
			rules.Broken(r3121Connretry, fmt.Sprintf("CONNECT is retried after %s; 200 ms or more are recommended", ms(gap)))
		}
	}
	w.lastTry = c.fr.Time
	most, _ := c.Profile().Value("CONNMAX", connectMost)
	if !rules.Check(r3121Connmax, float64(w.connects) <= most+1) && float64(w.connects) == most+2 {
		rules.Broken(r3121Connmax, fmt.Sprintf("CONNECT is retried for the %dth time; at most %.0f retries are recommended", w.connects-1, most))
	}
}

// judgeConnectedLate judges that an attempt does not succeed when all its retries
// have been sent, where the number of them is configured (MC-DPL8R 3.1.6.1).
func (c retryJudge) judgeConnectedLate() {
	most, stated := c.Profile().Value("CONNMAX", connectMost)
	if !stated || c.timers.connects == 0 {
		return
	}
	rules := &c.c.Rules
	if !rules.Check(r3161Failed, float64(c.timers.connects) <= most+1) {
		rules.Broken(r3161Failed, fmt.Sprintf("the handshake continues after %d CONNECTs; the attempt fails after %.0f retries", c.timers.connects, most))
	}
}
