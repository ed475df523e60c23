package rules

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A mark is how far a side had come at a time.
type mark struct {
	top seq.Num
	at  int64
}

func (c *judge) mark(dir dissect.Dir) mark { return mark{c.side[dir].datagrams.top, c.Frame.Time} }

// went reports whether a side has gone on since a mark, and nothing that it sent
// since a time was missed.
func (c *judge) went(dir dissect.Dir, m mark, since int64) bool {
	r := &c.side[dir].datagrams
	return r.top > m.top && r.topAt-m.at >= c.horizon() && c.intact(dir, since)
}

// intact reports whether all that a side sent since a time was captured.
func (c *judge) intact(dir dissect.Dir, since int64) bool {
	r := &c.side[dir].datagrams
	return r.whole(since) && (r.startAt <= since || c.fromStart(dir))
}

// horizon is the reorder horizon, in ns (guard REORD), of datagrams without fault.
func (c *judge) horizon() int64 {
	late := max(c.side[0].datagrams.late, c.side[1].datagrams.late)
	return max(seq.CopyHorizon, c.roundTime()/2, late*3/2)
}

// roundTime is the round trip as far as acknowledgements tell, in ns.
func (c *judge) roundTime() int64 { return c.c.Dir[0].MinRTT() + c.c.Dir[1].MinRTT() }

// known reports whether the session's start was captured.
func (c *judge) known() bool {
	return c.c.Complete && !c.side[0].datagrams.restarted && !c.side[1].datagrams.restarted
}

// fromStart reports whether all that a side has sent since the connection began can
// be known: its first datagram was captured.
func (c *judge) fromStart(dir dissect.Dir) bool {
	r := &c.side[dir].datagrams
	switch {
	case !c.c.Complete || !r.has || r.restarted:
		return false
	case c.Dialect() == knet.Spec:
		return c.handshake.greeted[dir] && r.low <= c.handshake.lowest[dir]
	}
	return r.low == 0 || r.low == 1 && c.IDs() == knet.IDsFromOne
}

// peerOfAnother doubts the peer of a side that may have begun again, unseen: then it has done
// so as well, and may happen to go on with the PacketIDs that it had.
func (j *judge) peerOfAnother(dir dissect.Dir) {
	if r := &j.side[dir.Other()].datagrams; r.has {
		r.missing++
		r.gapAt = j.Frame.Time
	}
}

// forget forgets what the rules remember of a side: it has begun again, without a
// captured start.
func (s *side) forget() {
	s.datagrams.clear()
	s.datagrams = datagrams{out: s.datagrams.out, restarted: true}
	s.order, s.ask, s.ending, s.sentTransfers, s.pace = order{}, asking{}, ending{}, nil, pace{}
	s.acking.cursor = 0
	s.acking.doubt()
}
