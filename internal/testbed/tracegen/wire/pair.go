package wire

import (
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A pair is two ends that speak, and the tracks between them.
type pair struct {
	live   *tracegen.Live
	tracks [2][3]*track // by side of the sender and stretch; nil where there is no wire
	closed bool
}

// carry is the network's Carrier.
func (p *pair) carry(d *sim.Datagram, s sim.Stretch, done func(arrived bool)) {
	t := p.tracks[d.From.Side][s]
	switch {
	case p.closed:
		done(false)
	case t == nil:
		done(true)
	default:
		t.send(d.Payload, done)
	}
}

// close ends both processes and takes the tracks up. It gives how many datagrams
// the system lost.
func (p *pair) close(l *loop) (lost int) {
	p.live.Kill()
	p.closed = true
	for _, side := range p.tracks {
		for _, t := range side {
			if t != nil {
				l.remove(t)
				lost += t.lost
			}
		}
	}
	return lost
}
