package rules

import (
	"fmt"
	"math"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A packet is acknowledged too often from so many acknowledgements more than transmissions on.
const surplusAck = 4

// judgeAcked judges an acknowledgement of side dir that names n (Hazel page: it
// answers a reliable packet that was received).
func (j *judge) judgeAcked(dir dissect.Dir, n seq.Num) {
	rules, peer, words := &j.c.Rules, &j.side[dir.Other()], j.Frame.Words
	if words.Has(dissect.Duplicate) || !j.Frame.HasTime {
		return
	}
	if !j.Captured {
		j.judgeStray(dir, n)
		return
	}
	if a := &j.side[dir].ahead; a.found > 0 {
		a.again(n)
	}
	if peer.copies.waiting() {
		peer.copies.answered(n)
	}
	if j.AnswersFirst {
		rules.PassSet(passesAcked)
		peer.largest = max(peer.largest, uint16(j.Record.Length()))
		return
	}
	rules.Pass(rRelAckKnown)
	if words.Has(dissect.Ack) {
		rules.Pass(rRelAck)
		if j.Record.IsKnown() {
			peer.largest = max(peer.largest, uint16(j.Record.Length()))
			if j.Record.Code == 0x0C {
				rules.Pass(rKaAcked)
			}
		}
	}
	if j.Record.IsKnown() {
		j.judgeSurplus(dir, n)
	}
}

// judgeSurplus judges how often a packet is acknowledged. A network that doubles
// it after the capture point has it acknowledged twice.
func (j *judge) judgeSurplus(dir dissect.Dir, n seq.Num) {
	rules, acks := &j.c.Rules, j.Record.Acks
	if !j.Counted {
		return // it may be a copy
	}
	again := &j.side[dir.Other()].again
	if x := again.At(n); x != nil && x.trial != nil {
		x.trial.answered = true
	}
	if j.Frame.IPID == 0 {
		return
	}
	if acks <= surplusAck { // it was sent once at least
		rules.Pass(rRelAckSurplus)
		return
	}
	l, ok := j.c.Dir[dir.Other()].Look(n)
	if !ok {
		return
	}
	x := j.resent(dir.Other(), n)
	if !rules.Check(rRelAckSurplus, int(acks) < l.Copies+surplusAck) && x.marks&toldSurplus == 0 {
		x.marks |= toldSurplus
		y := rules.Here(rRelAckSurplus, fmt.Sprintf("ID %d was sent %d times and is acknowledged %d times", j.Packet.ID, l.Copies, acks), l.Frame)
		y.Since = l.Time
		rules.Judge(y)
	}
}

// judgeStray judges an acknowledgement of an id that was not captured.
func (j *judge) judgeStray(dir dissect.Dir, n seq.Num) {
	if j.Odd == track.Usual {
		return
	}
	rules, peer := &j.c.Rules, &j.side[dir.Other()]
	message := fmt.Sprintf("ID %d is acknowledged; the other side has sent %d to %d", j.Packet.ID, uint16(peer.Low.Wire), peer.TopID)
	switch j.Odd {
	case track.Missed:
		if n > peer.Top {
			j.keepAhead(dir, n)
			return
		}
		rules.Unclear(rRelAckKnown, conform.GuardClean, message)
		return
	case track.Earlier:
		rules.Unclear(rRelAckKnown, conform.GuardStart, message)
		return
	case track.Former:
		rules.Unclear(rRelAckKnown, conform.GuardLife, message)
		return
	}
	x := j.Stray
	y := rules.Here(rRelAckKnown, message, peer.TopFrame)
	if max(x.Num-x.High, x.High-x.Num) > max(track.AckExcess, 64*peer.jump) {
		y.Since = math.MaxInt64 // no gap of the capture is so long
	}
	rules.Hold(y, unsent{j, dir, x})
}

// An unsent is an id that a side acknowledged and that was not captured.
type unsent struct {
	j   *judge
	dir dissect.Dir
	x   *track.Stray
}

// Settle implements session.Settler.
func (h unsent) Settle() (conform.Ruling, conform.Guard) {
	from := h.dir.Other()
	switch {
	case h.x.Outcome == track.Reached:
		return conform.Dropped, conform.GuardNone
	case h.x.Outcome == track.Impossible && (h.j.side[from].refuted || h.j.c.Dir[from].Provisionals().Any()):
		return conform.Doubtful, conform.GuardUnwrap // where the side's ids are is in doubt
	case h.x.Outcome == track.Impossible:
		return conform.Failed, conform.GuardNone
	}
	return conform.Doubtful, conform.GuardHold
}

// copiesKept bounds the resends that wait for an acknowledgement of their own.
const copiesKept = 8

// copies are resends of packets that had been acknowledged, and whether they were
// acknowledged again.
type copies struct {
	open    []copied // copiesKept at most
	n       int
	total   int
	silent  int // not acknowledged by the time they made room
	first   uint64
	firstAt int64
	answers int
}

type copied struct {
	num   seq.Num
	frame uint64
	at    int64
}

// await notes a resend.
func (p *copies) await(n seq.Num, fr *dissect.Frame) {
	p.total++
	x := copied{n, fr.Frame, fr.Time}
	if len(p.open) < copiesKept {
		p.open = append(p.open, x)
		return
	}
	slot := &p.open[p.n%copiesKept]
	p.note(slot)
	*slot = x
	p.n++
}

func (p *copies) note(x *copied) {
	if x.frame == 0 {
		return
	}
	if p.silent++; p.first == 0 {
		p.first, p.firstAt = x.frame, x.at
	}
	x.frame = 0
}

// waiting reports whether some are open.
func (p *copies) waiting() bool { return p.total != p.answers+p.silent }

// answered notes an acknowledgement.
func (p *copies) answered(n seq.Num) {
	for i := range p.open {
		if x := &p.open[i]; x.frame != 0 && x.num == n {
			x.frame = 0
			p.answers++
			return
		}
	}
}

// leastCopies keeps samples of a few resends from being judged.
const leastCopies = 20

// judgeCopies judges, at the end, whether side dir acknowledged resends, too
// (Hazel page: even if it has already received that packet).
func (j *judge) judgeCopies(dir dissect.Dir) {
	rules, p, peer := &j.c.Rules, &j.side[dir.Other()].copies, &j.side[dir.Other()]
	for i := range p.open {
		p.note(&p.open[i])
	}
	if p.total < leastCopies || 4*peer.Resends > peer.Transmissions {
		return
	}
	if !rules.Check(rRelAckDup, 2*p.answers >= p.total) {
		x := conform.Case{Rule: rRelAckDup, Dir: dir, Frame: p.first, Time: p.firstAt, HasTime: true,
			Message: fmt.Sprintf("of %d resends of packets that the side had acknowledged, %d were acknowledged again", p.total, p.answers)}
		x.Since = counted
		sample, others := conform.Sample{N: p.total, Bad: p.total - p.answers}, peer.Resends-p.total+j.missed()
		if !sample.Implausible(1.5 * float64(others+1) / float64(others+peer.Heard+1)) {
			x.Blocked = conform.GuardOdds // as many of the others were not acknowledged in time, or missed
		}
		rules.Judge(x)
	}
}

// deniedKept bounds the ids remembered that histories report missing.
const deniedKept = 8

// leastDenials is the least number of histories that must report an id missing: acknowledgements overtake each other.
const leastDenials = 5

// denied are ids of a side that the other one's histories report missing.
type denied struct {
	list []denial // deniedKept, nil while there was none
	n    int      // ids of which nothing came after it
	liar bool     // the histories deny what was acknowledged
}

type denial struct {
	num   seq.Num
	times int
	frame uint64 // 0: none
	at    int64
	last  int64 // when it was reported missing last
	told  bool
}

// deniedFor is for how long an id must be reported missing that was sent once, in
// ns: a sender has sent it again several times by then.
const deniedFor = 1e9

// proves reports whether histories leave no doubt that a number was not received,
// long after it was sent.
func (d *denied) proves(n seq.Num) bool {
	if d.list == nil {
		return false
	}
	x := &d.list[n&(deniedKept-1)]
	return !d.liar && x.frame != 0 && x.num == n && x.times >= leastDenials && x.last-x.at >= deniedFor
}

// judgeDenied notes that side dir reports n missing. An id so reported is resent
// (Hazel Reliable.cs), Pings and MTU tests not.
func (j *judge) judgeDenied(dir dissect.Dir, n seq.Num) {
	peer := &j.side[dir.Other()]
	l, ok := j.c.Dir[dir.Other()].Look(n)
	x := j.RecordOf(dir.Other(), n)
	if ok && l.AckTimed && l.Acked && j.Frame.Time-l.AckTime > seq.CopyHorizon {
		peer.denied.liar = true
	}
	if !ok || !x.IsKnown() || peer.denied.liar || !l.Captured || l.Acked || l.Retried || x.Code == 0x0C || x.Code == 0x0D || !j.Frame.HasTime {
		return
	}
	if peer.denied.list == nil {
		peer.denied.list = make([]denial, deniedKept)
	}
	d := &peer.denied.list[n&(deniedKept-1)]
	if d.num != n || d.frame == 0 {
		*d = denial{num: n, frame: l.Frame, at: l.Time}
	}
	d.last = j.Frame.Time
	if d.times++; d.times != leastDenials || d.told {
		return
	}
	d.told = true
	y := conform.Case{Rule: rRelAckHistoryLoss, Dir: dir.Other(), Frame: l.Frame, Time: l.Time, HasTime: true, Proof: []uint64{j.Frame.Frame}, Since: l.Time,
		Message: fmt.Sprintf("ID %d is reported missing %d times but never resent", uint16(n), d.times)}
	j.c.Rules.HoldFor(y, track.FullLife, neverResent{j, dir.Other(), n})
}

// A neverResent is a packet of a side that is reported missing and not resent.
type neverResent struct {
	j   *judge
	dir dissect.Dir
	num seq.Num
}

// Settle implements session.Settler.
func (h neverResent) Settle() (conform.Ruling, conform.Guard) {
	rules, denied := &h.j.c.Rules, &h.j.side[h.dir].denied
	l, ok := h.j.c.Dir[h.dir].Look(h.num)
	if !ok {
		return conform.Dropped, conform.GuardNone
	}
	if l.Retried || l.Acked {
		return conform.Passed, conform.GuardNone
	}
	if !rules.ClockFine() {
		return conform.Doubtful, conform.GuardClock
	}
	if denied.n++; denied.n < rules.NeededOdds(h.dir) || denied.liar {
		return conform.Doubtful, conform.GuardOdds // the capture may have missed both
	}
	return conform.Failed, conform.GuardNone
}
