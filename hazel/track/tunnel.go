package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A tunnel is what is followed of Hazel over DTLS: its handshake, the numbers of
// its records, and the messages that their size gives away. What is inside is
// not decoded.
type tunnel struct {
	random   uint64 // of the first ClientHello
	hellos   int    // ClientHellos captured since the server was heard
	first    int64  // when the first of them was captured
	last     int64
	verify   bool // a HelloVerifyRequest was captured
	cookie   bool // the client echoed a cookie
	finished [2]bool
	records  [2]recordSeries
	loose    [2]loose
	doubt    session.Side // whose Disconnect seems to be the first, while that is not certain
}

// loose is what the latest message of a side was, as far as nothing answered it.
type loose struct {
	at   int64 // when it was captured, 0 for none
	trip int64 // the shortest time in which one was answered
}

// A recordSeries numbers the encrypted records of a side. Hazel's own first
// message may leave out 1, after the Finished with 0.
type recordSeries struct {
	highest uint64
	any     bool
	skips   bool
}

func (s *recordSeries) number(wire uint64) seq.Num {
	s.skips = s.skips || s.any && s.highest == 0 && wire == 2
	s.highest, s.any = max(s.highest, wire), true
	if s.skips && wire >= 2 {
		wire--
	}
	return seq.Num(wire)
}

func newTunnel(c *conn) *tunnel {
	c.c.Dialect = hazel.OverDTLS.String()
	return new(tunnel)
}

// helloRandom gives the hash of the random of a ClientHello that begins a
// datagram, and whether it echoes a cookie.
func helloRandom(b []byte) (random uint64, cookie, ok bool) {
	_, rec := hazel.AsRecords(b)
	var h hazel.DTLSHandshake
	if rec.Content != hazel.RecordHandshake || rec.Epoch != 0 || !h.Parse(rec.Body) || !h.Readable || h.Type != hazel.ClientHello {
		return 0, false, false
	}
	return dissect.Digest(h.Body[2:34]), len(h.Cookie) > 0, true
}

// secured reports whether a datagram that starts a connection is one of records.
func (p *pair) secured(fr *dissect.Frame) bool {
	switch p.forced {
	case hazel.OverDTLS:
		return true
	case hazel.AnyDialect:
		b := fr.Payload
		if fr.Cut() {
			return len(b) >= hazel.RecordHeader && b[0] >= hazel.RecordChangeCipherSpec && b[0] <= hazel.RecordApplicationData
		}
		n, _ := hazel.AsRecords(b)
		return n > 0
	}
	return false
}

// renews reports whether a datagram of records starts another connection: a
// fresh ClientHello where a handshake was completed, or records after the end of
// a connection without.
func (p *pair) renews(c *conn, b []byte) bool {
	if len(b) == 0 || b[0] != hazel.RecordHandshake {
		return false
	}
	random, cookie, ok := helloRandom(b)
	if !ok || cookie {
		return false
	}
	if c.secure == nil {
		return c.life.over()
	}
	return c.life.state != session.Opening && random != c.secure.random
}

// input tracks a datagram of records.
func (t *tunnel) input(c *conn, dir dissect.Dir) {
	c.life.heard(dir)
	l := &c.Packet.Records
	out, words, again := &c.c.Dir[dir], dissect.Words(0), false
	for i := range l.List[:l.N] {
		r := &l.List[i]
		switch {
		case r.Epoch == 1:
			x := c.Sent.Of(c.Frame.Datagram, t.records[dir].number(r.Sequence), seq.MarkFirst)
			x.Exact = true
			v := out.Send(x)
			words |= v.Words
			again = again || v.Novelty != seq.First
		case i == 0:
			words |= out.Unnumbered(c.Sent.Of(c.Frame.Datagram, 0, seq.Unmarked), true)
		}
	}
	c.Frame.Words |= words
	if l.N == 0 {
		return
	}
	for i := range l.List[:l.N] {
		t.record(c, dir, &l.List[i])
	}
	if data := &l.List[l.N-1]; data.Content == hazel.RecordApplicationData {
		t.message(c, dir, data, again)
	}
}

