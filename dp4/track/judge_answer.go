package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/conform"
)

// Answers are what a side owes at once (MC-DPL4R 3.1.5.2).
const (
	answerSAK = iota
	answerFinal
	answerAgain
	numAnswers
)

var answerRules = [numAnswers]int{r3152Sak, r3152FinalAck, r3152Reack}

var answerWhat = [numAnswers]string{"which has SAK", "the last part of its message", "which was acknowledged and sent again"}

// answerTime is within what time, besides the way there and back, a side answers at
// once, in ns.
const answerTime = 100e6

// promptly is the longest time after which an answer of a side that came at once
// passes, in ns.
func (c ackJudge) promptly(dir int) int64 {
	slack, _ := c.c.Rules.Slack(dir)
	return c.c.Dir[1-dir].MinRTT() + slack + answerTime
}

// judgePrompt looks at an ACK of a packet that asks for one. An answer that comes
// late may have been under way for long, as its packet may.
func (c ackJudge) judgePrompt(dir int, u *fact) {
	prior := &c.side[dir].hearing.prior
	switch again := u.low != u.high; {
	case again && c.f.Serial == u.high && prior.hasNum && prior.num == u.num && prior.time < u.last:
		c.answered(dir, answerAgain, u)
	case again:
	default:
		if u.flags&dp4.SAK != 0 {
			c.answered(dir, answerSAK, u)
		}
		if u.flags&dp4.WholeMessage == dp4.EOM && c.side[1-dir].facts.complete(u) {
			c.answered(dir, answerFinal, u)
		}
	}
}

func (c ackJudge) answered(dir, kind int, u *fact) {
	rules := &c.c.Rules
	if c.fr.Time-u.last <= c.promptly(dir) {
		c.side[dir].duties[kind].Enter(false)
		rules.Pass(answerRules[kind])
	} else if look, ok := c.c.Dir[1-dir].Look(u.num); ok && !look.Acked {
		rules.Unclear(answerRules[kind], conform.GuardVant, "the answer is late: the answer or the packet may have been delayed on its way", u.frame)
	}
}

// complete reports whether all parts of the message that ends with a packet were
// captured.
func (h *facts) complete(u *fact) bool {
	m := h.message(u.msg)
	if m == nil || !m.hasSTA || m.sta > u.num || u.num-m.sta > nearPackets {
		return false
	}
	for n := m.sta; n < u.num; n++ {
		if p := h.fact(n); p == nil || p.msg != u.msg {
			return false
		}
	}
	return true
}

// judgeSkipped looks at two ACKs of a side, the one right after the other, where
// the bytes received show that just the packets in between arrived meanwhile. The
// second answers its packet at once, so the path was quick: a packet that had been
// sent long before that one was not answered when it arrived.
func (c ackJudge) judgeSkipped(dir int, x, y *heard) {
	h, k := &c.side[1-dir].facts, &c.side[dir].count
	if !y.follows(x) {
		return
	}
	if k.fits[modelText] < trustCounts || k.fits[modelText] < k.n-k.n/8 {
		return
	}
	long := c.promptly(dir)
	last := h.fact(y.num)
	if last == nil || last.low != last.high || y.time-last.time > long {
		return
	}
	var open *fact
	kind, sum := 0, int64(0)
	for n := x.num + 1; n <= y.num; n++ {
		u := h.fact(n)
		if u == nil || u.flags&dp4.RLY == 0 || u.last != u.time || u.low != u.high || u.time <= x.time {
			return
		}
		sum += int64(u.size)
		if open != nil || u.time+long >= last.time {
			continue
		}
		if u.flags&dp4.SAK != 0 {
			open, kind = u, answerSAK
		} else if u.flags&dp4.WholeMessage == dp4.EOM && h.complete(u) {
			open, kind = u, answerFinal
		}
	}
	w, grew := h.fact(x.num), int64(y.bytes-x.bytes)
	if w != nil && w.last > x.time && w.flags&dp4.RLY != 0 && w.low != w.high {
		first := h.fact(x.num + 1)
		if grew == sum+int64(w.size) && w.last+long < first.time {
			c.skipped(dir, answerAgain, w, x, y)
		}
		return
	}
	if open != nil && grew == sum {
		c.skipped(dir, kind, open, x, y)
	}
}

// skipped counts a packet that arrived and was not answered, as far as the capture
// shows. Often enough, that it missed all the answers is absurd (guard ODDS).
func (c ackJudge) skipped(dir, kind int, u *fact, x, y *heard) {
	rules, d := &c.c.Rules, &c.side[dir].duties[kind]
	if !rules.Clean(x.time) {
		rules.Unclear(answerRules[kind], conform.GuardClean, "an answer seems to be missing, but so are other frames", u.frame)
		return
	}
	d.Enter(true)
	ruling := conform.Case{Rule: answerRules[kind], Dir: dir, Frame: u.latest, Time: u.last, HasTime: true, Proof: []uint64{x.frame, y.frame}, Since: x.time,
		Message: fmt.Sprintf("sequence %d, %s, is not answered although bytes received counts it", uint8(u.num), answerWhat[kind])}
	if c.absurd(dir, d) {
		ruling.Message += fmt.Sprintf(": %d of %d such packets were not", d.Bad, d.N)
		*d = conform.Sample{}
	} else {
		ruling.Blocked = conform.GuardOdds
	}
	rules.Judge(ruling)
}

// absurd reports whether the chance that so many answers were sent and got lost is
// below 10^-9, by what is known of the losses of either side.
func (c ackJudge) absurd(dir int, d *conform.Sample) bool {
	rules, h := &c.c.Rules, &c.side[dir].facts
	if d.Bad < max(rules.NeededOdds(0), rules.NeededOdds(1)) {
		return false
	}
	p := 1.5 * float64(h.missed+c.c.Dir[dir].Missing()+1) / float64(h.captured+1)
	return d.Absurd(p)
}
