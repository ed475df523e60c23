package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/knet/track"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Times of closing, in ns, and how many findings one end may give rise to.
const (
	afterEnd      = 2e9 // within which a datagram after a Disconnect is surely of the same connection
	afterEndNext  = 5e9 // … when its PacketID is the next
	answerTime    = 1e9
	discRetryTime = 7e9 // DisconnectTimeOut is 5 s
	maxTold       = 8
	refusals      = 8
)

// follows reports whether a datagram was sent after a farewell and by the same
// connection (kNet page, Closing a Session). answered says that the other side has ended
// as well: another connection may begin soon.
func (f *farewell) follows(num seq.Num, time int64, answered bool) bool {
	if !f.set || num <= f.num || num > f.num+track.FarIDs {
		return false
	}
	since := time - f.time
	return since < afterEnd || !answered && num == f.num+1 && since < afterEndNext
}

// passed reports a datagram from before the end of a side that comes long after it: it is
// of another connection, whose start was not captured.
func (e *ending) passed(num seq.Num, time int64) bool {
	for _, f := range [...]*farewell{&e.disc, &e.ack} {
		if f.set && num < f.num && time-f.time >= track.RestartGap {
			return true
		}
	}
	return false
}

// judgeEnded judges a datagram after a Disconnect or a DisconnectAck of its side.
func (c sessionJudge) judgeEnded(dir dissect.Dir, sent *seq.Sending, first bool) {
	e := &c.side[dir].ending
	if first {
		c.judgeUnanswered(dir, sent)
	}
	if !first || !e.disc.set && !e.ack.set || e.moot || e.told >= maxTold || c.tolerated() {
		return
	}
	rules, answered := &c.c.Rules, c.side[dir.Other()].ending.begun()
	switch {
	case e.disc.follows(sent.Num, sent.Time, answered):
		rules.Broken(rClAfterDisc, fmt.Sprintf("the datagram was sent after the Disconnect in PacketID %d", e.disc.num&knet.PacketIDMask), e.disc.frame)
	case e.ack.follows(sent.Num, sent.Time, answered):
		rules.Broken(rClAfterAck, fmt.Sprintf("the datagram was sent after the DisconnectAck in PacketID %d", e.ack.num&knet.PacketIDMask), e.ack.frame)
	default:
		return
	}
	e.told++
	c.frames().quarantine()
}

// tolerated reports a datagram that may follow a Disconnect: the answer to a
// crossing one, a repeated one, and acknowledgements of the library (AMB-KN-11).
func (c sessionJudge) tolerated() bool {
	var x track.Contents
	for i := range c.Datagram.Messages {
		m := &c.Datagram.Messages[i]
		if m.Kind == knet.Disconnect || m.Kind == knet.DisconnectAck {
			return true
		}
		x.See(m)
	}
	return c.Datagram.Dialect != knet.Spec && x.OnlyAcks()
}

// judgeUnanswered judges a side that goes on although its peer said Disconnect again
// and again.
func (c sessionJudge) judgeUnanswered(dir dissect.Dir, sent *seq.Sending) {
	e, o := &c.side[dir].ending, &c.side[dir.Other()].ending
	r := &c.side[dir].datagrams
	if o.discs < 3 || e.silent || e.heard || e.ack.set || sent.Time-o.last < answerTime+c.roundTime() || sent.Num != r.top+1 || !r.whole(o.disc.time) {
		return
	}
	var x track.Contents
	for i := range c.Datagram.Messages {
		x.See(&c.Datagram.Messages[i])
	}
	if x.Application {
		e.silent = true
		y := c.c.Rules.Here(rClDiscack, fmt.Sprintf("%d Disconnects are not answered, and the side continues", o.discs), o.disc.frame)
		y.Since = o.disc.time
		c.c.Rules.Judge(y)
	}
}

// judgeEnd judges a Disconnect or DisconnectAck.
func (c sessionJudge) judgeEnd(dir dissect.Dir, sent *seq.Sending, k knet.Kind) {
	e := &c.side[dir].ending
	bye := farewell{true, sent.Num, sent.Time, sent.Frame}
	if k == knet.DisconnectAck {
		c.judgeAnswer(dir, bye)
		return
	}
	e.heard = true
	if c.Datagram.Dialect == knet.Spec {
		c.judgeDisconnect(dir, e, bye)
	}
	if e.discs++; !e.disc.set {
		e.disc = bye
	}
	e.last = sent.Time
}

