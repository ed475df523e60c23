package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
)

// Contents is what the messages of a datagram are, together.
type Contents struct {
	Application bool
	acks, other bool
	pings       int
}

// See enters a message.
func (x *Contents) See(m *knet.Message) {
	switch m.Kind {
	case knet.Application:
		x.Application = true
	case knet.PacketAck:
		x.acks = true
	case knet.PingRequest:
		x.pings++
		x.other = true
	default:
		x.other = true
	}
}

// OnlyAcks reports a datagram whose only purpose is to acknowledge.
func (x *Contents) OnlyAcks() bool { return x.acks && !x.other && !x.Application }

// count counts a datagram by what it holds and tracks nothing of it.
func (c *conn) count(s *side) {
	var x Contents
	for i := range c.Datagram.Messages {
		if m := &c.Datagram.Messages[i]; m.Known() {
			x.See(m)
		}
	}
	c.enter(s, &x)
}

// enter adds a captured datagram to the counters, copies and resends included.
func (c *conn) enter(s *side, x *Contents) {
	if x.Application {
		s.out.DataFrames++
	} else if x.OnlyAcks() {
		s.out.Acks++
	}
	if x.pings > 0 {
		s.out.KeepAlives += uint64(x.pings)
		c.Frame.Words |= dissect.KeepAlive
	}
}
