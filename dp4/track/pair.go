package track

import (
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session"
)

// maxConns bounds the pairs of players of one address pair that are followed at
// a time.
const maxConns = 64

// A pair follows the connections of one address pair: one for each pair of
// players.
type pair struct {
	flow   *session.Flow
	judge  func() Judge // nil for none
	conns  []*conn      // those that are followed, oldest first
	active *conn        // the latest that a frame was of
	*room
}

// A room is what all pairs of a table share.
type room struct {
	frame dp4.Frame `state:"-"` // of the datagram at hand
	spare session.Spare[conn]
}

// Trim implements session.Trimmer.
func (r *room) Trim() { r.spare.Trim() }