func (c sessionJudge) judgeDisconnect(dir dissect.Dir, e *ending, bye farewell) {
	rules := &c.c.Rules
	if e.disc.set && bye.num <= e.disc.num+track.FarIDs && bye.num > e.disc.num {
		if bye.time-e.last >= track.ReconnectGap {
			rules.Unclear(rCvDiscto, conform.GuardLife, "the Disconnect may belong to another connection", e.disc.frame)
			return
		}
		if since := bye.time - e.disc.time; !rules.Check(rCvDiscto, since <= discRetryTime) {
			rules.Broken(rCvDiscto, fmt.Sprintf("the Disconnect is repeated %.1f s after the first", float64(since)/1e9), e.disc.frame)
		}
		return
	}
	if c.State() != session.Opening || dir != c.Client() || c.side[dir.Other()].datagrams.has {
		if c.State() == session.Established {
			rules.Pass(rClState)
		}
		return
	}
	rules.Hold(rules.Here(rClState, "the Disconnect was sent before the ConnectSynAck"), unanswered{c, dir.Other(), c.Frame.Time, false})
}

// answeredFrom tells whether a server's first datagram of all came after a time: the
// series begins with PacketID 0.
func (c sessionJudge) answeredFrom(dir dissect.Dir, at int64) (conform.Ruling, conform.Guard) {
	switch r := &c.side[dir].datagrams; {
	case !r.has:
		return conform.Doubtful, conform.GuardBidir
	case r.startAt < at:
		return conform.Dropped, 0
	case r.low != 0 || r.startAt-at < c.horizon():
		return conform.Doubtful, conform.GuardReord
	case !c.c.Rules.ClockSure():
		return conform.Doubtful, conform.GuardClock
	}
	return conform.Failed, 0
}

// judgeAnswer judges a DisconnectAck: it answers a Disconnect or refuses a client
// (AMB-KN-24).
func (c sessionJudge) judgeAnswer(dir dissect.Dir, bye farewell) {
	rules, state := &c.c.Rules, c.State()
	e, o := &c.side[dir].ending, &c.side[dir.Other()].ending
	switch {
	case o.heard:
		rules.Pass(rClDiscackUnsol)
		if o.disc.set {
			rules.Pass(rClDiscack)
			if !e.ack.set {
				e.ack = bye
			}
		}
	case c.Datagram.Dialect == knet.Spec && (state == session.Opening || state == session.Refused):
		rules.Pass(rClDiscackUnsol)
		c.judgeRefusal(e, bye.time)
	default:
		c.frames().quarantine()
		x := rules.Here(rClDiscackUnsol, "the DisconnectAck answers no Disconnect, and the other side continues")
		x.Since = bye.time - staleTime
		rules.Hold(x, unasked{c, dir.Other(), c.mark(dir.Other()), x.Since})
	}
}

// An unasked is a DisconnectAck to a side that sent no Disconnect.
type unasked struct {
	c     sessionJudge
	dir   dissect.Dir // of that side
	mark  mark
	since int64
}

// Settle implements session.Settler.
func (h unasked) Settle() (conform.Ruling, conform.Guard) {
	if h.c.side[h.dir].ending.heard || !h.c.went(h.dir, h.mark, h.since) {
		return conform.Doubtful, conform.GuardClean
	}
	return conform.Failed, 0
}

// staleTime is how old what is answered may be, in ns.
const staleTime = 10e9

// judgeRefusal judges how often a refused attempt is answered: never as often in a
// second without as many ConnectSyns.
func (c sessionJudge) judgeRefusal(e *ending, at int64) {
	e.refs[e.nrefs%refusals] = at
	e.nrefs++
	if e.nrefs < refusals || at-e.refs[e.nrefs%refusals] > 1e9 {
		c.c.Rules.Pass(rSmRefuseOnce)
		return
	}
	if c.Connects() < refusals && e.nrefs == refusals {
		c.c.Rules.Broken(rSmRefuseOnce, fmt.Sprintf("%d DisconnectAcks within a second answer %d ConnectSyns", refusals, c.Connects()))
	}
}
