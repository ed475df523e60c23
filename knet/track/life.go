package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// lifecycle is how far the connection has come.
type lifecycle struct {
	state     session.State
	closer    session.Side // whose Disconnect came first
	closeAt   int64
	answered  bool   // the server spoke
	answer    uint64 // frame of its only ConnectSynAck, until the client answers; 0 for none or several
	heard     [2]bool
	heardAt   [2]int64    // latest datagram of each side
	connects  int         // ConnectSyn or connect datagrams
	connectAt int64       // when the latest of them was captured
	pingAt    [2]int64    // latest PingRequest of each side
	acked     [2]bool     // a DisconnectAck of the side was captured
	gone      dissect.Dir // side that an ICMP notice tells of
	goneAt    int64
	before    session.State // before that notice
}

// over reports whether the connection has ended.
func (l *lifecycle) over() bool {
	return l.state >= session.Closed
}