// record tracks a record of the handshake.
func (t *tunnel) record(c *conn, dir dissect.Dir, r *hazel.Record) {
	switch {
	case r.Content == hazel.RecordChangeCipherSpec:
		c.Frame.Words |= dissect.Handshake
	case r.Content == hazel.RecordHandshake && r.Epoch > 0:
		c.Frame.Words |= dissect.Handshake
		t.finished[dir] = true
		if t.finished == [2]bool{true, true} {
			t.establish(c)
		}
	case r.Content == hazel.RecordHandshake:
		c.Frame.Words |= dissect.Handshake
		t.handshake(c, dir, r)
	case r.Content == hazel.RecordAlert && r.Epoch == 0 && len(r.Body) == 2 && r.Body[0] == 2 && c.life.state == session.Opening:
		c.Frame.Words |= dissect.Close
		c.life.state = session.Refused
	}
}

func (t *tunnel) handshake(c *conn, dir dissect.Dir, r *hazel.Record) {
	var h hazel.DTLSHandshake
	if !h.Parse(r.Body) {
		return
	}
	switch h.Type {
	case hazel.ClientHello:
		t.hello(c, dir, &h)
	case hazel.HelloVerifyRequest, hazel.ServerHello:
		c.knowClient(dir.Other())
		t.hellos = 0
		if h.Type == hazel.HelloVerifyRequest && !t.verify {
			t.verify = true
			c.c.Remark("DTLS: the server asked for a cookie")
		}
	}
}

// hello tracks a ClientHello.
func (t *tunnel) hello(c *conn, dir dissect.Dir, h *hazel.DTLSHandshake) {
	if h.Readable && len(h.Body) >= 34 && t.random == 0 {
		t.random = dissect.Digest(h.Body[2:34])
	}
	c.knowClient(dir)
	c.c.Complete = c.c.Complete || len(h.Cookie) == 0
	c.c.DetectedBy = max(c.c.DetectedBy, session.ByHandshake)
	if len(h.Cookie) > 0 && !t.cookie {
		t.cookie = true
		c.c.Remark("DTLS: the client returned the cookie")
	}
	if c.life.state == session.StateUnknown {
		c.life.state = session.Opening
	}
	if t.hellos == 0 {
		t.first = c.Frame.Time
	}
	t.hellos++
	t.last = c.Frame.Time
}

func (t *tunnel) establish(c *conn) {
	if c.life.state == session.Opening {
		c.life.state = session.Established
	}
}

// message tracks an encrypted message by its size.
func (t *tunnel) message(c *conn, dir dissect.Dir, r *hazel.Record, again bool) {
	out := &c.c.Dir[dir]
	t.establish(c)
	switch r.Carries() {
	case hazel.Acknowledgement:
		out.Acks++
		c.side[dir.Other()].tries.pings = 0
		t.loose[dir.Other()].answered(c.Frame.Time)
	case hazel.Ping:
		t.loose[dir].at = c.Frame.Time
		out.KeepAlives++
		c.Frame.Words |= dissect.KeepAlive
		if x := &c.side[dir].tries; !again {
			x.pinged(c.Frame)
		}
	case hazel.Disconnect:
		t.leaves(c, dir)
	default:
		out.DataFrames++
		t.loose[dir].at = c.Frame.Time
	}
}

// answered notes an acknowledgement.
func (l *loose) answered(now int64) {
	if l.at == 0 {
		return
	}
	if trip := now - l.at; l.trip == 0 || trip < l.trip {
		l.trip = max(trip, 1)
	}
	l.at = 0
}

// leaves tracks a Disconnect. One with data can't be told from other messages by its size:
// where the last message of the other side went unanswered, and this one comes within a
// round trip, either may have closed the connection.
func (t *tunnel) leaves(c *conn, dir dissect.Dir) {
	l, first := &c.life, !c.life.gone(0) && !c.life.gone(1)
	c.disconnect(&c.side[dir])
	switch x := &t.loose[dir.Other()]; {
	case first && l.gone(dir) && x.at != 0 && c.Frame.Time-x.at <= x.trip+jitter:
		t.doubt, l.closer = l.closer, session.NoSide
	case t.doubt != session.NoSide && l.gone(0) && l.gone(1): // it is answered, so the other side had not left
		l.closer, t.doubt = t.doubt, session.NoSide
	}
}

// silent reports a handshake that nothing answered until its client gave up.
func (t *tunnel) silent(c *conn, end int64) bool {
	return c.life.state == session.Opening && t.hellos >= oldTries && t.last-t.first >= FullLife-LongestWait && end-t.last >= LongestWait
}
