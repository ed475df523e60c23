package track

import (
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
	learned *probe
	conns   []*conn // oldest first
	active  *conn
	frame   *dp8.Frame // of the datagram at hand, one for all pairs of a table
}

// newest is the connection that began last.
func (p *pair) newest() *conn { return p.conns[len(p.conns)-1] }
