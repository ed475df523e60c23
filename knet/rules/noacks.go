package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
)

// How much shows that a side receives what it does not acknowledge: replies to pings, and
// reliable datagrams in their midst, no longer than any path lets pass. That all of these
// were lost, and hardly any of the pings, is implausible.
const (
	noAcksReplies   = 4
	noAcksDatagrams = 32
	noAcksSize      = 512 // bytes
	noAcksLate      = 1e9 // ns: what came later may still be acknowledged
)

// noAcks is what is held against a side that acknowledges nothing: since when it replies to
// pings without that.
type noAcks struct {
	since   int64 // of the first reply after the latest PacketAck, plus 1; 0 for none
	asked   int   // PingRequests of the peer since
	replies int
	told    bool
}

// acknowledges notes that a side sent a PacketAck.
func (a *acking) acknowledges() { a.noAcks.since = 0 }

// judgeNoAcks judges a side that has just replied to a PingRequest by the reliable
// datagrams of its peer that it was to acknowledge.
func (c numberJudge) judgeNoAcks(dir dissect.Dir) {
	f := &c.side[dir].acking.noAcks
	switch {
	case f.told || c.IDsOpen():
		return
	case f.since == 0:
		if c.side[dir.Other()].order.known > 0 {
			c.c.Rules.Pass(rRdAcked)
		}
		*f = noAcks{since: c.Frame.Time + 1}
		return
	}
	if f.replies++; f.replies < noAcksReplies || 2*f.replies < f.asked || f.replies%noAcksReplies != 0 {
		return
	}
	r := &c.side[dir.Other()].datagrams
	var first sentDatagram
	n := 0
	for _, x := range r.latest {
		if x.suspect || !x.isReliable() || x.Time() < f.since || c.Frame.Time-x.Time() < noAcksLate || x.Size() > noAcksSize {
			continue
		}
		if n == 0 {
			first = x
		}
		n += x.Sends()
	}
	if n < noAcksDatagrams || c.ended() || !c.intact(dir, first.Time()) {
		return
	}
	f.told = true
	c.c.Rules.Judge(conform.Case{Rule: rRdAcked, Dir: dir, Frame: first.Frame(), Time: first.Time(), HasTime: true, Since: first.Time(),
		Message: fmt.Sprintf("none of %d reliable datagrams is acknowledged, while %d PingRequests are answered", n, f.replies)})
}
