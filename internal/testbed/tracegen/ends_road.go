package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A road is the way between the two hosts of a session with all that may go wrong on it.
// Places on it are told as shares of the way, 0 at side 0 and 1 at side 1, wherever the
// capture point is.
type road struct {
	t     *Trace
	place float64 // of the capture point
	rules []gate
	alias *sim.Host // the address that a router gives side 0 later; nil before
	known map[*sim.Datagram]bool
}

// A gate decides what becomes of a datagram on a half of its way.
type gate func(d *sim.Datagram, half int) (wait time.Duration, lost bool)

func newRoad(t *Trace, place float64) *road {
	r := &road{t: t, place: place, known: map[*sim.Datagram]bool{}}
	t.Net.Gate = func(d *sim.Datagram, half int) (wait time.Duration, lost bool) {
		if !r.ours(d) {
			return 0, false
		}
		for _, rule := range r.rules {
			w, gone := rule(d, half)
			if gone {
				return 0, true
			}
			wait = max(wait, w)
		}
		return wait, false
	}
	return r
}

// ours reports whether a datagram is between the two hosts.
func (r *road) ours(d *sim.Datagram) bool {
	for _, h := range []*sim.Host{d.From, d.To} {
		if h != r.t.Hosts[0] && h != r.t.Hosts[1] && h != r.alias {
			return false
		}
	}
	return true
}

// passes reports whether a half of the way of a datagram leads over a spot.
func (r *road) passes(d *sim.Datagram, half int, spot float64) bool {
	return (half == 0) == ((d.From.Side == 0) == (spot < r.place))
}

func (r *road) now() time.Duration { return r.t.Net.Clock.Now() }

// during reports whether now is within a time.
func (r *road) during(p Pause) bool { return r.now() >= p.From && r.now() < p.To }

// lose loses what a side sends at a spot for a time, as far as match says so.
func (r *road) lose(side int, spot float64, p Pause, match func(d *sim.Datagram) bool) {
	r.rules = append(r.rules, func(d *sim.Datagram, half int) (time.Duration, bool) {
		return 0, d.From.Side == side && r.passes(d, half, spot) && r.during(p) && (match == nil || match(d))
	})
}

// cut loses everything of both sides at a spot.
func (r *road) cut(spot float64, p Pause) {
	r.lose(0, spot, p, nil)
	r.lose(1, spot, p, nil)
}

// hold keeps what a side sends at a spot until the time is over.
func (r *road) hold(side int, spot float64, p Pause) {
	r.rules = append(r.rules, func(d *sim.Datagram, half int) (time.Duration, bool) {
		if d.From.Side != side || !r.passes(d, half, spot) || !r.during(p) {
			return 0, false
		}
		return p.To - r.now(), false
	})
}

// queue lets what a side sends wait at a spot after what it sent before, from a time on:
// so many bytes a second leave.
func (r *road) queue(side int, spot float64, from time.Duration, rate float64) {
	var free time.Duration
	r.rules = append(r.rules, func(d *sim.Datagram, half int) (time.Duration, bool) {
		if d.From.Side != side || !r.passes(d, half, spot) || r.now() < from {
			return 0, false
		}
		free = max(free, r.now()) + time.Duration(float64(len(d.Payload)+28)/rate*1e9)
		return free - r.now(), false
	})
}

// freeze stops the process of a side for a time: nothing leaves it and what arrives waits
// in its socket. Timers that expired meanwhile fire once, so that nothing is sent again
// several times.
func (r *road) freeze(side int, p Pause) {
	if r.t.Net.Sees != nil {
		r.stop(side, p)
		return
	}
	r.rules = append(r.rules, func(d *sim.Datagram, half int) (time.Duration, bool) {
		switch {
		case d.From.Side == side && half == 0 && r.during(p):
			if n, ok := d.Note.(note.Remark); ok && n.Neutral().Retry {
				return 0, true
			}
			return p.To - r.now(), false
		case d.From.Side != side && half == 1:
			rest := r.t.Paths[1-side].Far.Delay
			if at := r.now() + rest; at >= p.From && at < p.To {
				return p.To - at, false
			}
		}
		return 0, false
	})
}

// stop freezes a process whose machine's wire is seen: what arrives waits for it.
func (r *road) stop(side int, p Pause) {
	r.t.Net.Hold = func(d *sim.Datagram, arrives bool) (time.Duration, bool) {
		if !r.ours(d) || !r.during(p) || (d.From.Side == side) == arrives {
			return 0, false
		}
		n, ok := d.Note.(note.Remark)
		return p.To - r.now(), !arrives && ok && n.Neutral().Retry
	}
}

// natSpot is where the router is that translates the addresses of side 0.
const natSpot = 0.25

// forget lets the router forget the address that it gave to side 0, at a time. What is sent
// there from then on is lost; what side 0 sends leaves from another port.
func (r *road) forget(at time.Duration) {
	a, b := r.t.Hosts[0], r.t.Hosts[1]
	inside := r.place < natSpot
	r.lose(1, natSpot, Pause{at, 1 << 62}, func(d *sim.Datagram) bool { return d.To == a && !r.known[d] })
	r.t.At(at, func() {
		alias := *a
		port := alias.Addr.Port() ^ 0x4321
		r.alias = &alias
		alias.Addr = addrPort(a.Addr.Addr(), port)
		alias.Receive = func(d *sim.Datagram) { a.Receive(d) }
		r.t.Net.Translate = func(d *sim.Datagram, arrives bool) {
			switch {
			case d.From == a && d.To == b && arrives == inside:
				d.From = r.alias
			case d.To == r.alias && inside && !arrives:
				d.To = a
				r.known[d] = true
			}
		}
	})
}
