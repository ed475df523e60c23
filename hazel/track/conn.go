package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// limits are those of ids: a receiver takes what is up to 32,768 ahead of the
// newest for new, and every release has given up after ten seconds. Nothing marks
// a first sending, so that what was lost before the capture looks like what the
// capture missed.
var limits = seq.Limits{History: 32768, Keep: 12e9, AckExcess: 1024, Reach: 32, NoBefore: true}

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

	now  uint64         // number of the latest frame
	fr   *dissect.Frame // the frame at hand, nil when none is
	f    *hazel.Frame
	sent seq.Sending
	ack  seq.Acknowledgement
	msg  session.Message
	link func(seq.Position)
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

func newConn(p *pair, fr *dissect.Frame) *conn {
	c, f := p.spare.Take(), p.flow
	c.wants, c.client, c.forced = f.Wants(), -1, p.forced
	c.c = f.Open(fr)
	c.c.Follow(&c.life.state, &c.life.closer, c.timedOut)
	c.c.Dialect = c.forced.String()
	switch c.forced {
	case hazel.AnyDialect:
	case hazel.May14, hazel.May30:
		c.family = c.forced
	default:
		c.family = hazel.AnyPage
	}
	for i := range c.side {
		c.c.Dir[i].SetLimits(limits)
		c.side[i].asm.conn, c.side[i].asm.dir = c, i
		c.side[i].packets.lowMemory = c.wants.LowMemory
	}
	c.link = func(at seq.Position) {
		c.fr.Acks = append(c.fr.Acks, at.Frame)
		f.Acked(at, c.fr.Frame)
	}
	return c
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

// input tracks one decoded datagram.
func (c *conn) input(fr *dissect.Frame, f *hazel.Frame, err *dissect.Error) {
	c.fr, c.f, c.now = fr, f, fr.Frame
	dir := c.c.Count(fr)
	c.c.Malform(fr, err)
	may, judged := c.side[dir].may, false
	if may == 0 {
		may = c.headers().possible(dir)
	}
	switch {
	case c.finished: // too late to change anything
	case c.c.Damaged(fr.Datagram):
		c.count(dir, c.keepsAlive(dir, 0))
		c.side[dir].unread++
	case err != nil && !fr.Cut():
		c.malformed(dir)
		c.side[dir].unread++
		judged = c.secure == nil
	case c.secure != nil:
		c.secure.input(c, dir)
	case err != nil:
		c.count(dir, false)
		c.side[dir].unread++
	default:
		c.track(dir)
		judged = true
	}
	if judged {
		if !c.begun {
			c.sessions().judgeStart(dir)
		}
		c.headers().judgeHeader(dir, may)
		if err == nil && (c.life.byes[0]|c.life.byes[1]) != 0 {
			c.sessions().judgeAfterwards(dir)
		}
	}
	if fr.HasTime {
		c.side[dir].lastSent = fr.Time
		if f.Type != hazel.Acknowledgement {
			c.side[dir].spokeAt = fr.Time
		}
	}
}

// malformed remembers the id that a receiver reads out of a datagram that is too
// short for one: its buffer is filled with zeros, and it acknowledges that.
func (c *conn) malformed(dir int) {
	c.fr.Words |= c.c.Dir[dir].Unnumbered(c.sent.Of(c.fr.Datagram, 0, seq.Unmarked), true)
	b := c.fr.Payload
	if t := c.f.Type; (t == hazel.Reliable || t == hazel.Ping || t == hazel.Hello) && len(b) < 3 {
		id := uint16(0)
		if len(b) == 2 {
			id = uint16(b[1]) << 8
		}
		c.side[dir].junk.add(id)
	}
}

// track turns a datagram of a plain connection into facts. Payloads with the
// Fragmented flag of 2016 have no number; the page gives 03 one, and what stands
// there is taken for one when it follows the ids before it.
func (c *conn) track(dir int) {
	c.knowFamily()
	c.life.heard(dir)
	c.side[1-dir].tries.alone = 0
	s, out := &c.side[dir], &c.c.Dir[dir]
	switch c.f.Type {
	case hazel.None:
		c.unreliable(dir)
	case hazel.Acknowledgement:
		c.acknowledgement(dir)
	case hazel.Disconnect:
		c.fr.Words |= out.Unnumbered(c.sent.Of(c.fr.Datagram, 0, seq.Unmarked), false)
		c.learn(dir, disconnectFact(c.f, c.fr))
		c.disconnect(dir)
	default:
		if !c.f.HasID || c.f.Code == 0x03 && !s.ids.follows(c.f.ID) {
			c.learn(dir, sentSpec)
			c.unreliable(dir)
			return
		}
		n, ok := s.ids.number(c.f.ID)
		if !ok {
			c.late(dir)
			return
		}
		c.numbered(dir, n)
	}
}

// late takes a datagram whose number was thought to be left out.
func (c *conn) late(dir int) {
	c.count(dir, false)
	if c.fr.Words |= c.c.Dir[dir].Unnumbered(c.sent.Of(c.fr.Datagram, 0, seq.Unmarked), true); !c.fr.Words.Has(dissect.Duplicate) && c.f.Type == hazel.Reliable {
		c.msg.Number = c.side[dir].ids.peek(c.f.ID)
		c.deliver(dir, true)
	}
}

// unreliable tracks data without a number: each datagram is a message, but for
// copies.
func (c *conn) unreliable(dir int) {
	c.count(dir, false)
	c.speaks(dir)
	words := c.c.Dir[dir].Unnumbered(c.sent.Of(c.fr.Datagram, 0, seq.Unmarked), false)
	if c.fr.Words |= words; words == 0 {
		c.deliver(dir, false)
	}
}

// numbered tracks a datagram with an id of its own.
func (c *conn) numbered(dir int, n number) {
	out, alive := &c.c.Dir[dir], c.keepsAlive(dir, n.wire)
	c.count(dir, alive)
	c.sent.Of(c.fr.Datagram, n.engine, seq.Unmarked)
	switch out.Place(&c.sent, c.fr.Datagram) {
	case seq.Provisional:
		c.fr.Words |= out.Unnumbered(&c.sent, true)
		return
	case seq.Confirmed:
		c.believe(dir)
	}
	c.believed(dir, n, alive)
	if out.HasRefuted() {
		c.judgeRefuted(dir)
	}
}

// believed tracks a datagram whose id stands in the series of its side.
func (c *conn) believed(dir int, n number, alive bool) {
	s, out := &c.side[dir], &c.c.Dir[dir]
	v := out.Send(&c.sent)
	s.ids.advance(n)
	c.fr.Words |= v.Words
	c.fr.Awaits = c.wants.Links && v.Novelty != seq.Forgotten
	if v.Words&(dissect.Retry|dissect.Duplicate) != 0 {
		c.fr.RetryOf = v.RetryOf
	}
	late := false
	if h := &c.side[1-dir].history; v.Words != 0 || h.any && n.engine <= h.num {
		late = h.any && v.Novelty == seq.First
		h.await(n.engine) // it may have been acknowledged before
	}
	c.learnSending(dir, n)
	c.try(dir, n.engine, v)
	c.deliveries().judgeSending(dir, n, v)
	if late {
		c.deliveries().judgeClaimed(dir, n.engine)
	}
	switch {
	case c.f.Type == hazel.Hello:
		c.sawHello(dir, n, v.Novelty == seq.First)
	case c.f.Type != hazel.Ping:
		c.speaks(dir)
	}
	if v.Novelty == seq.First && !alive {
		c.deliverNumbered(dir, n)
	}
}

// count enters a captured frame by what it is, copies and retries included.
func (c *conn) count(dir int, alive bool) {
	out := &c.c.Dir[dir]
	switch c.f.Type {
	case hazel.Acknowledgement:
		out.Acks++
	case hazel.None, hazel.Reliable, hazel.Fragment, hazel.FragmentStart:
		if !alive {
			out.DataFrames++
		}
	}
	if alive {
		out.KeepAlives++
		c.fr.Words |= dissect.KeepAlive
	}
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
