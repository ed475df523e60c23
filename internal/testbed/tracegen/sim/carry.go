package sim

import "math/rand/v2"

// A Stretch is a part of the way of a datagram that a Carrier may take it over.
// The segments with their losses and delays lie between the stretches.
//
//	host ── Leave ── near segment ── Pass ── far segment ── Enter ── host
type Stretch uint8

const (
	Leave Stretch = iota // from the sender to the near segment
	Pass                 // by the capture point, which sees it here
	Enter                // from the far segment to the receiver
)

// A Carrier takes a datagram over a stretch. It calls done once: at the other end,
// or when the datagram is lost. On a stretch that is none of its own it does so at
// once.
type Carrier func(d *Datagram, s Stretch, done func(arrived bool))

// carry takes a datagram over a stretch. It is under way until then, which goes on
// from there and settles that.
func (n *Network) carry(d *Datagram, s Stretch, then func()) {
	if n.Carry == nil {
		then()
		return
	}
	n.Carry(d, s, func(arrived bool) {
		if arrived {
			then()
			return
		}
		n.drop(d)
	})
}

// together is how many packets of a datagram move as one: all that are carried.
func (n *Network) together(d *Datagram) int {
	if n.Carry != nil {
		return d.Parts
	}
	return 1
}

// address tells what is known of a datagram that is carried. Of IPv4 who carries it
// gives an identification to each copy, some number but 0.
func (n *Network) address(d *Datagram) {
	d.Parts = 1
	if d.From.Addr.Addr().Is6() {
		return
	}
	d.ID, d.FreshIDs = 1, true
	if size := 8 + len(d.Payload); size+20 > n.MTU {
		// All but the last are of a multiple of 8 bytes.
		room := (n.MTU - 20) &^ 7
		d.Parts = 1 + (size-(n.MTU-20)+room-1)/room
	}
}

// Throw gives each segment of each direction dice of its own, so that what becomes
// of its nth datagram does not depend on what the other side sends when.
func (n *Network) Throw(seed uint64) {
	for side := range n.lanes {
		for half := range n.lanes[side] {
			n.lanes[side][half].dice = rand.New(rand.NewPCG(seed, uint64(4+2*side+half)))
		}
	}
}
