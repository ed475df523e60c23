package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// wake looks at a pause of both sides, behind which the frame at hand comes.
func (w *timerState) wake(j *judge, pause int64) {
	*w = timerState{alive: w.alive, due: true, pause: pause, woken: j.Frame.Frame, wokenAt: j.Frame.Time, sleeper: j.Dir, opening: w.opening}
	for i := range j.side {
		if n := &j.side[i].Numbers; n.Started && j.side[i].sequence.idle && !j.side[i].Restless { // SACKs have no numbers that would show one missing
			w.next[i] = n.TopSeen + 1
		} else {
			w.due = false
		}
	}
	w.due = w.due && j.State() == session.Established && !j.side[0].Ended && !j.side[1].Ended && !j.c.Rules.Doubted() && w.goesOn(j)
}

// goesOn reports whether the frame behind the pause has the number that follows it, and
// acknowledges all before it: else frames were missed, or it is of another connection.
func (w *timerState) goesOn(j *judge) bool {
	return j.Stamp.Num == w.next[w.sleeper] && j.nrcv() == uint8(w.next[w.sleeper.Other()])
}

// judgeQuiet judges a pause of both sides: a KeepAlive was due in it. KeepAlives are
// numbered, so that none can have been missed where both sides' numbers go on
// (MC-DPL8R 3.1.2.6).
func (j retryJudge) judgeQuiet(dir dissect.Dir, num seq.Num) {
	w, rules := &j.timers, &j.c.Rules
	if num != w.next[dir] && !w.fits[dir] || j.MayBeOther() {
		w.due = false
		return
	}
	w.fits[dir] = true
	slack, ok := rules.Slack(w.sleeper)
	if !w.fits[dir.Other()] || !ok {
		return
	}
	w.due = false
	if w.pause > aliveAfter+slack {
		rules.Judge(conform.Case{Rule: r3126Keepalive, Dir: w.sleeper, Frame: w.woken, Time: w.wokenAt, HasTime: true, Since: w.wokenAt, Proof: []uint64{j.Frame.Frame},
			Message: fmt.Sprintf("nothing was received for %.0f s, and no KeepAlive was sent in that time", float64(w.pause)/1e9)})
	}
}

// judgeEarly judges a new KeepAlive of a connection that was captured from its start:
// one belongs to the handshake, and every further one to a time of its own without
// anything received. When it leaves says little: it waits for its turn like other
// frames (MC-DPL8R 3.1.2.6).
func (j retryJudge) judgeEarly(dir dissect.Dir) {
	w, rules := &j.timers, &j.c.Rules
	if !j.c.Complete {
		return
	}
	w.alive[dir]++
	age := j.Frame.Time - j.c.FirstTime
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
func (j retryJudge) judgeOpening(dir dissect.Dir, num seq.Num) {
	if !j.c.Complete || j.Trusted() != 0 {
		return
	}
	if f := j.Remembered(dir, 1); f.IsKnown() && f.First() {
		j.timers.opening[dir] = burst{j.Frame.Frame, j.Frame.Time, j.Frame.Time - f.Time()}
	}
}

// roundTrip is the shortest round trip, where numbers or the handshake show it, in ns, and
// whether it is known well: of a side of which little was captured, the handshake may be all.
func (j retryJudge) roundTrip() (ns int64, sure bool) {
	a, b := &j.c.Dir[0], &j.c.Dir[1]
	ns, sure = a.MinRTT()+b.MinRTT(), min(a.Quality().RoundTrips(), b.Quality().RoundTrips()) >= leastTrips
	if j.Connector() < 0 {
		return ns, sure
	}
	asks, confirms := &j.asked[j.Connector()], &j.side[j.Connector()].cframes
	if asks.n > 0 && confirms.op != dp8.OpConnect && confirms.at > asks.firstAt {
		return min(ns, confirms.at-asks.firstAt), true
	}
	return ns, sure
}

// settleOpening judges the first numbers of a side when they are acknowledged: no
// more than the first window in half a round trip (MC-DPL8R 3.1.4.4).
func (j retryJudge) settleOpening(dir dissect.Dir, next seq.Num) {
	b, rules := &j.timers.opening[dir], &j.c.Rules
	rtt, sure := j.roundTrip()
	if b.frame == 0 || next <= openingKnown || j.c.Dir[0].MinRTT() == 0 || j.c.Dir[1].MinRTT() == 0 {
		return
	}
	if !rules.Check(r3144CcInit, b.took >= rtt/2) {
		x := conform.Case{Rule: r3144CcInit, Dir: dir, Frame: b.frame, Time: b.time, HasTime: true,
			Message: fmt.Sprintf("%d packets were sent in %s, and a round trip takes %s: congestion control starts with two", openingMost+1, ms(b.took), ms(rtt))}
		rules.Hold(x, hasty{j, sure})
	}
	*b = burst{}
}

// A hasty side began with more numbers than its first window.
type hasty struct {
	j    retryJudge
	sure bool // how short a round trip is, is known
}

// Settle implements session.Settler.
func (h hasty) Settle() (conform.Ruling, conform.Guard) {
	switch {
	case !h.j.c.Rules.Clean(0):
		return conform.Doubtful, conform.GuardClean
	case !h.sure:
		return conform.Doubtful, conform.GuardRTT
	}
	return conform.Failed, conform.GuardNone
}

// judgeConnects judges when and how often CONNECT is sent (MC-DPL8R 3.1.2.1). The
// bMsgIDs show that none between two was missed, times are lower bounds anyway.
func (j retryJudge) judgeConnects(h *dp8.Handshake) {
	w, rules := &j.timers, &j.c.Rules
	if j.Frame.Words.Has(dissect.Duplicate) || !j.Frame.HasTime || len(j.Frame.Payload) < 16 || w.connects > 0 && h.Timestamp == w.lastTick {
		return // a copy, as far as can be seen
	}
	w.lastTick = h.Timestamp
	if w.connects > 0 && j.Frame.Time-w.lastTry > track.AttemptGap {
		w.connects = 0
	}
	if w.connects++; w.connects > 1 {
		if gap := j.Frame.Time - w.lastTry; !rules.Check(r3121Connretry, gap+j.Grain() >= connectFirst/2) {
			rules.Broken(r3121Connretry, fmt.Sprintf("CONNECT is retried after %s; 200 ms or more are recommended", ms(gap)))
		}
	}
	w.lastTry = j.Frame.Time
	most, _ := j.Profile().Value("CONNMAX", connectMost)
	if !rules.Check(r3121Connmax, float64(w.connects) <= most+1) && float64(w.connects) == most+2 {
		rules.Broken(r3121Connmax, fmt.Sprintf("CONNECT is retried for the %dth time; at most %.0f retries are recommended", w.connects-1, most))
	}
}

// judgeConnectedLate judges that an attempt does not succeed when all its retries
// have been sent, where the number of them is configured (MC-DPL8R 3.1.6.1).
func (j retryJudge) judgeConnectedLate() {
	most, stated := j.Profile().Value("CONNMAX", connectMost)
	if !stated || j.timers.connects == 0 {
		return
	}
	rules := &j.c.Rules
	if !rules.Check(r3161Failed, float64(j.timers.connects) <= most+1) {
		rules.Broken(r3161Failed, fmt.Sprintf("the handshake continues after %d CONNECTs; the attempt fails after %.0f retries", j.timers.connects, most))
	}
}
