package track

import (
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
)

// A pair follows the connections of one address pair, one after the other.
type pair struct {
	flow    *session.Flow
	forced  hazel.Dialect // by the user
	learned *probe
	judge   func() Judge // makes what looks at a connection, nil for nothing
	active  *conn
	rested  bool // active was over for long, and settled
	*room
}

// A room is what all pairs of a table share.
type room struct {
	frame hazel.Frame `state:"-"` // of the datagram at hand
	event *Event
	spare session.Spare[conn]
}

// Trim implements session.Trimmer.
func (r *room) Trim() { r.spare.Trim() }

// Times in which a Hello belongs to the connection at hand, in ns.
const (
	attemptGap = 8e9 // between two transmissions of the Hello that opens, at first
	overtaken  = 2e9 // by which the path may delay a Hello after later data
	refusalGap = 3e9 // between a refusal and the last Hello it answers
	freshGap   = 1024

	firstAnswers = 16 // ids a server reaches before the Hello is sent again
)
