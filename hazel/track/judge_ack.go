package track

import (
	"fmt"
	"math"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Bounds of acknowledgements that name what was never sent.
const (
	nearAck    = 8     // ids ahead that a capture which misses datagrams may be behind
	burstAck   = 64    // … that are too many for the time they would have been sent in
	burstRate  = 20    // … where that takes so many times the rate of the side
	goesOn     = 3     // new ids in a row that show where a side is
	fewFrames  = 3     // of both sides behind it
	strayTime  = 2e9   // for which datagrams of the connection before may come
	oldTime    = 300e6 // … where none was captured
	surplusAck = 4
)

// A stray is an acknowledgement of an id that was not captured, far from all that
// were.
type stray struct {
	num, high int64
	at        int64
	fresh     int // new ids since, in their order, that did not reach num
	reached   bool
	done      bool // the side has come there
	unwatched bool // there were more: what came since is not known
	fast      bool // the side can't have got there
	before    seq.Gaps
	frames    [2]uint64 // of both sides, until it came
}

// maxStrays is how many of a side are open at a time.
const maxStrays = 4

// witness tells open cases about a new number of a side.
func (c deliveryJudge) witness(dir int, n int64) {
	s := &c.side[dir]
	for _, x := range s.strays {
		switch {
		case x.done:
		case x.num > x.high && n >= x.num-nearAck:
			x.done = true
			x.reached = n-s.top.num > 2 // it came there in a jump
		case x.num < x.high && n-x.high > limits.AckExcess:
			x.reached = true // the numbers are elsewhere by now
		case c.fr.Time-x.at > c.c.Rules.Horizon():
			x.fresh++
		}
	}
}

// judgeAcked judges an acknowledgement of side dir that names n (Hazel page: it
// answers a reliable packet that was received).
func (c deliveryJudge) judgeAcked(dir int, n int64, words dissect.Words, captured bool) {
	rules, peer := &c.c.Rules, &c.side[1-dir]
	if words.Has(dissect.Duplicate) || !c.fr.HasTime {
		return
	}
	if !captured {
		c.judgeStray(dir, n)
		return
	}
	x := peer.packets.at(n)
	if peer.copies.waiting() {
		peer.copies.answered(n)
	}
	if words.Has(dissect.Ack) && x != nil && x.acks == 0 && x.code != 0x0C && c.fr.IPID != 0 {
		rules.PassSet(passesAcked)
		peer.largest = max(peer.largest, x.length)
		x.acks, x.ackAt = 1, c.fr.Time
		if x.times == 1 {
			peer.heard++
		}
		if x.pairs() != nil {
			c.pairAck(1-dir, x)
		}
		return
	}
	rules.Pass(rRelAckKnown)
	if words.Has(dissect.Ack) {
		rules.Pass(rRelAck)
		if x != nil {
			peer.largest = max(peer.largest, x.length)
			if x.code == 0x0C {
				rules.Pass(rKaAcked)
			}
		}
	}
	if x != nil {
		c.judgeSurplus(dir, n, x)
	}
}

// judgeSurplus judges how often a packet is acknowledged. A network that doubles
// it behind the capture point has it acknowledged twice.
func (c deliveryJudge) judgeSurplus(dir int, n int64, x *sentPacket) {
	rules, now := &c.c.Rules, c.fr.Time
	if x.acks > 0 && c.fr.IPID == 0 && now-x.ackAt <= rules.Horizon() {
		return // it may be a copy
	}
	if t := x.trial(); t != nil {
		t.answered = true
	}
	switch x.acks, x.ackAt = min(x.acks, 254)+1, now; {
	case x.pairs() != nil:
		c.pairAck(1-dir, x)
	case x.acks > 1:
		c.c.Dir[1-dir].Trips().Unpair() // the network copies datagrams, or the capture misses some
	}
	if x.acks == knownAcks {
		x.resent().known = now
	}
	if c.fr.IPID == 0 {
		return
	}
	if x.acks <= surplusAck { // it was sent once at least
		rules.Pass(rRelAckSurplus)
		return
	}
	l, ok := c.c.Dir[1-dir].Look(n)
	if !ok {
		return
	}
	if !rules.Check(rRelAckSurplus, int(x.acks) < l.Copies+surplusAck) && x.marks&toldSurplus == 0 {
		x.marks |= toldSurplus
		y := rules.Here(rRelAckSurplus, fmt.Sprintf("ID %d was sent %d times and is acknowledged %d times", c.f.ID, l.Copies, x.acks), l.Frame)
		y.Since = l.Time
		rules.Judge(y)
	}
}

// judgeStray judges an acknowledgement of an id that was not captured. What is
// missing in between, or a little ahead, the capture may have missed. Far ahead,
// or before the first one, it is impossible when the side's new ids go on where
// they were.
func (c deliveryJudge) judgeStray(dir int, n int64) {
	rules, peer := &c.c.Rules, &c.side[1-dir]
	if !peer.top.known {
		return
	}
	message := fmt.Sprintf("ID %d is acknowledged; the other side has sent %d to %d", c.f.ID, uint16(peer.low.wire), peer.top.id)
	switch {
	case n >= peer.low.engine && n < peer.top.num+nearAck:
		rules.Unclear(rRelAckKnown, conform.GuardClean, message)
		return
	case n < peer.low.engine && (!c.c.Complete || peer.low.wire > 1):
		rules.Unclear(rRelAckKnown, conform.GuardStart, message)
		return
	case n < peer.low.engine && (n >= 0 || c.fr.Time-c.c.FirstTime < c.lifeTime()):
		rules.Unclear(rRelAckKnown, conform.GuardLife, message)
		return
	}
	if len(peer.strays) == maxStrays {
		peer.strays[0].unwatched = true
		peer.strays = append(peer.strays[:0], peer.strays[1:]...)
	}
	x := &stray{fast: c.c.Complete && peer.tooFast(n-peer.top.num, c.fr.Time), num: n, high: peer.top.num, at: c.fr.Time, before: peer.gaps, frames: [2]uint64{rules.Frames(0), rules.Frames(1)}}
	peer.strays = append(peer.strays, x)
	y := rules.Here(rRelAckKnown, message, peer.top.frame)
	if max(x.num-x.high, x.high-x.num) > max(limits.AckExcess, 64*peer.jump) {
		y.Since = math.MaxInt64 // no gap of the capture is so long
	}
	rules.Hold(y, func() (conform.Ruling, conform.Guard) { return c.strayed(dir, x) })
}

// lifeTime is for how long, in ns, datagrams may come that belong to a connection
// before this one.
func (c deliveryJudge) lifeTime() int64 {
	if c.follows {
		return strayTime
	}
	return oldTime
}

// tooFast reports whether a side can't have sent the ids up to one that is
// acknowledged in the time since its last datagram.
func (s *side) tooFast(ahead, now int64) bool {
	span, since := s.top.at-s.lowAt, max(now-s.lastSent, 50e6)
	return ahead >= burstAck && s.sendings >= steady && span > 0 &&
		float64(ahead)/float64(since) > burstRate*float64(s.sendings)/float64(span)
}

// strayed settles whether an id was ever sent.
func (c deliveryJudge) strayed(dir int, x *stray) (conform.Ruling, conform.Guard) {
	rules, peer, out := &c.c.Rules, &c.side[1-dir], &c.c.Dir[1-dir]
	for i, o := range peer.strays {
		if o == x {
			peer.strays = append(peer.strays[:i], peer.strays[i+1:]...)
			break
		}
	}
	away := max(x.num-x.high, x.high-x.num)
	seen := rules.Frames(0)-x.frames[0] >= fewFrames && rules.Frames(1)-x.frames[1] >= fewFrames
	far := away > limits.AckExcess && away > 4*int64(peer.sendings) && c.c.Complete && seen
	switch {
	case x.reached:
		return conform.Dropped, conform.GuardNone
	case x.unwatched:
		return conform.Doubtful, conform.GuardHold
	case x.fresh >= goesOn || far || x.fast:
		out.Withdraw(x.num, x.before, x.at)
		return conform.Failed, conform.GuardNone
	}
	return conform.Doubtful, conform.GuardHold
}

// copiesKept is how many resends wait for an acknowledgement of their own.
const copiesKept = 8

// copies are resends of packets that had been acknowledged, and whether they were
// acknowledged again.
type copies struct {
	open    [copiesKept]copied
	n       int
	total   int
	silent  int // not acknowledged by the time they made room
	first   uint64
	firstAt int64
	answers int
}

type copied struct {
	num   int64
	frame uint64
	at    int64
}

// await notes a resend.
func (p *copies) await(n int64, fr *dissect.Frame) {
	p.total++
	slot := &p.open[p.n%copiesKept]
	p.note(slot)
	*slot = copied{n, fr.Frame, fr.Time}
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
func (p *copies) answered(n int64) {
	for i := range p.open {
		if x := &p.open[i]; x.frame != 0 && x.num == n {
			x.frame = 0
			p.answers++
			return
		}
	}
}

// leastCopies is how many resends it takes to judge what becomes of them.
const leastCopies = 20

// judgeCopies judges, at the end, whether side dir acknowledged resends, too
// (Hazel page: even if it has already received that packet).
func (c deliveryJudge) judgeCopies(dir int) {
	rules, p, peer := &c.c.Rules, &c.side[1-dir].copies, &c.side[1-dir]
	for i := range p.open {
		p.note(&p.open[i])
	}
	if p.total < leastCopies || 4*peer.resendings > peer.sendings {
		return
	}
	if !rules.Check(rRelAckDup, 2*p.answers >= p.total) {
		rules.Judge(conform.Case{Rule: rRelAckDup, Dir: dir, Frame: p.first, Time: p.firstAt, HasTime: true,
			Message: fmt.Sprintf("of %d resends of packets that the side had acknowledged, %d were acknowledged again", p.total, p.answers)})
	}
}

// deniedKept is how many ids that histories report missing are remembered.
const deniedKept = 8

// leastDenials is how many histories must report an id missing.
const leastDenials = 5

// denied are ids of a side that the other one's histories report missing.
type denied struct {
	list [deniedKept]denial
	n    int  // ids of which nothing came after it
	liar bool // the histories deny what was acknowledged
}

type denial struct {
	num   int64
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
func (d *denied) proves(n int64) bool {
	x := &d.list[n&(deniedKept-1)]
	return !d.liar && x.frame != 0 && x.num == n && x.times >= leastDenials && x.last-x.at >= deniedFor
}

// judgeDenied notes that side dir reports n missing. An id so reported is resent
// (Hazel Reliable.cs), Pings and MTU tests not.
func (c deliveryJudge) judgeDenied(dir int, n int64) {
	peer := &c.side[1-dir]
	l, ok := c.c.Dir[1-dir].Look(n)
	x := peer.packets.at(n)
	if ok && l.AckTimed && l.Acked && c.fr.Time-l.AckTime > seq.CopyHorizon {
		peer.denied.liar = true
	}
	if !ok || x == nil || peer.denied.liar || !l.Captured || l.Acked || l.Retried || x.code == 0x0C || x.code == 0x0D || !c.fr.HasTime {
		return
	}
	d := &peer.denied.list[n&(deniedKept-1)]
	if d.num != n || d.frame == 0 {
		*d = denial{num: n, frame: l.Frame, at: l.Time}
	}
	d.last = c.fr.Time
	if d.times++; d.times != leastDenials || d.told {
		return
	}
	d.told = true
	rules := &c.c.Rules
	y := conform.Case{Rule: rRelAckHistoryLoss, Dir: 1 - dir, Frame: l.Frame, Time: l.Time, HasTime: true, Proof: []uint64{c.fr.Frame}, Since: l.Time,
		Message: fmt.Sprintf("ID %d is reported missing %d times but never resent", uint16(n), d.times)}
	rules.HoldFor(y, fullLife, func() (conform.Ruling, conform.Guard) {
		l, ok := c.c.Dir[1-dir].Look(n)
		if !ok {
			return conform.Dropped, conform.GuardNone
		}
		if l.Retried || l.Acked {
			return conform.Passed, conform.GuardNone
		}
		if !rules.ClockFine() {
			return conform.Doubtful, conform.GuardClock
		}
		if peer.denied.n++; peer.denied.n < rules.NeededOdds(1-dir) || peer.denied.liar {
			return conform.Doubtful, conform.GuardOdds // the capture may have missed both
		}
		return conform.Failed, conform.GuardNone
	})
}
