package track

import (
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A conn is one connection: what the page says, on top of the engine's
// counters.
type conn struct {
	c     *session.Conn
	wants *session.Config

	forced   hazel.Dialect
	family   hazel.Dialect // May14 or May30, anyPage for the others, AnyDialect before it is known
	client   int           // direction of the client, -1 when unknown
	hello    opening
	side     [2]side
	life     lifecycle
	secure   *tunnel // DTLS; nil for a plain connection
	blank    bool    // nothing of its datagrams was captured yet
	finished bool    // settled: further frames are only counted
	follows  bool    // there was another one before on the pair
	replaced int64   // when another one followed on the pair
	begun    bool    // its first datagram was judged

	event // the frame at hand
	ack   seq.Acknowledgement
	msg   session.Message
	link  func(seq.Position)
}

// A side is what is remembered of one sender.
type side struct {
	ids   series
	facts facts
	asm   assembler
	tries tries

	lastSent int64    // time of its last datagram
	spokeAt  int64    // … that was no acknowledgement, 0 for never
	beatID   uint16   // id of its last Hello that was a keepalive
	beats    bool     // it keeps alive with empty Reliables
	junk     junkIDs  // ids a receiver may read out of what is malformed
	history  lastAcks // what it acknowledged last

	// What rules ask for.
	may        hazel.DialectSet // see possible, 0 when what it depends on has changed
	packets    sentPackets      // reliable packets
	top        topmost
	low        number // first captured
	lowFrame   uint64
	lowAt      int64
	jump       int64 // the longest step forward
	sendings   int   // of reliable packets, resends among them
	resendings int
	largest    uint16 // payload acknowledged
	swapped    int    // ids in a row that step by 256
	early      int    // resends before an answer could come
	renewed    bool   // its numbers began anew
	odd        *oddity
	strays     []*stray // acknowledgements of ids it never sent
	gaps       seq.Gaps
	copies     copies
	denied     denied
	claims     claims
	unread     int // datagrams of which it is not known what they were
	beat       beats
	forgotten  forgotten
	payloads   payloads
	toldAfter  bool
}

// reads is the dialect to decode a datagram of a side in.
func (c *conn) reads(dir int) hazel.Dialect {
	switch s := &c.side[dir]; {
	case c.forced != hazel.AnyDialect:
		return c.forced
	case c.secure != nil:
		return hazel.OverDTLS
	case c.family != hazel.AnyPage:
		return c.family
	case s.facts.pings():
		return hazel.Current
	case s.facts.has(sentV01):
		return hazel.V01
	case s.facts.has(shortHello):
		return hazel.Spec
	}
	return hazel.AnyPage
}

// Keepalives before Ping: how long a side was silent before an empty Reliable.
const (
	beatSilence = 1e9
	specSilence = 5e9
)

// keepsAlive reports a keepalive of its era: Ping; before 2018-12 a Hello behind
// that of the start, without data; in 2016-05 an empty Reliable after a silence,
// which the page allows, too. From a side that was seen to do so, each is one.
func (c *conn) keepsAlive(dir int, wire int64) bool {
	switch f := c.f; {
	case f.Type == hazel.Ping:
		return true
	case f.Type == hazel.Hello:
		return c.fr.Length <= 4 && !c.opens(dir, wire)
	case f.Type != hazel.Reliable || len(f.Data) > 0 || c.fr.Cut() || !c.fr.HasTime:
		return false
	}
	s := &c.side[dir]
	if s.beats { // the first sending of this one may not have been captured
		return true
	}
	silence := int64(beatSilence)
	if c.family == hazel.AnyPage {
		silence = specSilence
		if d, _ := s.facts.can(c.family).One(); d != hazel.Spec || s.facts.has(beatHello|beatShort) {
			return false
		}
	}
	begun := c.hello.known || c.family == hazel.AnyPage // the silence began before the capture
	if s.spokeAt == 0 && begun || c.fr.Time-s.spokeAt < silence {
		return false
	}
	s.beats = true
	return true
}
