package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/dp4/track"
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
func (j *judge) promptly(dir dissect.Dir) int64 {
	slack, _ := j.c.Rules.Slack(dir)
	return j.c.Dir[dir.Other()].MinRTT() + slack + answerTime
}

// judgePrompt looks at an ACK of a packet that asks for one. An answer that comes
// late may have been under way for long, as its packet may.
func (j *judge) judgePrompt(dir dissect.Dir, u track.Record) {
	prior := &j.side[dir].hearing.prior
	switch again := u.Low != u.High(); {
	case again && j.Packet.Serial == u.High() && prior.hasNum && prior.num == u.Num && prior.time < u.Last():
		j.answered(dir, answerAgain, u)
	case again:
	default:
		if u.Flags&dp4.SAK != 0 {
			j.answered(dir, answerSAK, u)
		}
		if u.Flags&dp4.WholeMessage == dp4.EOM && j.complete(dir.Other(), u) {
			j.answered(dir, answerFinal, u)
		}
	}
}

func (j *judge) answered(dir dissect.Dir, kind int, u track.Record) {
	rules := &j.c.Rules
	if j.Frame.Time-u.Last() <= j.promptly(dir) {
		j.side[dir].duties[kind].Enter(false)
		rules.Pass(answerRules[kind])
	} else if look, ok := j.c.Dir[dir.Other()].Look(u.Num); ok && !look.Acked {
		rules.Unclear(answerRules[kind], conform.GuardVant, "the answer is late: the answer or the packet may have been delayed on its way", u.Frame())
	}
}

// complete reports whether all parts of the message that ends with a packet were
// captured.
func (j *judge) complete(dir dissect.Dir, u track.Record) bool {
	m := j.MessageOf(dir, u.Msg)
	if m == nil || !m.HasSTA || m.STA > u.Num || u.Num-m.STA > track.NearPackets {
		return false
	}
	for n := m.STA; n < u.Num; n++ {
		if p := j.RecordOf(dir, n); !p.IsKnown() || p.Msg != u.Msg {
			return false
		}
	}
	return true
}

// judgeSkipped looks at two ACKs of a side, the one right after the other, where
// the bytes received show that just the packets in between arrived meanwhile. The
// second answers its packet at once, so the path was quick: a packet that had been
// sent long before that one was not answered when it arrived.
func (j *judge) judgeSkipped(dir dissect.Dir, x, y *heard) {
	k := &j.side[dir].count
	if !y.follows(x) {
		return
	}
	if k.fits[modelText] < trustCounts || k.fits[modelText] < k.n-k.n/8 {
		return
	}
	long := j.promptly(dir)
	last := j.RecordOf(dir.Other(), y.num)
	if !last.IsKnown() || last.Low != last.High() || y.time-last.Time() > long {
		return
	}
	var open track.Record
	kind, sum := 0, int64(0)
	for n := x.num + 1; n <= y.num; n++ {
		u := j.RecordOf(dir.Other(), n)
		if !u.IsKnown() || u.Flags&dp4.RLY == 0 || u.Last() != u.Time() || u.Low != u.High() || u.Time() <= x.time {
			return
		}
		sum += int64(u.Size)
		if open.IsKnown() || u.Time()+long >= last.Time() {
			continue
		}
		if u.Flags&dp4.SAK != 0 {
			open, kind = u, answerSAK
		} else if u.Flags&dp4.WholeMessage == dp4.EOM && j.complete(dir.Other(), u) {
			open, kind = u, answerFinal
		}
	}
	w, grew := j.RecordOf(dir.Other(), x.num), int64(y.bytes-x.bytes)
	if w.IsKnown() && w.Last() > x.time && w.Flags&dp4.RLY != 0 && w.Low != w.High() {
		first := j.RecordOf(dir.Other(), x.num+1)
		if grew == sum+int64(w.Size) && w.Last()+long < first.Time() {
			j.skipped(dir, answerAgain, w, x, y)
		}
		return
	}
	if open.IsKnown() && grew == sum {
		j.skipped(dir, kind, open, x, y)
	}
}

// skipped counts a packet that arrived and was not answered, as far as the capture
// shows. Often enough, that it missed all the answers is implausible (guard ODDS).
func (j *judge) skipped(dir dissect.Dir, kind int, u track.Record, x, y *heard) {
	rules, d := &j.c.Rules, &j.side[dir].duties[kind]
	if !rules.Clean(x.time) {
		rules.Unclear(answerRules[kind], conform.GuardClean, "an answer seems to be missing, but so are other frames", u.Frame())
		return
	}
	d.Enter(true)
	ruling := conform.Case{Rule: answerRules[kind], Dir: dir, Frame: u.Latest(), Time: u.Last(), HasTime: true, Proof: []uint64{x.frame, y.frame}, Since: x.time,
		Message: fmt.Sprintf("sequence %d, %s, is not answered although bytes received counts it", uint8(u.Num), answerWhat[kind])}
	if j.implausible(dir, d) {
		ruling.Message += fmt.Sprintf(": %d of %d such packets were not", d.Bad, d.N)
		*d = conform.Sample{}
	} else {
		ruling.Blocked = conform.GuardOdds
	}
	rules.Judge(ruling)
}

// implausible reports whether the chance that so many answers were sent and got lost is
// below 10^-9, by what is known of the losses of either side.
func (j *judge) implausible(dir dissect.Dir, d *conform.Sample) bool {
	rules, s := &j.c.Rules, &j.side[dir]
	if d.Bad < max(rules.NeededOdds(0), rules.NeededOdds(1)) {
		return false
	}
	p := 1.5 * float64(s.missed+j.c.Dir[dir].Missing()+1) / float64(s.captured+1)
	return d.Implausible(p)
}
