package rules

import (
	"fmt"
	"math"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// counted is Since of cases that count already what the capture may have missed.
const counted = 1<<63 - 1

// trialTime is waited for an answer after the third transmission, in ns.
const trialTime = 3e9

// longTrial bounds the transmissions of one that are remembered.
const longTrial = 16

// judgeUnanswered judges whether a packet that is sent for the third time or more
// is ever acknowledged (Hazel page: the receiver must acknowledge any packets it
// receives). Loss on the way there or back looks the same, so that the others
// must be acknowledged in between, and the chance of so much loss be implausible.
func (j *judge) judgeUnanswered(dir dissect.Dir, n seq.Num, x *resent, first *seq.Look) {
	if first.Acked || j.Packet.Type == hazel.MTUTest {
		return
	}
	if t := x.trial; t != nil {
		if len(t.at) < longTrial {
			t.at, t.frames = append(t.at, j.Frame.Time), append(t.frames, j.Frame.Frame)
		}
		return
	}
	if j.Was.Times < 2 {
		return
	}
	t := &trial{at: append(make([]int64, 0, 4), first.Time, j.Was.Last, j.Frame.Time), frames: append(make([]uint64, 0, 4), first.Frame, j.Frame.Frame)}
	x.trial = t
	id := j.Packet.ID
	rule := rRelAck
	if j.Frame.Words.Has(dissect.KeepAlive) {
		rule = rKaAcked
	}
	y := conform.Case{Rule: rule, Dir: dir.Other(), Frame: first.Frame, Time: first.Time, HasTime: true, Proof: t.frames, Since: counted}
	y.Message = fmt.Sprintf("ID %d is sent three times or more and never acknowledged, while others are", id)
	j.c.Rules.HoldFor(y, trialTime, unanswered{j, dir, n, j.Record.Length(), t})
}

// An unanswered is a packet that was not acknowledged.
type unanswered struct {
	j      *judge
	dir    dissect.Dir
	num    seq.Num
	length int
	t      *trial
}

// Settle implements session.Settler: it tells whether it was after all.
func (h unanswered) Settle() (conform.Ruling, conform.Guard) {
	j, s := h.j, &h.j.side[h.dir]
	l, ok := j.c.Dir[h.dir].Look(h.num)
	if !ok || l.Acked {
		return conform.Dropped, conform.GuardNone // it passed when it was
	}
	times, apart, others := j.unansweredTries(h.dir, h.num, h.t)
	switch {
	case h.length > int(s.largest), others < leastOthers:
		return conform.Doubtful, conform.GuardVant // the path may not take it, or nothing
	}
	if g := j.doubtLosses(times, apart, l.Time); g != conform.GuardNone {
		return conform.Doubtful, g
	}
	return conform.Failed, conform.GuardNone
}

// leastOthers is the least number of packets sent in between that must be acknowledged: the path carries them.
const leastOthers = 2

// unansweredTries counts the transmissions of a packet that could have been answered by now, how
// many of them are apart, and the packets sent between the first and the last that
// were acknowledged, one of the same side among them. Transmissions are apart when
// another packet went there and back between them, so that one accident does not
// explain both: one of the side that was acknowledged, or one of the other side
// that was not sent again.
func (j *judge) unansweredTries(dir dissect.Dir, n seq.Num, t *trial) (times, apart, others int) {
	now, hold := j.c.Rules.Now(), j.c.Rules.HoldTime()
	for times < len(t.at) && now-t.at[times] >= hold {
		times++
	}
	var between [longTrial + 1]bool
	passed := func(l *seq.Look) int {
		k := 0
		for k < times && t.at[k] < l.Time {
			k++
		}
		between[k] = true
		if 0 < k && k < times {
			return 1
		}
		return 0
	}
	for i := n + 1; i <= n+track.RecordLimit; i++ {
		l, ok := j.c.Dir[dir].Look(i)
		if !ok {
			break
		}
		if l.Acked && l.Captured {
			others += passed(&l)
		}
	}
	if others == 0 {
		return times, 0, 0
	}
	peer := &j.side[dir.Other()]
	for i := peer.Top; i > peer.Top-track.RecordLimit; i-- {
		l, ok := j.c.Dir[dir.Other()].Look(i)
		x := j.RecordOf(dir.Other(), i)
		if !ok || !x.IsKnown() || l.Time < t.at[0] {
			break
		}
		if l.Acked && l.Captured && !l.Retried && x.Code != 0x0C && x.Code != 0x0D && now-l.Time >= hold {
			others += passed(&l)
		}
	}
	for k := 1; k <= times; k++ {
		if between[k] {
			apart++
		}
	}
	return times, apart, others
}

// missed counts the packets of both sides that the capture missed. It may have missed as many of
// their acknowledgements.
func (j *judge) missed() (n int) {
	for i := range j.side {
		n += int(j.c.Dir[i].Quality().Uncaptured() + j.c.Dir[i].Missing())
	}
	return n
}

// beyondChance reports whether so many transmissions of one packet, or their acknowledgements,
// can't all have been lost as rarely as others are: those of either side take the way there and
// back. The capture may have missed some of them.
func (j *judge) beyondChance(times, apart, missed int) bool {
	return j.chance(times, apart, missed) < absurdity
}

// doubtLosses gives what speaks against a fault where so many transmissions of one packet stay
// unanswered. A capture that misses something since a time may miss more than it shows: there
// the chance must be smaller.
func (j *judge) doubtLosses(times, apart int, since int64) conform.Guard {
	switch p := j.chance(times, apart, j.missed()); {
	case p >= absurdity:
		return conform.GuardOdds
	case p >= leastChance && !j.c.Rules.Clean(since):
		return conform.GuardClean
	}
	return conform.GuardNone
}

// chance is that of so many losses, as beyondChance counts them.
func (j *judge) chance(times, apart, missed int) float64 {
	sent, lost := 0, missed+1-times
	for i := range j.side {
		sent += j.side[i].Transmissions
		lost += j.side[i].Resends
	}
	if lost = max(lost, 0); times < leastTries || lost > 0 && times == leastTries {
		return 1
	}
	p := max(0.001, (1.5*float64(lost)+0.5)/float64(sent+1))
	if p >= mostChance {
		return 1
	}
	return math.Pow(p, float64(apart))
}

// implausible is beyondChance for packets that are not resent, as rarely as others of the
// side are lost.
func (s *side) implausible(times int) bool {
	lost := float64(s.Resends) - float64(times-1) + 1
	p := max(0.001, max(lost, 1)/float64(s.Transmissions+1))
	chance := 1.0
	for range times - 1 { // of the last one the capture may have missed the acknowledgement
		chance *= p
	}
	return chance < absurdity
}

// Bounds of loss.
const (
	absurdity   = 1e-6 // the chance of so much of it that is taken for none
	leastChance = 1e-9 // … where the capture misses something
	leastTries  = 3    // of one packet, where nothing else is lost
	mostChance  = 0.4
)
