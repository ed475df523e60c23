package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// What a side does with what it was told, seen over many packets: it sends again what was
// acknowledged long before, or does not acknowledge again what it acknowledged once.

// ignored counts packets of a side that were sent again long after their acknowledgement
// passed.
type ignored struct {
	n      int
	heard  int // packets of the other side answered at once, when the last of them was counted
	frames [4]uint64
	told   bool
}

// longKnown is how much longer than the way to a side and back an acknowledgement must have
// passed to be there for certain, in ns.
const longKnown = 100e6

// judgeIgnored judges a resend of what was acknowledged (Hazel page: when the transmission
// client receives the acknowledgement it should not resend the data again). An
// acknowledgement may be lost after the capture point, as rarely as packets of the other
// side on the same way are, which then are sent again. Between two that count one such
// packet was answered at once, so that no single accident explains both.
func (j *judge) judgeIgnored(dir dissect.Dir, x *resent, first *seq.Look) {
	s, peer, rules := &j.side[dir], &j.side[dir.Other()], &j.c.Rules
	slack, ok := rules.Slack(dir)
	if !ok || j.Was.Acks == 0 || x.marks&toldIgnored != 0 || j.Frame.Time-j.Was.AckAt <= slack+longKnown {
		return
	}
	x.marks |= toldIgnored
	if s.ignored == nil {
		s.ignored = new(ignored)
	}
	g := s.ignored
	if g.told || g.n > 0 && peer.Heard == g.heard {
		return
	}
	g.heard = peer.Heard
	if g.n++; g.n <= len(g.frames) {
		g.frames[g.n-1] = j.Now
	}
	each := float64(s.Transmissions-s.Resends) / float64(peer.Heard+1) // acknowledgements for one of the other side
	lost := 1.5 * float64(peer.Again+1) / float64(peer.Heard+peer.Again+1)
	sample := conform.Sample{N: max(peer.Heard, g.n) + 1, Bad: g.n}
	y := rules.Here(rRelNoresend, fmt.Sprintf("ID %d is resent %d ms after its acknowledgement (%d such packets so far), although what the other side sends arrives",
		j.Packet.ID, (j.Frame.Time-j.Was.AckAt)/1e6, g.n), append([]uint64{first.Frame}, g.frames[:min(g.n-1, len(g.frames))]...)...)
	if !sample.Implausible(lost * max(1, each)) {
		if g.n < leastIgnored {
			return
		}
		y.Blocked = conform.GuardKnew
	}
	g.told = y.Blocked == conform.GuardNone
	rules.Judge(y)
}

// leastIgnored is from how many such packets on it is worth saying that they prove nothing.
const leastIgnored = 4

// ignoresAcks reports whether a side sends again long after their acknowledgement a fifth of its
// packets, or it is proven: paths lose fewer acknowledgements. Once it was seen to do so, packets that were
// captured first so long after their acknowledgement count as well: the capture may have missed
// what was sent first.
func (s *side) ignoresAcks(late int) bool {
	g := s.ignored
	if g == nil || g.n == 0 {
		return false
	}
	n := g.n + late
	return g.told || n >= leastIgnored && 5*n >= s.Transmissions-s.Resends
}

// judgeRepeated judges whether a packet that was acknowledged is acknowledged again when it
// comes again (Hazel page: the receiving client must acknowledge any packets it receives,
// even if it has already received that packet).
func (j *judge) judgeRepeated(dir dissect.Dir, n seq.Num, x *resent, first *seq.Look) {
	t := x.trial
	if j.Was.Acks == 0 {
		return // none but a history says so
	}
	if t == nil || !t.repeated || t.answered {
		t = &trial{repeated: true}
		x.trial = t
	}
	if len(t.at) == longTrial {
		return
	}
	t.at, t.frames = append(t.at, j.Frame.Time), append(t.frames, j.Frame.Frame)
	if len(t.at) != leastTries {
		return
	}
	rules, id := &j.c.Rules, j.Packet.ID
	y := conform.Case{Rule: rRelAckDup, Dir: dir.Other(), Frame: t.frames[0], Proof: append([]uint64{first.Frame}, t.frames...), Time: t.at[0], HasTime: true, Since: counted}
	y.Message = fmt.Sprintf("ID %d was acknowledged, is resent three times or more and is never acknowledged again, while others are", id)
	rules.HoldFor(y, trialTime, unrepeated{j, dir, n, t, first.Time})
}

// An unrepeated is an acknowledgement that was not sent again.
type unrepeated struct {
	j   *judge
	dir dissect.Dir
	num seq.Num
	t   *trial

	since int64
}

// Settle implements session.Settler.
func (h unrepeated) Settle() (conform.Ruling, conform.Guard) {
	if h.t.answered {
		return conform.Passed, conform.GuardNone
	}
	times, apart, others := h.j.unansweredTries(h.dir, h.num, h.t)
	switch {
	case others < leastOthers:
		return conform.Doubtful, conform.GuardVant // nothing may arrive
	}
	if g := h.j.doubtLosses(times, apart, h.since); g != conform.GuardNone {
		return conform.Doubtful, g
	}
	return conform.Failed, conform.GuardNone
}
