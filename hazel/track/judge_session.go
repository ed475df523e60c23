package track

import (
	"fmt"
	"math"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// forgotten looks for packets that were neither acknowledged nor sent again.
type forgotten struct {
	next   int64 // number to look at
	any    bool
	until  int64 // until then it was sent too lately
	n      int   // such packets
	at     int64
	frames [leastBeats]uint64
	broken bool
}

// judgeForgotten judges whether what is not acknowledged is resent (Hazel page).
// One acknowledgement may have been missed by the capture; of as many as it takes
// that is absurd.
func (c sessionJudge) judgeForgotten(dir int) {
	s, out, rules := &c.side[dir], &c.c.Dir[dir], &c.c.Rules
	g, now := &s.forgotten, c.fr.Time
	if !g.any {
		g.next, g.any = s.top.num, true
	}
	if s.top.num-g.next > packetLimit {
		g.next = s.top.num - packetLimit/2
	}
	wait := max(fullLife, 10*rules.HoldTime()/3)
	for range 3 {
		x := s.packets.at(g.next)
		if g.next >= s.top.num {
			return
		}
		if x == nil {
			g.next++
			continue
		}
		if now-x.last < wait {
			g.until = x.last + fullLife
			return
		}
		l, ok := out.Look(g.next)
		g.next++
		switch {
		case !ok || !l.Captured || x.code == 0x0C || x.code == 0x0D:
		case l.Acked || l.Retried:
			rules.Pass(rRelResend)
		case now-g.at > session.HoldLeast || l.Time-g.at > session.HoldLeast:
			c.forgot(dir, g.next-1, &l)
		}
	}
}

// mayBeMissed reports whether the capture may have missed what explains so many of all
// packets of a side, where needed in a row are absurd: any of them may be those.
func mayBeMissed(some, all, needed int) bool {
	if some < needed {
		return true
	}
	p, chance := math.Pow(1e-9, 1/float64(needed-1)), 1.0
	for i := range some {
		chance *= p * float64(max(all-i, 1)) / float64(i+1)
	}
	return chance >= absurdity
}

func (c sessionJudge) forgot(dir int, num int64, l *seq.Look) {
	s, rules := &c.side[dir], &c.c.Rules
	g := &s.forgotten
	if l.Time-g.at < session.HoldLeast {
		return // of one accident
	}
	g.at = l.Time
	y := conform.Case{Rule: rRelResend, Dir: dir, Frame: l.Frame, Time: l.Time, HasTime: true, Proof: g.frames[:min(g.n, len(g.frames))], Since: l.Time}
	y.Message = fmt.Sprintf("ID %d is neither acknowledged nor resent (%d such packets so far)", uint16(num), g.n+1)
	g.n++
	switch {
	case s.denied.proves(num):
		y.Since = 0 // the capture would have missed both the resend and its acknowledgement
		y.Message = fmt.Sprintf("ID %d is not resent, although the histories of the other side report it missing", uint16(num))
	case mayBeMissed(g.n, s.sendings-s.resendings, rules.NeededOdds(1-dir)) || !c.ackedAround(dir, num):
		y.Blocked = conform.GuardOdds
	}
	if g.n <= len(g.frames) {
		g.frames[g.n-1] = l.Frame
	}
	if y.Blocked == conform.GuardNone && g.broken {
		return
	}
	g.broken = g.broken || y.Blocked == conform.GuardNone
	rules.Judge(y)
}

// ackedAround reports whether the packets before and behind one are acknowledged.
func (c sessionJudge) ackedAround(dir int, n int64) bool {
	out := &c.c.Dir[dir]
	before, ok1 := out.Look(n - 1)
	behind, ok2 := out.Look(n + 1)
	return ok1 && ok2 && before.Acked && behind.Acked
}

// Limits of a sender that does not give up.
const (
	longestLife = 3 * fullLife // games raise the usual one
	manyTries   = 8
)

// judgeGiveUp judges a side that sends new data while a packet of it is unanswered
// for longer than any release does (Hazel page: after a specific number of resends
// it may assume that communication has been interrupted).
func (c sessionJudge) judgeGiveUp(dir int) {
	t, rules := &c.side[dir].tries, &c.c.Rules
	for i := range t.list[:t.n] {
		x := &t.list[i]
		switch life := c.fr.Time - x.first; {
		case x.told:
		case life > longestLife && x.times >= manyTries && c.fr.Time-x.last <= 2*longestWait:
			x.told = true
			rules.Broken(rRelGiveup, fmt.Sprintf("ID %d was sent %d times in %d s without an acknowledgement, while new data continues", uint16(x.num), x.times, life/1e9))
		default:
			rules.Pass(rRelGiveup)
		}
		switch far := c.side[dir].top.num - x.num; {
		case far <= 1<<15:
			rules.Pass(rRelIdDensity)
		case !x.far:
			x.far = true
			rules.Broken(rRelIdDensity, fmt.Sprintf("ID %d is not acknowledged, while IDs %d ahead are sent", uint16(x.num), far))
		}
	}
}

// judgeAfterwards judges a datagram behind a Disconnect of either side.
func (c sessionJudge) judgeAfterwards(dir int) {
	if c.life.byes[1-dir] > 0 {
		c.judgeReply(dir)
	}
	if c.life.gone[dir] {
		c.judgeAfter(dir)
	}
}

// farewells is how many Disconnects of one side leave no doubt that one arrived.
const farewells = 4

// judgeReply judges a side that goes on although the other one has left: a single
// Disconnect may be lost.
func (c sessionJudge) judgeReply(dir int) {
	l, rules := &c.life, &c.c.Rules
	switch {
	case c.fr.Words.Has(dissect.Duplicate):
		return
	case c.f.Type == hazel.Disconnect:
		rules.Pass(rSesDiscReply)
		return
	}
	if late := c.fr.Time - l.byeAt[1-dir]; l.byes[1-dir] >= farewells && late > 2*fullLife && !l.toldReply[dir] {
		l.toldReply[dir] = true
		rules.Broken(rSesDiscReply, fmt.Sprintf("%s %d s after the last of %d Disconnects of the other side", c.f.Type, late/1e9, l.byes[1-dir]), l.goneIn[1-dir])
	}
}

// judgeStart judges with what a connection begins.
func (c sessionJudge) judgeStart(dir int) {
	rules := &c.c.Rules
	if c.secure != nil || c.fr.Err != nil {
		return
	}
	c.begun = true
	if c.c.Complete {
		rules.Pass(rSesHelloFirst)
		c.judgeFirstID(dir)
		return
	}
	rules.Unclear(rSesHelloFirst, conform.GuardStart, fmt.Sprintf("the first datagram captured is %s", c.f.Type))
}

// judgeFirstID judges the id of the Hello that opened the connection (Hazel library). The
// page leaves it open; which is spoken may show later.
func (c sessionJudge) judgeFirstID(dir int) {
	rules, page := &c.c.Rules, hazel.SetOf(hazel.Spec)
	if c.forced == hazel.Spec || c.dialects(dir) == page || rules.Check(rRelIdFirst, c.f.ID <= 1) {
		return
	}
	x := rules.Here(rRelIdFirst, fmt.Sprintf("the first ID is %d", c.f.ID))
	rules.HoldFor(x, fullLife, func() (conform.Ruling, conform.Guard) {
		switch left := c.dialects(dir); {
		case c.forced != hazel.AnyDialect || !left.Has(hazel.Spec):
			return conform.Failed, conform.GuardNone
		case left == page:
			return conform.Dropped, conform.GuardNone
		}
		return conform.Doubtful, conform.GuardDial
	})
}

// judgeHelloAgain judges a Hello behind the one that opened the connection.
func (c sessionJudge) judgeHelloAgain(dir int, first bool) {
	rules := &c.c.Rules
	if !c.hello.known || c.fr.Words.Has(dissect.Duplicate) {
		return
	}
	if !rules.Check(rSesHelloAgain, !first || c.fr.Length <= 4) {
		rules.Broken(rSesHelloAgain, fmt.Sprintf("a Hello with data and ID %d on a live connection: neither a keepalive nor a new connection", c.f.ID))
	}
}

// judgeEnd judges what only the end of a connection shows.
func (c sessionJudge) judgeEnd() {
	if c.secure != nil {
		return
	}
	for dir := range c.side {
		c.deliveries().judgeCopies(dir)
		c.judgeBeats(dir)
		c.judgeOpening(dir)
	}
}

// manyHellos is how often a Hello goes without an acknowledgement that others
// had to follow.
const manyHellos = 4

// judgeOpening judges a server that speaks without having acknowledged the Hello.
func (c sessionJudge) judgeOpening(dir int) {
	h, rules, server := &c.hello, &c.c.Rules, &c.side[1-dir]
	if !h.known || dir != c.client {
		return
	}
	l, ok := c.c.Dir[dir].Look(c.side[dir].low.engine)
	x := c.side[dir].packets.at(c.side[dir].low.engine)
	if !ok || x == nil || hazel.WireTypes[x.code].Type != hazel.Hello {
		return
	}
	switch {
	case l.Acked:
		rules.Pass(rSesHelloAck)
	case int(x.times) >= manyHellos && server.top.known && server.low.wire <= 1 && server.sendings >= goesOn:
		y := conform.Case{Rule: rSesHelloAck, Dir: 1 - dir, Frame: server.lowFrame, Time: server.lowAt, HasTime: true, Proof: []uint64{l.Frame}}
		y.Message = fmt.Sprintf("the server sends data, but acknowledges none of %d Hellos", x.times)
		if !server.absurd(int(x.times)) {
			y.Blocked = conform.GuardOdds
		}
		rules.Judge(y)
	}
}
