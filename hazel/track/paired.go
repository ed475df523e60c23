package track

import (
	"github.com/dpdissect/dpdissect/session/seq"
)

// mostPaired is how many transmissions of one packet are paired with acknowledgements.
const mostPaired = 16

// A pairing is when the transmissions of a packet were captured, and its acknowledgements: a
// receiver acknowledges each transmission that comes, at once and in their order. Where there
// are as many of one as of the other, and the network doubles none, the k-th belong
// together (Hazel Reliable.cs).
type pairing struct {
	sent, acked []int64 // of which no pair was entered yet
	void        bool
}

// pairTransmission notes that a packet is sent again, of which c.Record is known before.
func (c *conn) pairTransmission(first *seq.Look) {
	x := &c.Record
	p := x.pairs()
	if p == nil {
		p = &pairing{void: x.Times != 1 || x.Acks > 1 || !first.First}
		p.sent = append(p.sent, first.Time)
		if x.Acks == 1 {
			p.acked = append(p.acked, x.AckAt())
		}
		x.again.pairs = p
	}
	if p.void = p.void || c.Frame.IPID == 0 || len(p.sent) == mostPaired; !p.void {
		p.sent = append(p.sent, c.Frame.Time)
	}
}

// pairAck notes an acknowledgement of a packet of a side.
func (c *conn) pairAck(s *side, x *Record) {
	p := x.pairs()
	if p.void || c.Frame.IPID == 0 {
		p.void = true
		return
	}
	if p.acked = append(p.acked, c.Frame.Time); len(p.acked) > len(p.sent) {
		p.void = true
		s.out.Trips().Unpair() // the network copies datagrams, or the capture misses some
		return
	}
	if len(p.acked) < len(p.sent) || !c.c.Rules.Clean(p.sent[0]) {
		return
	}
	for k := range p.sent {
		if p.acked[k] <= p.sent[k] {
			p.void = true
			return
		}
	}
	for k := range p.sent {
		s.out.Trips().Paired(p.acked[k], p.acked[k]-p.sent[k])
	}
	p.sent, p.acked = nil, nil
}

// endPairs drops all pairs where the capture holds copies that the network made: it made
// others after the capture point.
func (c *conn) endPairs() {
	if c.c.Dir[0].Duplicates+c.c.Dir[1].Duplicates > 0 {
		c.c.Dir[0].Trips().Unpair()
		c.c.Dir[1].Trips().Unpair()
	}
}
