package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// What is remembered of each side's numbers. The library sends up to 1,000
// datagrams a second, each PacketID once, and its messages again after 5 s,
// without end (UDPMessageConnection.cpp 301, 584). The page starts at 15 a second
// and tries a datagram every 2 s, 50 times; of old ones the engine's bits tell
// enough.
var (
	libraryLimits = seq.Limits{History: 1 << 14, Keep: 3e9, UnitKeep: 8e9, Past: 1 << 14, AckExcess: 4096, Reach: 32, Wide: true, NoBefore: true, NoAfter: true}
	pageLimits    = seq.Limits{History: 1 << 14, Keep: 20e9, UnitKeep: 4e9, Past: 1 << 14, AckExcess: 128, Reach: 32, Wide: true, NoBefore: true, NoAfter: true}
)

// A conn is one kNet connection: what the texts say, on top of the engine's
// counters.
type conn struct {
	c     *session.Conn
	flow  *session.Flow
	wants *session.Config
	pair  *pair
	judge Judge // nil for none

	client   dissect.Dir // direction of the client, -1 when unknown
	side     [2]side
	life     lifecycle
	spare    [2]uint64 // messages of each side that are PingRequests by one map of ids, PingReplies by the other
	spoken   bool      // something besides the handshake was captured
	finished bool      // settled: further frames are only counted

	Event   // the datagram at hand
	ack     seq.Acknowledgement
	carrier seq.Carrier `state:"-"` // of it, while it is one
}

// A side is what is remembered of one sender.
type side struct {
	dir       dissect.Dir
	out       *seq.Direction // what it sends
	peer      *side
	ids       seq.Serial // PacketIDs
	numbers   seq.Serial // reliable message numbers of Reference
	firsts    [firstIDs]first
	spoke     bool // something besides ConnectSyn and ConnectSynAck was captured
	spokeAt   int64
	pings     pings // latest PingRequests
	transfers transfers
	waiting   waiting  // messages of Spec that wait for others
	resends   *resends // reliable datagrams of Spec
	bits      ackBits  // of its PacketAcks, with Spec
	plain     plain
	cuts      cuts
	habits    int  // datagrams with no more than a small fault
	lowMemory bool // little is to be kept
}

// A first is one of the first datagrams of a series: what begins a new series
// looks much the same.
type first struct {
	num  seq.Num
	hash uint64
	time int64
	ipid uint16
	seen bool
}

// began notes that the start of the connection was captured.
func (c *conn) began() {
	c.c.Complete = true
	if c.life.state == session.StateUnknown {
		c.life.state = session.Opening
	}
	for i := range c.c.Dir {
		c.c.Dir[i].Begin(0)
	}
}

// started reports whether a numbered datagram was captured before.
func (c *conn) started() bool {
	_, a := c.c.Dir[0].Window().Highest()
	_, b := c.c.Dir[1].Window().Highest()
	return a || b
}

func (c *conn) knowClient(dir dissect.Dir) {
	if c.client < 0 {
		c.client = dir
		c.c.Roles[dir], c.c.Roles[dir.Other()] = "client", "server"
	}
}

// transmission describes the datagram at hand to the engine.
func (c *conn) transmission(num seq.Num, mark seq.Mark) *seq.Sending {
	return c.Sent.Of(c.Frame.Datagram, num, mark)
}
