package rules

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// forgotten looks for packets that were neither acknowledged nor sent again.
type forgotten struct {
	next   seq.Num // number to look at
	any    bool
	until  int64 // until then it was sent too lately
	n      int   // such packets
	at     int64
	frames [leastBeats]uint64
	broken bool
}

// judgeForgotten judges whether what is not acknowledged is resent (Hazel page).
// One acknowledgement may have been missed by the capture; of as many as it takes
// that is implausible.
func (j *judge) judgeForgotten(dir dissect.Dir) {
	s, out, rules := &j.side[dir], &j.c.Dir[dir], &j.c.Rules
	g, now := &s.forgotten, j.Frame.Time
	if !g.any {
		g.next, g.any = s.Top, true
	}
	if s.Top-g.next > track.RecordLimit {
		g.next = s.Top - track.RecordLimit/2
	}
	wait := max(track.FullLife, 10*rules.HoldTime()/3)
	for range 3 {
		x := j.RecordOf(dir, g.next)
		if g.next >= s.Top {
			return
		}
		if !x.IsKnown() {
			g.next++
			continue
		}
		if now-x.Last() < wait {
			g.until = x.Last() + track.FullLife
			return
		}
		l, ok := out.Look(g.next)
		g.next++
		switch {
		case !ok || !l.Captured || x.Code == 0x0C || x.Code == 0x0D:
		case l.Acked || l.Retried:
			rules.Pass(rRelResend)
		case now-g.at > session.HoldLeast || l.Time-g.at > session.HoldLeast:
			j.forgot(dir, g.next-1, &l)
		}
	}
}

// mayBeMissed reports whether the capture may have missed what explains so many of all
// packets of a side, where needed in a row are implausible: any of them may be those.
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

