package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
)

// contents is what the messages of a datagram are, together.
type contents struct {
	application bool
	acks, other bool
	pings       int
}

func (x *contents) see(m *knet.Message) {
	switch m.Kind {
	case knet.Application:
		x.application = true
	case knet.PacketAck:
		x.acks = true
	case knet.PingRequest:
		x.pings++
		x.other = true
	default:
		x.other = true
	}
}

// onlyAcks reports a datagram whose only purpose is to acknowledge.
func (x *contents) onlyAcks() bool { return x.acks && !x.other && !x.application }

// count counts a datagram by what it holds and tracks nothing of it.
func (c *conn) count(dir int) {
	var x contents
	for i := range c.d.Messages {
		if m := &c.d.Messages[i]; m.Known() {
			x.see(m)
		}
	}
	c.enter(dir, &x)
}

// enter adds a captured datagram to the counters, copies and resends included.
func (c *conn) enter(dir int, x *contents) {
	out := &c.c.Dir[dir]
	if x.application {
		out.DataFrames++
	} else if x.onlyAcks() {
		out.Acks++
	}
	if x.pings > 0 {
		out.KeepAlives += uint64(x.pings)
		c.fr.Words |= dissect.KeepAlive
	}
}
