package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/knet/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A stall of the path may hand over the datagrams of two seconds at once: over
// paceTime a side may send that much more than its rate allows.
const (
	paceTime    = 4e9
	paceSlack   = 2
	paceMore    = 5
	paceKept    = 512
	paceFew     = 64
	openingRate = 15 // InitialDatagramRate
)

// judgeFlow notes a FlowControlRequest of a side (kNet page, Flow Control): it binds
// the other one from when it has acknowledged it.
func (c numberJudge) judgeFlow(dir dissect.Dir, sent *seq.Sending, m *knet.Message, first bool) {
	if c.Datagram.Dialect != knet.Spec || !first || len(m.Body) != 2 || !c.Datagram.Reliable {
		return
	}
	p := &c.side[dir.Other()].pace
	p.asked, p.known, p.rate, p.num, p.frame, p.told = true, false, max(int(m.Rate), track.MinRate), sent.Num, sent.Frame, false
}

// judgePace judges how fast a side sends.
func (c numberJudge) judgePace(dir dissect.Dir) {
	p := &c.side[dir].pace
	now := c.Frame.Time
	p.note(now)
	switch {
	case !p.asked:
		c.judgeOpening(dir, p, now)
		return
	case !p.known:
		c.learnPace(dir, p)
		return
	}
	most := p.rate*(paceTime/1e9+paceSlack) + paceMore
	if most >= paceKept-1 || p.n <= most || p.told {
		return
	}
	if first := p.before(most); c.c.Rules.Check(rFcHonor, now-first >= paceTime || first < p.since) {
		return
	}
	p.told = true
	c.holdPace(dir, p, most)
}

// note enters the time of a datagram. What came before a rate was asked for is not
// judged by it.
func (p *pace) note(now int64) {
	switch {
	case p.times == nil:
		p.times = make([]int64, paceFew)
	case p.asked && len(p.times) == paceFew:
		old := p.times
		p.times = make([]int64, paceKept)
		for i := max(0, p.n-paceFew); i < p.n; i++ {
			p.times[i%paceKept] = old[i%paceFew]
		}
	}
	p.times[p.n%len(p.times)] = now
	p.n++
}

// before gives the time of the datagram n before the latest.
func (p *pace) before(n int) int64 { return p.times[(p.n-1-n)%len(p.times)] }

// learnPace notes that a side knows what it was asked for: it has acknowledged it.
func (c numberJudge) learnPace(dir dissect.Dir, p *pace) {
	if x := c.side[dir.Other()].datagrams.at(p.num); x.isKnown() && x.acks > 0 {
		p.known, p.since = true, c.Frame.Time
	}
}

func (c numberJudge) holdPace(dir dissect.Dir, p *pace, most int) {
	x := c.c.Rules.Here(rFcHonor, fmt.Sprintf("more than %d datagrams in 4 s, but %d a second were requested", most, p.rate), p.frame)
	x.Since = p.since
	c.c.Rules.HoldFor(x, staleTime, tooMany{c, dir.Other(), c.mark(dir.Other()), p.since})
}

// A tooMany is a rate that a side did not ask for.
type tooMany struct {
	c     numberJudge
	dir   dissect.Dir // of that side
	mark  mark
	since int64
}

// Settle implements session.Settler.
func (h tooMany) Settle() (conform.Ruling, conform.Guard) {
	if !h.c.went(h.dir, h.mark, h.since) {
		return conform.Doubtful, conform.GuardClean // another request may have been missed
	}
	return conform.Failed, 0
}

// judgeOpening judges the rate before any other is agreed. A request for another one may have
// been missed: what the peer sent must have been captured from its start.
func (c numberJudge) judgeOpening(dir dissect.Dir, p *pace, now int64) {
	const most = 2 * openingRate
	if p.n <= most || p.opened {
		return
	}
	if c.c.Rules.Check(rCvInitrate, now-p.before(most) >= 1e9) {
		return
	}
	p.opened = true
	x := c.c.Rules.Here(rCvInitrate, fmt.Sprintf("more than %d datagrams in a second; %d are allowed until another rate is agreed", most, openingRate))
	c.c.Rules.HoldFor(x, staleTime, tooMany{c, dir.Other(), c.mark(dir.Other()), 0})
}

// judgeEndOf ends what is open when the connection is over.
func (c numberJudge) judgeEndOf(dir dissect.Dir) {
	s := &c.side[dir]
	if s.order.odd.set {
		c.settleOdd(&s.order, false)
	}
	e := &s.ending
	if e.told == 0 {
		if e.disc.set {
			c.c.Rules.Pass(rClAfterDisc)
		}
		if e.ack.set {
			c.c.Rules.Pass(rClAfterAck)
		}
	}
	c.contents().judgeIncomplete(dir)
	c.leaveUnproven(dir)
	if o := &s.order; o.divisor > 1 && o.all >= stepsAllAlong && !o.told {
		c.reportStep(conform.Case{Dir: dir}, o.divisor, o.known)
	}
}
