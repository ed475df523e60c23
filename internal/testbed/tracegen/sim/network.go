package sim

import (
	"cmp"
	"math/rand/v2"
	"time"
)

// A Tap is the capture point.
type Tap struct {
	Loss   float64       // chance that a packet that passes is not captured
	Start  time.Duration // nothing is captured before
	Stop   time.Duration // nor from here on; 0 means never
	Unseen [2]bool       // packets from this side are not captured
	Link   Link          // how packets are wrapped
}

// A Place is where packets are seen on their way.
type Place uint8

// Places: the wire of the machines of the sides 0 and 1, and the capture point.
const Midway Place = 2

// A Packet is one captured packet.
type Packet struct {
	Frame int // from 1
	Time  time.Duration
	Data  []byte // with the link layer's header
}

// An Observer learns what became of datagrams.
type Observer interface {
	// Captured reports that d is in the capture, whole, once more; d.LastFrame
	// is its last packet.
	Captured(d *Datagram)
	// Delivered reports that d, or the copy that is captured packet frame,
	// arrived; frame is 0 for a copy that is not in the capture.
	Delivered(d *Datagram, frame int)
	// Settled reports that no packet of d is under way any more.
	Settled(d *Datagram)
}

// A Network joins hosts over one capture point.
type Network struct {
	Clock *Clock
	Rand  *rand.Rand
	Tap   Tap
	MTU   int // bytes of an IP packet; IPv4 packets above are sent in fragments

	Observer Observer
	Sink     func(Packet)
	Sent     func(*Datagram) // sees what hosts send, in that order, when not nil

	// Tamper, when not nil, stands between the hosts and the network: what it gives
	// back is sent instead. It makes an endpoint out of one that keeps the rules that
	// breaks them.
	Tamper func(d *Datagram) []Tampered
	Faults []int // numbers of the captured packets that Tamper marked

	// Gate, when not nil, stands before each half of the way, 0 in front of the capture
	// point and 1 after it: it tells how long a packet waits there, or that it is lost.
	Gate func(d *Datagram, half int) (wait time.Duration, lost bool)

	// Translate, when not nil, changes addresses as a router does: of what a host sends,
	// before anybody sees it, and of what arrives, before the host does.
	Translate func(d *Datagram, arrives bool)

	// Sees, when not nil, sees each packet on the wire at a place: as it leaves its machine or
	// passes the capture point, and as it comes to a machine. part counts the packets of d.
	Sees func(d *Datagram, part int, ip []byte, at Place)

	// Hold, when not nil, stops processes: it tells how long a datagram waits in its machine
	// before it leaves, or after the wire before it is read, or that it never leaves.
	Hold func(d *Datagram, arrives bool) (wait time.Duration, lost bool)

	// Damage, when not nil, tells which bytes arrive in the place of a payload that the way
	// after the capture point changes, nil for the same. Where they are broken, the checksum
	// is as it was, and nobody reads them.
	Damage func(d *Datagram) (changed []byte, broken bool)

	// Carry, when not nil, takes whole datagrams over a stretch of the way by
	// means of its own, such as sockets, in its own time.
	Carry Carrier

	lanes  [2][2]lane // by side of the sender; near, far
	frames int
	forger Host // identification counter of injected packets
}

// NewNetwork makes a network whose paths lead from side 0 and from side 1.
func NewNetwork(clock *Clock, rng *rand.Rand, paths [2]Path) *Network {
	n := &Network{Clock: clock, Rand: rng, MTU: 1500}
	n.forger.SetID(0x7000)
	for side, p := range paths {
		n.lanes[side] = [2]lane{{Segment: p.Near}, {Segment: p.Far}}
	}
	return n
}

// SetPath changes the path from a side from now on.
func (n *Network) SetPath(side int, p Path) {
	n.lanes[side][0].Segment, n.lanes[side][1].Segment = p.Near, p.Far
}

// Frames is the number of packets captured.
func (n *Network) Frames() int { return n.frames }

// Send sends d. The network keeps d and its payload.
func (n *Network) Send(d *Datagram) {
	if n.Sent != nil && !d.Injected {
		n.Sent(d)
	}
	if n.Translate != nil {
		n.Translate(d, false)
	}
	if n.Tamper == nil || d.Injected || d.Proto == ProtoICMP {
		n.put(d)
		return
	}
	for _, t := range n.Tamper(d) {
		c := *d
		c.Payload, c.Fault = t.Payload, t.Fault
		n.Clock.Do(t.After, func() { n.put(&c) })
	}
}

// put puts a datagram on its path.
func (n *Network) put(d *Datagram) {
	d.live++ // until all its packets are on the way
	if n.Carry != nil {
		n.address(d)
		n.carry(d, Leave, func() {
			n.travel(d, 0, func() { n.pass(d, 0, nil) })
			n.drop(d)
		})
		return
	}
	wait, lost := n.held(d, false)
	switch {
	case lost:
		n.drop(d)
	case wait > 0:
		n.Clock.Do(wait, func() { n.emit(d) })
	default:
		n.emit(d)
	}
}

