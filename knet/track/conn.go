package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// What is remembered of each side's numbers. The library sends up to 1,000
// datagrams a second, each PacketID once, and its messages again after 5 s,
// without end (UDPMessageConnection.cpp 301, 584). The page starts at 15 a second
// and tries a datagram every 2 s, 50 times; of old ones the engine's bits tell
// enough.
var (
	libraryLimits = seq.Limits{History: 1 << 14, Keep: 3e9, UnitKeep: 8e9, Past: 1 << 14, AckExcess: 4096, Reach: 32, NoBefore: true, NoAfter: true}
	pageLimits    = seq.Limits{History: 1 << 14, Keep: 20e9, Past: 1 << 14, AckExcess: 128, Reach: 32, NoBefore: true, NoAfter: true}
)

// A conn is one kNet connection: what the texts say, on top of the engine's
// counters.
type conn struct {
	c     *session.Conn
	flow  *session.Flow
	wants *session.Config
	pair  *pair

	client   int // direction of the client, -1 when unknown
	side     [2]side
	life     lifecycle
	shake    shaking
	spare    [2]uint64 // messages of each side that are PingRequests by one map of ids, PingReplies by the other
	spoken   bool      // something besides the handshake was captured
	finished bool      // settled: further frames are only counted

	fr      *dissect.Frame // the frame at hand, nil when none is
	now     uint64         // its number
	d       *knet.Datagram
	sent    seq.Sending
	ack     seq.Acknowledgement
	pong    pong    // of the frame at hand
	faults  []fault // of the frame at hand
	jump    bool    // its PacketID is not the next one
	broken  bool    // a fragment of it is proven wrong
	suspect bool    // it has one, and changes nothing that rules remember
	link    func(seq.Position)
	told    [2]func(num int64, words dissect.Words) // of what each side sent

	suspicions int // against the frame at hand
	named      int // PacketIDs it acknowledges
}

// A side is what is remembered of one sender.
type side struct {
	ids           seq.Serial // PacketIDs
	numbers       seq.Serial // reliable message numbers of Reference
	firsts        [firstIDs]first
	spoke         bool // something besides ConnectSyn and ConnectSynAck was captured
	spokeAt       int64
	pings         *pings // latest PingRequests
	transfers     transfers
	waiting       waiting   // messages of Spec that wait for others
	resends       *resends  // reliable datagrams of Spec
	datagrams     datagrams // for rules
	ending        ending
	ask           asking
	acking        acking
	order         order
	sentTransfers *sentTransfers
	pace          pace
	plain         plain
}

// A first is one of the first datagrams of a series: what begins a new series
// looks much the same.
type first struct {
	seen bool
	num  int64
	ipid uint16
	hash uint64
	time int64
}

