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
// Estimation): of each lower bits of ids one.
type pings []ping

// at gives the request with the lower bits of an id, nil for none.
func (l pings) at(id uint8) *ping {
	for i := range l {
		if l[i].id%keptPings == id%keptPings {
			return &l[i]
		}
	}
	return nil
}

// A ping is a PingRequest that was captured. Its time is counted only when it is
// forgotten: a request that was captured twice tells no round trip.
type ping struct {
	frame    uint64  // of the first captured copy
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
	asked, p := ping{frame: c.Frame.Frame, num: num, at: c.Frame.Time, id: m.PingID}, s.pings.at(m.PingID)
	switch {
	case p == nil && fresh:
		s.pings = append(s.pings, asked)
	case fresh:
		c.settlePing(dir, p)
		*p = asked
	case p != nil:
		p.again = p.again || p.id == m.PingID
	}
}

// answers matches a PingReply to its request on the other side. It acknowledges
// nothing: the datagram with the request is sent again until a PacketAck came.
func (c *conn) answers(dir dissect.Dir, m *knet.Message) {
	if !m.Whole || len(m.Body) != 1 {
		return
	}
	if p := c.side[dir.Other()].pings.at(m.PingID); p != nil && p.id == m.PingID && !p.answered && c.Frame.HasTime {
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
	for i := range c.side[dir].pings {
		c.settlePing(dir, &c.side[dir].pings[i])
	}
	c.side[dir].pings = nil
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
