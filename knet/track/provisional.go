package track

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session/seq"
)

// confirmAcked believes the provisional datagrams of a side that the one at hand
// acknowledges.
func (c *conn) confirmAcked(s *side) {
	for i := range c.Datagram.Messages {
		m := &c.Datagram.Messages[i]
		if m.Kind != knet.PacketAck || !m.Known() {
			continue
		}
		first := s.ids.Peek(m.Ack.PacketID & knet.PacketIDMask)
		mask := m.Ack.Bits << 1
		if m.Ack.PacketID <= knet.PacketIDMask {
			mask |= 1
		}
		for ; mask != 0; mask &= mask - 1 {
			n := first + seq.Num(bits.TrailingZeros64(mask))
			if s.out.Provisionals().ConfirmAcked(n, n+1) {
				c.believe(s)
			}
		}
	}
}

// FarAway is by how many a PacketID must have jumped for what its side sent before to be
// forgotten.
const FarAway = 1 << 16

// believe tracks the provisional datagrams of a side that the one at hand confirms.
func (c *conn) believe(s *side) {
	at, out := c.Event, s.out
	if c.pair.again == nil {
		c.pair.again = new(knet.Datagram)
	}
	c.c.Believe(s.dir, at.Frame, func(again *dissect.Frame) {
		c.Event = Event{Frame: again, Datagram: c.pair.again, now: at.now}
		if c.Datagram.Decode(again.Payload, c.pair.reads(c, s.dir), nil) != nil {
			return
		}
		ackReading{c}.readAcks(s.dir)
		num := s.ids.Peek(c.Datagram.PacketID)
		if ref, ok := s.ids.Known(); ok && (num > ref+FarAway || num < ref-FarAway) {
			c.forget(s.dir)
		}
		c.describe(num)
		c.inspect()
		data, acks, keepAlives := out.DataFrames, out.Acks, out.KeepAlives
		c.believed(s, num)
		out.DataFrames, out.Acks, out.KeepAlives = data, acks, keepAlives // it was counted when it came
	})
	c.Event = at
	c.refuted(s)
}
