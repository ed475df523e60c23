package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Give-up times, in ns (kNet page, Characteristic Values; kNet 715850d,
// UDPMessageConnection.cpp 373-387): a side that hears nothing for lostTime is
// alone. The library looks only when it pings, which is pingGap after the ping
// before. What goes on for longer than mootTime had answers that were not captured.
const (
	lostTime    = 15e9
	pingGap     = 3.5e9
	lastTrySpec = 10e9 // the last ping of the page may be a ping interval old
	lastTryLib  = lostTime - pingGap
	mootTime    = 30e9
	ConnectTime = 10e9 // ConnectTimeOut; the library waits without end
)

// speaks notes a datagram of a side. In Opening, the server's first one, and with
// Spec what the client says after the server's answer, establish the connection.
func (c *conn) speaks(dir dissect.Dir) {
	l := &c.life
	l.heard[dir] = true
	if c.Frame.HasTime {
		l.heardAt[dir] = max(l.heardAt[dir], c.Frame.Time)
	}
	if l.state == session.Reset && dir == l.gone && c.Frame.Time-l.goneAt >= RestartGap {
		l.state = l.before // the notice was wrong, or forged
	}
	if l.state != session.Opening || c.Datagram.Dialect == knet.Spec {
		return
	}
	if l.connects > 0 && dir != c.client || l.heard == [2]bool{true, true} {
		l.state = session.Established
	}
}

// connect tracks the connect datagram of Reference.
func (c *conn) connect(dir dissect.Dir) {
	c.Frame.Words |= dissect.Handshake | c.c.Dir[dir].Unnumbered(c.transmission(0, seq.Unmarked), true)
	c.c.DetectedBy = max(c.c.DetectedBy, session.ByHandshake)
	if b := c.Datagram.Connect; len(b) >= 3 {
		id, _ := knet.PacketID(b, knet.Reference)
		c.pair.opener = id + 1
	}
	if c.started() {
		return
	}
	c.life.connects++
	c.life.connectAt = c.Frame.Time
	c.knowClient(dir)
	c.began()
}

// handshake tracks ConnectSyn, ConnectSynAck and ConnectAck of Spec.
func (c *conn) handshake(dir dissect.Dir, k knet.Kind) {
	l := &c.life
	c.Frame.Words |= dissect.Handshake
	c.c.DetectedBy = max(c.c.DetectedBy, session.ByHandshake)
	switch k {
	case knet.ConnectSyn:
		c.knowClient(dir)
		l.connects++
		l.connectAt = c.Frame.Time
		if !c.spoken {
			c.began()
		}
	case knet.ConnectSynAck:
		c.knowClient(dir.Other())
		l.answer = c.Frame.Frame
		if l.answered {
			l.answer = 0
		}
		l.answered = true
		if !c.spoken && l.state == session.StateUnknown {
			l.state = session.Opening // the ConnectSyn was not captured
		}
	case knet.ConnectAck:
		c.knowClient(dir)
		c.Frame.Answers, l.answer = l.answer, 0
		if l.state == session.Opening {
			l.state = session.Established
		}
	}
}

// confirm notes a message of Spec other than those of the handshake: the
// client's first one stands for ConnectAck (AMB-KN-21).
func (c *conn) confirm(dir dissect.Dir) {
	l := &c.life
	if l.state == session.Opening && (dir == c.client || l.answered) {
		l.state = session.Established
	}
}

// closing tracks Disconnect and DisconnectAck.
func (c *conn) closing(dir dissect.Dir, k knet.Kind) {
	l := &c.life
	c.Frame.Words |= dissect.Close
	if c.Doubtful && len(c.Faults) > 0 && c.Datagram.Dialect != knet.Spec {
		return // what follows would be taken for the next connection
	}
	side := session.Side(dir + 1)
	switch {
	case l.state == session.Refused:
	case k == knet.DisconnectAck && c.Datagram.Dialect == knet.Spec && l.state == session.Opening && l.closer == session.NoSide:
		l.state = session.Refused // kNet page, Session Management (AMB-KN-24)
	case k == knet.DisconnectAck:
		l.acked[dir] = true
		l.close()
	default:
		l.close()
		if alone := c.Frame.Time - l.heardAt[dir.Other()]; l.heard[dir.Other()] && l.closer == session.NoSide && alone >= lostTime && alone <= mootTime {
			l.state = session.TimedOut // it gave up; an answer would prove otherwise
		}
		switch l.closer {
		case session.NoSide:
			l.closer, l.closeAt = side, c.Frame.Time
		case side, session.BothSides:
		default:
			if !l.acked[dir] && c.Frame.Time-l.closeAt <= c.roundTrip() {
				l.closer = session.BothSides
			}
		}
	}
}

// close notes that a graceful close was captured.
func (l *lifecycle) close() {
	if l.state != session.Reset {
		l.state = session.Closed
	}
}

// roundTrip bounds the time within which two Disconnects cross, in ns.
func (c *conn) roundTrip() int64 {
	rtt := max(c.c.Dir[0].MinRTT(), c.c.Dir[1].MinRTT())
	if rtt == 0 {
		return 1e9
	}
	return max(2*rtt, seq.CopyHorizon)
}

// unreachable tracks an ICMP notice that a side can't be reached; answered says
// whether it was ever heard.
func (l *lifecycle) unreachable(side dissect.Dir, answered bool, at int64) {
	switch {
	case l.over():
	case l.state == session.Opening && !answered:
		l.state = session.Refused
	default:
		l.gone, l.goneAt, l.before = side, at, l.state
		l.state = session.Reset
	}
}

// TimedOut implements session.TimeLimit: it reports whether what a side sent was unanswered until it must have given up; end
// is the time of the last packet captured.
func (c *conn) TimedOut(end int64) bool {
	l := &c.life
	if l.over() {
		return false
	}
	spec := c.pair.params.Dialect == knet.Spec
	if l.state == session.Opening && !l.heard[max(c.client, 0).Other()] {
		return spec && l.connects > 0 && end-c.c.FirstTime >= ConnectTime
	}
	if l.heard != [2]bool{true, true} {
		return false
	}
	last := int64(lastTryLib)
	if spec {
		last = lastTrySpec
	}
	for dir := range dissect.Dirs {
		quiet := l.heardAt[dir.Other()]
		alone := l.heardAt[dir] - quiet
		if alone >= last && (spec || alone <= mootTime) && end >= c.givesUp(dir, quiet) {
			return true
		}
	}
	return false
}

// givesUp is when a side gives up that last heard its peer at a time.
func (c *conn) givesUp(dir dissect.Dir, quiet int64) int64 {
	if c.pair.params.Dialect == knet.Spec {
		return quiet + lostTime
	}
	tick := c.life.pingAt[dir]
	if tick <= quiet {
		return quiet + lostTime + pingGap
	}
	for tick-quiet <= lostTime {
		tick += pingGap
	}
	return tick
}

// finish settles the connection. end is the time of the last packet captured.
func (c *conn) finish(end int64) {
	if c.finished {
		return
	}
	c.finished = true
	for i := range c.side {
		s := &c.side[i]
		s.out.Provisionals().End()
		c.refuted(s)
	}
	for dir := range dissect.Dirs {
		ackReading{c}.settleAcks(dir, false) // as they were read
	}
	for dir := range dissect.Dirs {
		if c.judge != nil {
			c.judge.End(dir)
		}
		c.side[dir].settle(c, dir)
	}
	l := &c.life
	if c.TimedOut(end) {
		l.state = session.TimedOut
	}
	c.c.State = l.state
	if l.state == session.Closed || l.state == session.Reset || l.state == session.TimedOut {
		c.c.ClosedBy = l.closer
	}
	c.flow.Finish(c.c)
	c.judge = nil // datagrams are counted from now on and judged no longer
}
