package rules

import (
	"fmt"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
)

// How late a side may be, in ns, beyond what its path shows: replies to pings tell how
// long the way there and back takes for acknowledgements, and these tell it for replies.
const (
	maxAckDelay = 33e6  // kNet page, Characteristic Values
	ackLate     = 200e6 // more than polling and pacing take
	pongLate    = 500e6
	delayEvery  = 1e9 // of the acknowledgements within it one is looked at
	fewPongs    = 4
)

// counted is Since of cases that count already what the capture may have missed.
const counted = 1<<63 - 1

// delays are how late a side acknowledges and replies.
type delays struct {
	pongs  [fewPongs]int64 // times of its latest replies, ns
	pong   int
	ackAt  int64 // when an acknowledgement was looked at last
	since  int64 // … first
	acks   conform.Sample
	late   conform.Sample // replies after acknowledgements of what was sent later
	told   [2]bool        // of acknowledgements, of replies
	newest int64          // when what its peer sent after its latest PingRequest was acknowledged first
	n      int            // datagrams sent once that were acknowledged
	least  int64          // … how soon one was, ns
}

// judgeAckDelay judges when a side acknowledges a datagram that was sent once, now that
// it does.
func (c numberJudge) judgeAckDelay(dir dissect.Dir, x sentDatagram) {
	s := &c.side[dir].delays
	if a := &c.side[dir.Other()].ask; a.has && x.Time() > a.at && s.newest < a.at {
		s.newest = c.Frame.Time
	}
	if took := c.Frame.Time - x.Time(); x.Sends() == 1 && took > 0 {
		if s.n++; s.n == 1 || took < s.least {
			s.least = took
		}
	}
	if s.pong < fewPongs || c.Frame.Time-s.ackAt < delayEvery || x.Sends() != 1 || s.told[0] {
		return
	}
	if s.ackAt = c.Frame.Time; s.since == 0 {
		s.since = x.Time()
	}
	took, most := c.Frame.Time-x.Time(), slices.Max(s.pongs[:])+maxAckDelay+ackLate
	s.acks.Enter(!c.c.Rules.Check(rCvAckdelay, took <= most))
	if took <= most || !s.acks.Mostly() {
		return
	}
	s.told[0] = true
	y := c.c.Rules.Here(rCvAckdelay, fmt.Sprintf("%d of %d datagrams were acknowledged late, this one after %d ms; PingRequests are answered within %d ms",
		s.acks.Bad, s.acks.N, took/1e6, slices.Max(s.pongs[:])/1e6), x.Frame())
	if y.Since = s.since; s.acks.Implausible(c.missedShare(dir)) {
		y.Since = counted
	}
	c.c.Rules.Judge(y)
}

// missedShare is the share of a side's datagrams that the capture missed, estimated high.
func (c numberJudge) missedShare(dir dissect.Dir) float64 {
	d := &c.c.Dir[dir]
	return 1.5 * float64(d.Quality().Uncaptured()+d.Missing()+1) / float64(d.Quality().Distinct()+1)
}

// judgePongDelay judges when a side replies to the latest PingRequest, sent at a time: it
// does so late when it has long acknowledged what was sent after that.
func (c messageJudge) judgePongDelay(dir dissect.Dir, at int64) {
	s := &c.side[dir].delays
	s.pongs[s.pong%fewPongs] = c.Frame.Time - at
	s.pong++
	if s.newest < at || s.told[1] {
		return
	}
	after := c.Frame.Time - s.newest
	if s.late.Enter(after > pongLate); after <= pongLate || s.late.Bad < fewPongs || 4*s.late.Bad < 3*s.late.N {
		return
	}
	s.told[1] = true
	y := c.c.Rules.Here(rRtPong, fmt.Sprintf("the PingRequest is answered after %d ms, %d ms after datagrams sent later were acknowledged; so were %d of the %d before",
		(c.Frame.Time-at)/1e6, after/1e6, s.late.Bad-1, s.late.N-1))
	y.AtMost, y.Since = conform.Note, at
	c.c.Rules.Judge(y)
}