func (j *judge) forgot(dir dissect.Dir, num seq.Num, l *seq.Look) {
	s, rules := &j.side[dir], &j.c.Rules
	g := &s.forgotten
	if l.Time-g.at < session.HoldLeast {
		return // of one accident
	}
	g.at = l.Time
	y := conform.Case{Rule: rRelResend, Dir: dir, Frame: l.Frame, Time: l.Time, HasTime: true, Proof: g.frames[:min(g.n, len(g.frames))], Since: l.Time}
	y.Message = fmt.Sprintf("ID %d is neither acknowledged nor resent (%d such packets so far)", uint16(num), g.n+1)
	g.n++
	switch {
	case s.denied.proves(num) && j.answeredAfter(dir, num):
		y.Since = 0 // the capture would have missed both the resend and its acknowledgement
		y.Message = fmt.Sprintf("ID %d is not resent, although the histories of the other side report it missing", uint16(num))
	case mayBeMissed(g.n, s.Transmissions-s.Resends, j.neededAcks(dir.Other())) || !j.ackedAround(dir, num):
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

// neededAcks is NeededOdds for acknowledgements of a side. What it seems to send first after its
// acknowledgement may be resends of what was missed: nothing else shows how much was.
func (j *judge) neededAcks(dir dissect.Dir) int {
	out := &j.c.Dir[dir]
	return conform.NeededOdds(out.Quality().Uncaptured()+out.Missing()+j.side[dir.Other()].aheads, out.Quality().Distinct())
}

// answeredAfter reports whether all acknowledgements whose history may have told of a
// number were captured: the first one after a gap acknowledges the gap, too, where it
// comes from a release of 2020-04 to 2021-01, and is believed.
func (j *judge) answeredAfter(dir dissect.Dir, n seq.Num) bool {
	for i := n + 1; i <= min(n+8, j.side[dir].Top); i++ {
		if x := j.RecordOf(dir, i); !x.IsKnown() || x.Acks < x.Times {
			return false
		}
	}
	return true
}

// ackedAround reports whether the packets before and after one are acknowledged.
func (j *judge) ackedAround(dir dissect.Dir, n seq.Num) bool {
	out := &j.c.Dir[dir]
	before, ok1 := out.Look(n - 1)
	later, ok2 := out.Look(n + 1)
	return ok1 && ok2 && before.Acked && later.Acked
}

// Limits of a sender that does not give up.
const (
	longestLife = 3 * track.FullLife // games raise the usual one
	manyTries   = 8
)

// judgeGiveUp judges a side that sends new data while a packet of it is unanswered
// for longer than any release does (Hazel page: after a specific number of resends
// it may assume that communication has been interrupted).
func (j *judge) judgeGiveUp(dir dissect.Dir) {
	s, rules := &j.side[dir], &j.c.Rules
	tries := j.Tries(dir)
	s.endless = slices.DeleteFunc(s.endless, func(e endless) bool {
		return !slices.ContainsFunc(tries, func(x track.Try) bool { return x.Num == e.num })
	})
	for i := range tries {
		x := &tries[i]
		switch life := j.Frame.Time - x.First; {
		case s.told(x.Num, rRelGiveup):
		case life > longestLife && x.Times >= manyTries && j.Frame.Time-x.Last <= 2*track.LongestWait:
			s.endless = append(s.endless, endless{x.Num, rRelGiveup})
			rules.Broken(rRelGiveup, fmt.Sprintf("ID %d was sent %d times in %d s without an acknowledgement, while new data continues", uint16(x.Num), x.Times, life/1e9))
		default:
			rules.Pass(rRelGiveup)
		}
		switch far := s.Top - x.Num; {
		case far <= 1<<15:
			rules.Pass(rRelIdDensity)
		case !s.told(x.Num, rRelIdDensity):
			s.endless = append(s.endless, endless{x.Num, rRelIdDensity})
			rules.Broken(rRelIdDensity, fmt.Sprintf("ID %d is not acknowledged, while IDs %d ahead are sent", uint16(x.Num), far))
		}
	}
}

// An endless number is one that its side does not give up, as a rule was broken by.
type endless struct {
	num  seq.Num
	rule int
}

// told reports whether a number was found fault with by a rule.
func (s *side) told(num seq.Num, rule int) bool {
	return slices.Contains(s.endless, endless{num, rule})
}

// judgeAfterwards judges a datagram after a Disconnect of either side.
func (j *judge) judgeAfterwards(dir dissect.Dir) {
	if j.Bye(dir.Other()).Times > 0 {
		j.judgeReply(dir)
	}
	if j.Bye(dir).Times > 0 {
		j.judgeAfter(dir)
	}
}

// farewells is the number of Disconnects of one side that leaves no doubt that one arrived.
const farewells = 4

// judgeReply judges a side that goes on although the other one has left: a single
// Disconnect may be lost.
func (j *judge) judgeReply(dir dissect.Dir) {
	s, bye, rules := &j.side[dir], j.Bye(dir.Other()), &j.c.Rules
	switch {
	case j.Frame.Words.Has(dissect.Duplicate):
		return
	case j.Packet.Type == hazel.Disconnect:
		rules.Pass(rSesDiscReply)
		return
	}
	if late := j.Frame.Time - bye.Last; bye.Times >= farewells && late > 2*track.FullLife && !s.toldReply {
		s.toldReply = true
		rules.Broken(rSesDiscReply, fmt.Sprintf("%s %d s after the last of %d Disconnects of the other side", j.Packet.Type, late/1e9, bye.Times), bye.Frame)
	}
}

// judgeStart judges with what a connection begins.
func (j *judge) judgeStart(dir dissect.Dir) {
	rules := &j.c.Rules
	if j.Secure() || j.Frame.Err != nil {
		return
	}
	j.begun = true
	if j.c.Complete {
		rules.Pass(rSesHelloFirst)
		j.judgeFirstID(dir)
		return
	}
	rules.Unclear(rSesHelloFirst, conform.GuardStart, fmt.Sprintf("the first datagram captured is %s", j.Packet.Type))
}

// judgeFirstID judges the id of the Hello that opened the connection (Hazel library). The
// page leaves it open; which is spoken may show later.
func (j *judge) judgeFirstID(dir dissect.Dir) {
	rules, page := &j.c.Rules, hazel.SetOf(hazel.Spec)
	if j.Forced() == hazel.Spec || j.Dialects(dir) == page || rules.Check(rRelIdFirst, j.Packet.ID <= 1) {
		return
	}
	x := rules.Here(rRelIdFirst, fmt.Sprintf("the first ID is %d", j.Packet.ID))
	rules.HoldFor(x, track.FullLife, firstID{j, dir})
}

// A firstID is that of a Hello, where the page alone allows it.
type firstID struct {
	j   *judge
	dir dissect.Dir
}

// Settle implements session.Settler.
func (h firstID) Settle() (conform.Ruling, conform.Guard) {
	switch left := h.j.Dialects(h.dir); {
	case h.j.Forced() != hazel.AnyDialect || !left.Has(hazel.Spec):
		return conform.Failed, conform.GuardNone
	case left == hazel.SetOf(hazel.Spec):
		return conform.Dropped, conform.GuardNone
	}
	return conform.Doubtful, conform.GuardDial
}

// judgeHelloAgain judges a Hello after the one that opened the connection.
func (j *judge) judgeHelloAgain(dir dissect.Dir) {
	rules, first := &j.c.Rules, j.Verdict.Novelty == seq.First
	if !j.Opened() || j.Frame.Words.Has(dissect.Duplicate) {
		return
	}
	if !rules.Check(rSesHelloAgain, !first || j.Frame.Length <= 4) {
		rules.Broken(rSesHelloAgain, fmt.Sprintf("a Hello with data and ID %d on a live connection: neither a keepalive nor a new connection", j.Packet.ID))
	}
}

// manyHellos is how often a Hello goes without an acknowledgement that others
// had to follow.
const manyHellos = 4

// judgeOpening judges a server that speaks without having acknowledged the Hello.
func (j *judge) judgeOpening(dir dissect.Dir) {
	rules, server := &j.c.Rules, &j.side[dir.Other()]
	if !j.Opened() || dir != j.Client() {
		return
	}
	l, ok := j.c.Dir[dir].Look(j.side[dir].Low.Engine)
	x := j.RecordOf(dir, j.side[dir].Low.Engine)
	if !ok || !x.IsKnown() || hazel.WireTypes[x.Code].Type != hazel.Hello {
		return
	}
	switch {
	case l.Acked:
		rules.Pass(rSesHelloAck)
	case int(x.Times) >= manyHellos && server.Sent && server.Low.Wire <= 1 && server.Transmissions >= track.GoesOn:
		y := conform.Case{Rule: rSesHelloAck, Dir: dir.Other(), Frame: server.LowFrame, Time: server.LowAt, HasTime: true, Proof: []uint64{l.Frame}}
		y.Message = fmt.Sprintf("the server sends data, but acknowledges none of %d Hellos", x.Times)
		if !server.implausible(int(x.Times)) {
			y.Blocked = conform.GuardOdds
		}
		rules.Judge(y)
	}
}
