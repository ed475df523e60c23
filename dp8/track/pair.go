package track

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
)

// maxPending bounds the handshakes of one address pair that are followed at a
// time besides its newest established connection.
const maxPending = 4

// A pair follows the connections of one address pair. Command frames name
// their session; data frames and SACKs belong to the newest connection whose
// handshake was answered (one connection per session id).
type pair struct {
	flow    *session.Flow
	opts    *Options
	judge   func() Judge // nil for none
	learned *probe
	conns   []*conn // oldest first
	active  *conn
	room    *room
}

// A room is what all pairs of a table share.
type room struct {
	frame  dp8.Frame `state:"-"` // of the datagram at hand
	event  *Event
	rings  rings                `state:"-"`
	pieces session.Spare[piece] `state:"-"` // of what waited
}

// rings are those of assemblers in which nothing waits any more, by the power of two that
// their length is: most sides wait for a number now and then, and few at a time.
type rings [7][][]slot

// mostRings bounds the rings of one length that are kept to be used again.
const mostRings = 64

// take gives a ring with room for so many, a power of two. What is in it has to be written
// again.
func (r *rings) take(n int) []slot {
	list := &r[bits.Len(uint(n))-1]
	if k := len(*list); k > 0 {
		ring := (*list)[k-1]
		*list = (*list)[:k-1]
		return ring
	}
	return make([]slot, n)
}

// put takes a ring in which nothing waits any more.
func (r *rings) put(ring []slot) {
	if list := &r[bits.Len(uint(len(ring)))-1]; len(*list) < mostRings {
		*list = append(*list, ring)
	}
}

// newest is the connection that began last.
func (p *pair) newest() *conn { return p.conns[len(p.conns)-1] }

// knows reports the session id of another connection of the pair, or that one
// exists whose id is not known.
func (p *pair) knows(id uint32, but *conn) bool {
	for _, c := range p.conns {
		if c != but && (!c.c.HasSessionID || c.c.SessionID == id) {
			return true
		}
	}
	return false
}
