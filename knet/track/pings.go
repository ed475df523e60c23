package track

import (
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session/seq"
)

// keptPings is how many PingRequests of a side wait for their replies. Requests
// come every few seconds and their ids count up.
const keptPings = 32

// pings are the latest PingRequests of one side (kNet page, Round-Trip-Time
// Estimation), by the lower bits of their ids.
type pings [keptPings]ping

// A ping is a PingRequest that was captured. Its time is counted only when it is
// forgotten: a request that was captured twice tells no round trip.
type ping struct {
	frame    uint64  // of the first captured copy, 0 for none
	num      seq.Num // PacketID that carried it
	at       int64   // ns
	took     int64   // until the first reply, ns
	id       uint8
	answered bool
	again    bool // captured more than once
}

// asks remembers a PingRequest until it is answered.
func (c *conn) asks(dir dissect.Dir, num seq.Num, m *knet.Message, fresh bool) {
	if !m.Whole || len(m.Body) != 1 {
		return
	}
	s := &c.side[dir]
	if s.pings == nil {
		s.pings = new(pings)
	}
	p := &s.pings[m.PingID%keptPings]
	if !fresh {
		p.again = p.again || p.id == m.PingID
		return
	}
	c.settlePing(dir, p)
	*p = ping{frame: c.Frame.Frame, num: num, at: c.Frame.Time, id: m.PingID}
}

// answers matches a PingReply to its request on the other side. It acknowledges
// nothing: the datagram with the request is sent again until a PacketAck came.
func (c *conn) answers(dir dissect.Dir, m *knet.Message) {
	asked := c.side[dir.Other()].pings
	if asked == nil || !m.Whole || len(m.Body) != 1 {
		return
	}
	if p := &asked[m.PingID%keptPings]; p.frame != 0 && p.id == m.PingID && !p.answered && c.Frame.HasTime {
		p.answered, p.took = true, c.Frame.Time-p.at
		c.pong = pong{p.frame, p.took}
		c.Frame.Answers = p.frame
		if !p.again {
			c.c.Dir[dir.Other()].Echoed(p.took, p.frame, c.Frame.Frame, c.Frame.Time)
		}
	}
}

// A pong is the request that a PingReply of the datagram at hand answers.
type pong struct {
	frame uint64 // 0 for none
	took  int64  // ns
}

// settlePing counts the time of a request that is about to be forgotten.
func (c *conn) settlePing(dir dissect.Dir, p *ping) {
	if p.answered && !p.again {
		c.c.Dir[dir].Trips().Pinged(p.at+p.took, p.took)
	}
}

func (c *conn) settlePings(dir dissect.Dir) {
	if kept := c.side[dir].pings; kept != nil {
		for i := range kept {
			c.settlePing(dir, &kept[i])
		}
		c.side[dir].pings = nil
	}
}

// appendTo says how long after its request a PingReply came.
//
//	DATAGRAM id=7 PingReply(3), 35.2 ms after frame 12
func (x pong) appendTo(b []byte) []byte {
	if x.frame == 0 {
		return b
	}
	b = strconv.AppendFloat(append(b, ", "...), float64(x.took)/1e6, 'f', 1, 64)
	return dissect.AppendNumber(b, " ms after frame ", x.frame)
}