// held is how long a process that stands still keeps a datagram.
func (n *Network) held(d *Datagram, arrives bool) (wait time.Duration, lost bool) {
	if n.Hold == nil || d.Injected {
		return 0, false
	}
	return n.Hold(d, arrives)
}

// emit puts the packets of a datagram on the wire.
func (n *Network) emit(d *Datagram) {
	packets := n.encode(d)
	d.Parts = len(packets)
	if n.Damage != nil && d.Parts == 1 && d.Proto != ProtoICMP {
		d.Changed, d.Broken = n.Damage(d)
	}
	for part, p := range packets {
		if d.Injected {
			d.live++
			n.pass(d, part, p)
			continue
		}
		n.seen(d, part, p, Place(d.From.Side))
		n.travel(d, 0, func() { n.pass(d, part, p) })
	}
	n.drop(d)
}

func (n *Network) seen(d *Datagram, part int, ip []byte, at Place) {
	if n.Sees != nil {
		n.Sees(d, part, ip, at)
	}
}

// travel takes a packet over the near (0) or far (1) segment.
func (n *Network) travel(d *Datagram, half int, arrive func()) {
	l := &n.lanes[d.From.Side][half]
	dice := cmp.Or(l.dice, n.Rand)
	copies := l.copies(dice)
	var wait time.Duration
	if n.Gate != nil {
		var lost bool
		if wait, lost = n.Gate(d, half); lost {
			return
		}
	}
	if d.Parts > 1 {
		copies = min(copies, 1) // a doubled fragment would leave half a datagram after
	}
	for i := range copies {
		d.live++
		n.Clock.Do(wait+l.transit(dice, n.Clock.Now()+wait, i), arrive)
	}
}

// pass is a packet at the capture point.
func (n *Network) pass(d *Datagram, part int, ip []byte) {
	d.Passed += n.together(d)
	n.seen(d, part, ip, Midway)
	frame := 0
	if n.captures(d) {
		for range n.together(d) {
			frame = n.capture(d, ip)
		}
	}
	n.carry(d, Pass, func() {
		n.travel(d, 1, func() { n.carry(d, Enter, func() { n.enter(d, part, ip, frame) }) })
		n.drop(d)
	})
}

// capture puts a packet into the capture and gives its number.
func (n *Network) capture(d *Datagram, ip []byte) int {
	n.frames++
	p := Packet{Frame: n.frames, Time: n.Clock.Now()}
	if n.Carry == nil {
		p.Data = n.Tap.Link.wrap(d, ip)
	}
	n.Sink(p)
	d.Captured++
	d.LastFrame = p.Frame
	if d.Fault {
		n.Faults = append(n.Faults, p.Frame)
	}
	if d.Captured%d.Parts == 0 {
		n.Observer.Captured(d)
	}
	return p.Frame
}

func (n *Network) captures(d *Datagram) bool {
	t := n.Clock.Now()
	if t < n.Tap.Start || n.Tap.Stop != 0 && t >= n.Tap.Stop {
		d.Outside++
		return false
	}
	return !n.Tap.Unseen[d.From.Side] && !(n.Tap.Loss > 0 && n.Rand.Float64() < n.Tap.Loss)
}

// enter is a packet on the wire of the machine that it was sent to.
func (n *Network) enter(d *Datagram, part int, ip []byte, frame int) {
	if d.Changed != nil {
		ip = damaged(ip, d)
	}
	n.seen(d, part, ip, Place(d.To.Side))
	if wait, _ := n.held(d, true); wait > 0 {
		n.Clock.Do(wait, func() { n.arrive(d, frame) })
		return
	}
	n.arrive(d, frame)
}

func (n *Network) arrive(d *Datagram, frame int) {
	if d.Broken {
		n.drop(d)
		return
	}
	d.Arrived += n.together(d)
	if d.Arrived%d.Parts == 0 {
		n.Observer.Delivered(d, frame)
		if n.Translate != nil {
			n.Translate(d, true)
		}
		if d.To.Receive != nil {
			d.To.Receive(d.read())
		}
	}
	n.drop(d)
}

func (n *Network) drop(d *Datagram) {
	if d.live--; d.live == 0 {
		n.Observer.Settled(d)
	}
}

// Unreachable lets the receiver of d answer that nobody listens on its port.
func (n *Network) Unreachable(d *Datagram, note any) {
	header := n.ipHeader(d, ProtoUDP, len(d.Payload)+8, 0)
	quote := appendUDP(header, d)[:len(header)+8]
	head := []byte{3, 3, 0, 0, 0, 0, 0, 0}
	if d.From.Addr.Addr().Is6() {
		head[0], head[1] = 1, 4
	}
	n.Send(&Datagram{From: d.To, To: d.From, Proto: ProtoICMP, Payload: append(head, quote...), Note: note})
}

// Wait is a random time whose mean is d, at most four times that.
func Wait(r *rand.Rand, d time.Duration) time.Duration {
	return min(time.Duration(r.ExpFloat64()*float64(d)), 4*d)
}