func newConn(p *pair, fr *dissect.Frame) *conn {
	c := &conn{flow: p.flow, pair: p, wants: p.flow.Wants(), client: -1}
	c.c = p.flow.Open(fr)
	c.c.Follow(&c.life.state, &c.life.closer, c.timedOut)
	for i := range c.side {
		s := &c.side[i]
		s.ids.Bits, s.numbers.Bits = knet.PacketIDBits, knet.NumberBits
		s.transfers.conn, s.transfers.dir = c, i
		s.waiting.conn, s.waiting.dir = c, i
		if p.params.Dialect == knet.Spec {
			c.c.Dir[i].SetLimits(pageLimits)
		} else {
			c.c.Dir[i].SetLimits(libraryLimits)
		}
		s.datagrams.lowMemory = c.wants.LowMemory
		c.told[i] = s.acknowledged
	}
	if p.decided {
		c.c.Dialect = p.params.Dialect.String()
	}
	c.link = func(at seq.Position) {
		c.fr.Acks = append(c.fr.Acks, at.Frame)
		c.flow.Acked(at, c.fr.Frame)
	}
	return c
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

func (c *conn) knowClient(dir int) {
	if c.client < 0 {
		c.client = dir
		c.c.Roles[dir], c.c.Roles[1-dir] = "client", "server"
	}
}

// input tracks one decoded datagram.
func (c *conn) input(fr *dissect.Frame, d *knet.Datagram, err *dissect.Error) {
	c.fr, c.d, c.now, c.pong, c.suspect = fr, d, fr.Frame, pong{}, false
	c.suspicions, c.named = 0, 0
	dir := c.c.Count(fr)
	c.c.Malform(fr, err)
	switch {
	case err != nil && !fr.Cut():
		c.frames().judgeMalformed(dir, err)
	case c.finished, c.c.Damaged(fr.Datagram), err != nil && err.Offset < 3:
		c.count(dir)
	case d.Type == knet.TypeConnect:
		c.connect(dir)
	default:
		c.datagram(dir)
	}
}

// contents is what the messages of a datagram are, together.
type contents struct {
	application bool
	acks, other bool
	pings       int
}

func (x *contents) see(m *knet.Message) {
	switch m.Kind {
	case knet.Application:
		x.application = true
	case knet.PacketAck:
		x.acks = true
	case knet.PingRequest:
		x.pings++
		x.other = true
	default:
		x.other = true
	}
}

// onlyAcks reports a datagram whose only purpose is to acknowledge.
func (x *contents) onlyAcks() bool { return x.acks && !x.other && !x.application }

// count counts a datagram by what it holds and tracks nothing of it.
func (c *conn) count(dir int) {
	var x contents
	for i := range c.d.Messages {
		if m := &c.d.Messages[i]; m.Known() {
			x.see(m)
		}
	}
	c.enter(dir, &x)
}

// enter adds a captured datagram to the counters, copies and resends included.
func (c *conn) enter(dir int, x *contents) {
	out := &c.c.Dir[dir]
	if x.application {
		out.DataFrames++
	} else if x.onlyAcks() {
		out.Acks++
	}
	if x.pings > 0 {
		out.KeepAlives += uint64(x.pings)
		c.fr.Words |= dissect.KeepAlive
	}
}

// sending describes the datagram at hand to the engine.
func (c *conn) sending(num int64, mark seq.Mark) *seq.Sending {
	return c.sent.Of(c.fr.Datagram, num, mark)
}

// describe describes the datagram at hand, which has a PacketID, to the engine. The
// library never sends a PacketID again; the page sends the datagram again.
func (c *conn) describe(num int64) *seq.Sending {
	if c.d.Dialect == knet.Spec {
		return c.sending(num, seq.Unmarked)
	}
	sent := c.sending(num, seq.MarkFirst)
	sent.Exact = true
	return sent
}

// datagram tracks a numbered datagram.
func (c *conn) datagram(dir int) {
	out, num := &c.c.Dir[dir], c.side[dir].ids.Peek(c.d.PacketID)
	if c.c.Dir[1-dir].HasProvisional() {
		c.confirmAcked(1 - dir)
	}
	sent := c.describe(num)
	c.frames().inspect()
	if len(c.faults) > 0 {
		apart := c.frames().isApart(dir, num)
		c.suspect = apart || c.frames().doubtful(dir)
		if apart {
			c.frames().judgeApart(dir)
			return
		}
	}
	switch out.Place(sent, c.fr.Datagram) {
	case seq.Provisional:
		c.fr.Words |= out.Unnumbered(sent, true)
		c.judgeProvisional(dir, sent)
		c.count(dir)
		return
	case seq.Confirmed:
		c.believe(dir)
		c.frames().inspect()
	}
	c.believed(dir, num)
	if out.HasRefuted() {
		c.judgeRefuted(dir)
	}
}

// believed tracks a datagram whose PacketID stands in the series of its side.
func (c *conn) believed(dir int, num int64) {
	s, out, sent := &c.side[dir], &c.c.Dir[dir], &c.sent
	known, _ := out.Captured(num)
	if !known {
		c.frames().judge(dir, sent) // it can be no copy
		if c.suspect && c.frames().isApart(dir, num) {
			c.frames().judgeApart(dir)
			return
		}
	}
	s.ids.Advance(num)
	s.keepFirst(c.d.PacketID, sent)
	sent.NoAck = !c.d.Reliable
	v := out.Send(sent)
	c.fr.Words |= v.Words
	if v.Words&(dissect.Retry|dissect.Duplicate) != 0 {
		c.fr.RetryOf = v.RetryOf
	}
	if c.d.Dialect == knet.Spec && c.d.Reliable {
		s.repeated(v)
	}
	c.frames().pronounce()
	if known && !v.Words.Has(dissect.Duplicate) {
		c.frames().judge(dir, sent)
	}
	c.speaks(dir)
	c.messages(dir, num, v.Novelty == seq.First)
}

func (s *side) keepFirst(id uint32, sent *seq.Sending) {
	if id < firstIDs && !s.firsts[id].seen {
		s.firsts[id] = first{true, sent.Num, sent.IPID, sent.Hash, sent.Time}
	}
}

// messages tracks the messages of a datagram; fresh says that no copy of it was
// captured before.
func (c *conn) messages(dir int, num int64, fresh bool) {
	if c.d.Plain && c.d.Dialect != knet.Spec && c.wants.Messages == session.CountMessages {
		c.frames().countMessages(dir, num, fresh)
		return
	}
	var x contents
	if fresh && c.d.Dialect == knet.Spec {
		fresh = c.freshContent(dir, num)
	}
	for i := range c.d.Messages {
		m := &c.d.Messages[i]
		if !m.Known() {
			continue // cut by the capture
		}
		x.see(m)
		if c.d.Dialect == knet.Spec && m.Kind != knet.ConnectSyn && m.Kind != knet.ConnectSynAck {
			c.says(dir)
		}
		isNew := fresh
		if m.IsReliable() && c.d.Dialect != knet.Spec {
			isNew = c.numbered(dir, num, m, fresh)
		}
		if m.Kind != knet.Application {
			c.control(dir, num, m, fresh)
			continue
		}
		c.spoken = true
		if c.d.Dialect == knet.Spec {
			c.confirm(dir)
		}
		if isNew {
			c.application(dir, num, i, m)
		}
	}
	c.enter(dir, &x)
	c.fr.Awaits = c.wants.Links && (c.d.Reliable || c.side[dir].plain.await(num))
	c.judgeAcks(dir, &x)
	for i := range c.side {
		if w := &c.side[i].waiting; w.some() {
			w.release()
		}
	}
}

// numbered tracks the number of a reliable message of Reference, which it keeps
// when it is sent again, and reports whether it is new.
func (c *conn) numbered(dir int, num int64, m *knet.Message, fresh bool) bool {
	s := &c.side[dir]
	n := s.numbers.Peek(m.Number)
	if !fresh {
		return false
	}
	s.numbers.Advance(n)
	v := c.c.Dir[dir].SendUnit(n, num, c.fr)
	if v.Words != 0 && c.fr.RetryOf == 0 {
		c.fr.RetryOf = v.RetryOf
	}
	c.fr.Words |= v.Words
	return v.New
}
