package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A conn is one connection: what the page says, on top of the engine's
// counters.
type conn struct {
	// What most frames touch comes first, so that it lies in few cache lines.
	c        *session.Conn
	*Event         // at hand: one value for all connections of a table
	judge    Judge // nil for none
	wants    *session.Config
	flow     *session.Flow
	forced   hazel.Dialect
	family   hazel.Dialect // May14 or May30, anyPage for the others, AnyDialect before it is known
	client   dissect.Dir   // direction of the client, -1 when unknown
	secure   *tunnel       // DTLS; nil for a plain connection
	blank    bool          // nothing of its datagrams was captured yet
	finished bool          // settled: further frames are only counted
	follows  bool          // there was another one before on the pair
	hello    opening
	life     lifecycle
	side     [2]side

	replaced int64            // when another one followed on the pair
	left     hazel.DialectSet // those that fit both sides, where there are several
}

// A side is what is remembered of one sender.
type side struct {
	// What most frames touch comes first, so that it lies in few cache lines.
	out      *seq.Direction // what the engine knows of it; nil once the connection is settled
	peer     *side
	dir      dissect.Dir
	records  records
	several  seq.Few[further] // of those
	ids      series
	facts    facts
	may      hazel.DialectSet // see possible, 0 when what it depends on has changed
	reading  hazel.Dialect    // see reads, AnyDialect likewise
	lastSent int64            // time of its last datagram
	spokeAt  int64            // … that was no acknowledgement, 0 for never
	strays   []*Stray         // acknowledgements of ids that it never sent
	Span
	history lastAcks // what it acknowledged last
	tries   tries

	asm     assembler
	beatID  uint16         // id of its last Hello that was a keepalive
	beats   bool           // it keeps alive with empty Reliables
	flags   bool           // it sends both flags of the page, and an id after them
	empties *recentNumbers // Reliables without data that were no keepalives; nil for none
	special *dialectIDs    // nil for none
	junk    junkIDs        // ids a receiver may read out of what is malformed
}

// reads is the dialect to decode a datagram of a side in.
func (c *conn) reads(s *side) hazel.Dialect {
	if s.reading == hazel.AnyDialect {
		s.reading = c.reading(s)
	}
	return s.reading
}

// reading gives the dialect whose types and layouts all have that a side may speak.
func (c *conn) reading(s *side) hazel.Dialect {
	switch {
	case c.forced != hazel.AnyDialect:
		return c.forced
	case c.secure != nil:
		return hazel.OverDTLS
	case c.family != hazel.AnyPage:
		return c.family
	case s.facts.pings():
		return hazel.Current
	}
	switch c.dialects(s) {
	case hazel.SetOf(hazel.V01):
		return hazel.V01
	case hazel.SetOf(hazel.Spec):
		return hazel.Spec
	}
	return hazel.AnyPage
}
