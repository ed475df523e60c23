package rules

import (
	"fmt"
	"math"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// note notes a request.
func (a *asking) note(id uint8, at int64) {
	if a.asked == nil {
		a.asked = new([16]*[16]asked)
	}
	page := &a.asked[id>>4]
	if *page == nil {
		*page = new([16]asked)
	}
	(*page)[id&15] = asked{at: at + 1}
}

// was gives the latest request of an id, or nil.
func (a *asking) was(id uint8) *asked {
	if a.asked == nil || a.asked[id>>4] == nil || a.asked[id>>4][id&15].at == 0 {
		return nil
	}
	return &a.asked[id>>4][id&15]
}

// Times, in ns, and counts of pings (kNet page, Characteristic Values).
const (
	silenceTime  = 16e9 // 15 s with some play
	loneTime     = 20e9
	rarePings    = 20e9
	manyRequests = 5
	manyReplies  = 3
	firstPings   = 2   // ids with which a connection of the library begins
	runTime      = 5e9 // for which no PingRequest was missed before a reply to none
)

// noteAsked notes what the peer may answer of a datagram that is not judged further.
func (c messageJudge) noteAsked(dir dissect.Dir) {
	c.side[dir].datagrams.markFaulty(c.Datagram.PacketID)
	c.side[dir].acking.acknowledges() // for all that is known
	c.noteRequests(dir)
	c.spoil(dir)
}

func (c messageJudge) noteRequests(dir dissect.Dir) {
	a := &c.side[dir].ask
	for i := range c.Datagram.Messages {
		switch m := &c.Datagram.Messages[i]; m.Kind {
		case knet.PingRequest, knet.PingReply:
			if len(m.Body) > 0 {
				a.note(m.Body[0], c.Frame.Time)
			}
			if len(m.Body) != 1 {
				a.lostAt = c.Frame.Time + 1 // nothing tells what an answer repeats
			}
		case knet.Disconnect:
			c.side[dir].ending.heard = true
		}
	}
}

// judgeRequest judges a PingRequest.
func (c messageJudge) judgeRequest(dir dissect.Dir, num seq.Num, m *knet.Message, first bool) {
	if !first || len(m.Body) != 1 {
		return
	}
	a, r := &c.side[dir].ask, &c.side[dir].datagrams
	id := m.PingID
	if m.Ambiguous() && c.IDsOpen() {
		a.note(id, c.Frame.Time)
		return
	}
	rules := &c.c.Rules
	if a.has && id == a.last && num == a.num {
		return // a copy of a datagram that was set apart
	}
	c.side[dir.Other()].acking.noAcks.asked++
	if !a.has || id != a.last+1 || c.resumedAt > a.at { // of another connection it may happen to be the next
		a.runAt = c.Frame.Time
	}
	switch {
	case !a.has || c.jump || !r.whole(a.at) || num < r.top:
		a.last = id
	case id == a.last+1 || a.isOdd && id == a.odd+1:
		rules.Pass(rRtIdInc)
		a.last, a.isOdd = id, false
	default:
		x := rules.Here(rRtIdInc, fmt.Sprintf("the pingID is %d, but the previous one was %d", id, a.last))
		x.Since = a.at
		if c.numbers().ended() || id <= firstPings && c.Datagram.PacketID <= firstPings {
			x.Blocked = conform.GuardLife // PacketIDs of another connection may happen to go on from here
		}
		rules.Judge(x)
		a.odd, a.isOdd = id, true
	}
	if a.has && c.Frame.Time-a.at <= rarePings {
		rules.Pass(rCvPingint)
	}
	a.has, a.at, a.num = true, c.Frame.Time, num
	a.note(id, c.Frame.Time)
	c.judgeSilent(dir, a)
}

// judgeSilent judges a peer that answers no PingRequest, though it acknowledges what
// comes with them.
func (c messageJudge) judgeSilent(dir dissect.Dir, a *asking) {
	o := &c.side[dir.Other()]
	if a.open >= manyRequests && a.acks >= manyRequests && !a.told && c.intact(dir.Other(), a.openAt) && o.datagrams.topAt > a.openAt && !c.numbers().ended() {
		a.told = true
		c.c.Rules.Judge(conform.Case{Rule: rRtPong, Dir: dir.Other(), Frame: a.openIn, Time: a.openAt, HasTime: true, Since: a.openAt,
			Message: fmt.Sprintf("%d PingRequests are not answered, while %d datagrams are acknowledged", a.open, a.acks)})
	}
	if a.open++; a.open == 1 {
		a.openAt, a.openIn, a.acks = c.Frame.Time, c.Frame.Frame, 0
	}
}

// judgeReply judges a PingReply by the requests of the other side.
func (c messageJudge) judgeReply(dir dissect.Dir, m *knet.Message, first bool) {
	if !first || len(m.Body) != 1 {
		return
	}
	if m.Ambiguous() && c.IDsOpen() {
		c.side[dir].ask.note(m.PingID, c.Frame.Time) // it may be a request
		return
	}
	rules := &c.c.Rules
	a, id := &c.side[dir.Other()].ask, m.PingID
	was := a.was(id)
	if was == nil {
		c.holdReply(dir, id)
		return
	}
	rules.Pass(rRtPongMatch)
	rules.Pass(rRtPong)
	a.open, a.told = 0, false
	c.numbers().judgeNoAcks(dir)
	if id == a.last && was.replies == 0 {
		c.judgePongDelay(dir, was.at-1)
	}
	was.replies += min(1, 255-was.replies)
	if was.replies != manyReplies {
		rules.Pass(rRtPongOnce)
		return
	}
	rules.Broken(rRtPongOnce, fmt.Sprintf("the PingRequest %d is answered for the third time", id))
}

// holdReply keeps a PingReply to a request that was not captured. When all that the
// other side sent was captured, before it and after it, there was none.
func (c messageJudge) holdReply(dir dissect.Dir, id uint8) {
	rules, r := &c.c.Rules, &c.side[dir.Other()].datagrams
	since := c.Frame.Time - staleTime
	x := rules.Here(rRtPongMatch, fmt.Sprintf("the pingID is %d, but no PingRequest had it", id))
	x.Since = since
	c.frames().quarantine()
	wait := rules.HoldTime()
	if !r.whole(since) || !rules.Clean(since) {
		wait = staleTime
	}
	rules.HoldFor(x, wait, unmatched{c, dir.Other(), id, c.Frame.Time, c.side[dir.Other()].ask.runAt, c.mark(dir.Other()), x})
}

// An unmatched is a PingReply to a request that was not captured.
type unmatched struct {
	c       messageJudge
	dir     dissect.Dir // of who asks
	id      uint8
	at, run int64
	mark    mark
	x       conform.Case
}

// Settle implements session.Settler.
func (h unmatched) Settle() (conform.Ruling, conform.Guard) {
	c, r, a := h.c, &h.c.side[h.dir].datagrams, &h.c.side[h.dir].ask
	at, since, was := h.at, h.at-staleTime, a.was(h.id)
	switch {
	case was == nil && a.lostAt <= since && at-h.run >= runTime && a.runAt == h.run && a.at-at > c.horizon() && !c.numbers().ended():
		h.x.Since = math.MaxInt64 // whatever was missed was no request: their ids are complete
		c.c.Rules.Judge(h.x)
		return conform.Dropped, 0
	case !r.has || !c.fromStart(h.dir) && r.startAt > since || !c.went(h.dir, h.mark, since):
		return conform.Doubtful, conform.GuardClean
	case a.lostAt > since:
		return conform.Doubtful, conform.GuardHold
	case was != nil && (was.at-at <= 2*c.horizon() || !c.c.Rules.ClockSure()):
		return conform.Doubtful, conform.GuardReord
	}
	return conform.Failed, 0
}

// judgeSilence judges the time between two datagrams of a side, between which it
// sent none: before is how far it had come without the second.
func (c messageJudge) judgeSilence(dir dissect.Dir, before stand) {
	if c.numbers().ended() {
		return
	}
	rules, now := &c.c.Rules, c.Frame.Time
	s, o := &c.side[dir], &c.side[dir.Other()]
	gap := now - before.topAt
	if c.State() == session.Established && s.datagrams.gapAt <= before.topAt && !rules.Check(rRtKeepalive, gap <= silenceTime) {
		x := rules.Here(rRtKeepalive, fmt.Sprintf("the side was silent for %.1f s", float64(gap)/1e9))
		x.Since = before.topAt
		rules.Judge(x)
	}
	if a := &s.ask; !a.has || now-a.at > rarePings {
		c.judgeRarity(a, &s.datagrams)
	}
	if o.ask.alone.frame != 0 {
		c.judgeAlone(dir, before, gap)
	}
	if s.ask.alone.frame != 0 || !o.datagrams.has || !c.Datagram.Plain && !c.hasData() {
		return
	}
	if !rules.Check(rCvLost, now-o.datagrams.topAt <= loneTime) {
		s.ask.alone = alone{c.Frame.Frame, now, o.datagrams.top}
	}
}

// judgeAlone ends what was held against the peer for sending data although it had
// heard nothing: whether that is so shows when the side speaks again.
func (c messageJudge) judgeAlone(dir dissect.Dir, before stand, gap int64) {
	l := &c.side[dir.Other()].ask.alone
	if l.after == before.top && c.side[dir].datagrams.low <= before.top && gap > loneTime {
		c.c.Rules.Judge(conform.Case{Rule: rCvLost, Dir: dir.Other(), Frame: l.frame, Time: l.time, HasTime: true, Since: before.topAt,
			Message: "data is sent although nothing has arrived from the peer for more than 20 s"})
	}
	l.frame = 0
}

// judgeRarity judges how often a side pings.
func (c messageJudge) judgeRarity(a *asking, r *datagrams) {
	since := a.at
	if !a.has {
		since = r.startAt
	}
	gap := c.Frame.Time - since
	if gap <= rarePings || c.IDsOpen() || c.State() != session.Established || !r.whole(since) {
		return
	}
	if !a.rare {
		a.rare = true
		x := c.c.Rules.Here(rCvPingint, fmt.Sprintf("no PingRequest for %.0f s", float64(gap)/1e9))
		x.Since = since
		c.c.Rules.Judge(x)
	}
}

func (c messageJudge) hasData() bool {
	for i := range c.Datagram.Messages {
		if c.Datagram.Messages[i].Kind == knet.Application {
			return true
		}
	}
	return false
}
