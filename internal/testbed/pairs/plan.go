package pairs

import (
	"cmp"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A Plan says how a session is captured at two points.
type Plan struct {
	At     [2]sim.Place
	Points [2]Capture
	NAT    NAT
	Rebind time.Duration // since the beginning: the router gives the clients other ports; 0 never
	NewIDs bool          // identifications of IPv4 are others at the point that a datagram passes second
	Hops   uint8         // by which TTLs are lower at the point that a datagram passes second
}

// A Capture is how one point captures.
type Capture struct {
	Clock    Clock
	Miss     float64 // share of the packets that are not captured
	Burst    int     // of those, so many in a row in the mean; 0 and 1: scattered
	From, To float64 // it runs from this share of the session to that; To 0 is to the end
	Snaplen  int     // bytes kept of a packet, 0 for all
	PcapNG   bool    // else pcap; both to the microsecond
	Raw      bool    // IP without link layer, else Ethernet
}

// A NAT is what changes addresses between the points.
type NAT uint8

const (
	NoNAT  NAT = iota
	Router     // the clients' addresses
	Proxy      // those of both sides
)

// A Clock is what a capture takes its times from.
type Clock struct {
	Offset time.Duration // ahead of the true time at the beginning
	PPM    float64       // by which it is too fast
	Steps  []Step        // in the order of their times
}

// A Step is a time at which somebody sets a clock.
type Step struct {
	At time.Duration // since the beginning, true time
	By time.Duration
}

// Tell is what the clock shows at a true time, both in ns; the session begins at start.
func (c *Clock) Tell(start, t int64) int64 {
	shown := t + int64(c.Offset) + int64(c.PPM*1e-6*float64(t-start))
	for _, s := range c.Steps {
		if t >= start+int64(s.At) {
			shown += int64(s.By)
		}
	}
	return shown
}

// order is the place of a capture point on the way from side 0 to side 1.
func order(p sim.Place) int { return [...]int{0, 2, 1}[p] }

// first is the point, 0 or 1, that datagrams of a side pass first.
func (p *Plan) first(side int) int {
	if (order(p.At[0]) <= order(p.At[1])) == (side == 0) {
		return 0
	}
	return 1
}

// Offset is how much the second clock is ahead of the first one at a true time, ns.
func (p *Plan) Offset(start, t int64) int64 {
	return p.Points[1].Clock.Tell(start, t) - p.Points[0].Clock.Tell(start, t)
}

// Changes are the times since the beginning at which the clocks' difference changes, and by
// how much.
func (p *Plan) Changes() (all []Step) {
	for i, c := range p.Points {
		for _, s := range c.Clock.Steps {
			if i == 0 {
				s.By = -s.By
			}
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b Step) int { return cmp.Compare(a.At, b.At) })
	return all
}
