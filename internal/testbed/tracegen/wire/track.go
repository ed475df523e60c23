package wire

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"time"
)

// A track is one direction between two sockets.
type track struct {
	loop     *loop
	from, to *socket
	flying   []flight
	sent     int
	lost     int // by the system: a buffer was full
}

// A flight is a datagram that was sent and is not received yet.
type flight struct {
	print
	at   time.Duration // by the real clock, when the loop looked last
	done func(arrived bool)
}

// A route is how an arrival finds its track.
type route struct {
	on   *socket
	from netip.AddrPort
}

// timeout is how long a datagram may take from one socket of this process to
// another before it counts as lost.
const timeout = 10 * time.Second

// lay makes a track.
func (l *loop) lay(from, to *socket) *track {
	t := &track{loop: l, from: from, to: to}
	l.routes[route{to, from.addr}] = t
	return t
}

// remove takes a track up: what is on it is lost.
func (l *loop) remove(t *track) {
	delete(l.routes, route{t.to, t.from.addr})
	t.expire(l.looked + 2*timeout)
}

// send sends a datagram.
func (t *track) send(payload []byte, done func(arrived bool)) {
	t.expire(t.loop.looked)
	t.sent++
	t.flying = append(t.flying, flight{printOf(payload), t.loop.looked, done})
	if _, err := t.from.conn.WriteToUDPAddrPort(payload, t.to.addr); err != nil {
		t.flying = t.flying[:len(t.flying)-1]
		t.loop.fail(err)
		done(false)
	}
}

// receive finds what arrived. It reports false for what was never sent here.
func (t *track) receive(a arrival) bool {
	i := slices.IndexFunc(t.flying, func(f flight) bool { return f.print == a.print })
	if i < 0 {
		return false
	}
	f := t.flying[i]
	t.flying = slices.Delete(t.flying, i, i+1)
	f.done(true)
	return true
}

// expire gives up what is too long under way.
func (t *track) expire(now time.Duration) {
	for len(t.flying) > 0 && now-t.flying[0].at > timeout {
		f := t.flying[0]
		t.flying = slices.Delete(t.flying, 0, 1)
		t.lost++
		f.done(false)
	}
}

func isClosed(err error) bool { return errors.Is(err, net.ErrClosed) }
