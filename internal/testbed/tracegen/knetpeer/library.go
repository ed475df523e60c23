package knetpeer

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
	"github.com/dpdissect/dpdissect/knet"
)

// connect sends the connect datagram, which is no kNet datagram (Network.cpp
// 776-799). It is never sent again.
func (p *Peer) connect() {
	n := note.New(p.conn, p.side, "CONNECT")
	n.Opens = true
	p.node.World.Net.Send(&sim.Datagram{From: p.node.Host, To: p.conn.Hosts[1], Payload: p.cfg.Hello, Note: n})
}

// welcome takes a client: one PingRequest at once, one by the timer
// (NetworkServer.cpp 346).
func (p *Peer) welcome() {
	p.askPing()
	p.established()
}

// flush sends one datagram, and the next a little later.
func (s *sender) flush() {
	items := s.pack()
	if len(items) == 0 {
		return
	}
	s.dispatch(items)
	s.stir()
}

// pack takes messages from the queue until the estimate of their size is full.
func (s *sender) pack() (items []*item) {
	size, base, top := libraryHeader, int64(-1), int64(-1)
	rest := s.queue[:0:0]
	for i, x := range s.queue {
		size += libraryOverhead + len(x.msg.Body)
		if len(items) > 0 && size > libraryRoom {
			rest = append(rest, s.queue[i:]...)
			break
		}
		if x.reliable {
			low, high := min(base, x.number), max(top, x.number)
			if base < 0 {
				low = x.number
			}
			if high-low > libraryMaxDelta || !s.mayLeave(x) {
				rest = append(rest, x)
				size -= libraryOverhead + len(x.msg.Body)
				continue
			}
			base, top = low, high
		}
		items = append(items, x)
	}
	s.queue = rest
	return items
}

// dispatch puts messages into a datagram and sends it.
func (s *sender) dispatch(items []*item) {
	id := s.take()
	n := note.New(s.peer.conn, s.peer.side, "DATAGRAM")
	n.Number, n.Exact, n.Units = id, true, []int64{}
	n.Establishes, n.Opens = s.peer.side == 1, s.opens
	s.opens = false
	d := knet.Datagram{Dialect: knet.Reference, PacketID: uint32(id & knet.PacketIDMask)}
	f := &flight{id: id, sentAt: s.peer.now()}
	base := int64(-1)
	for _, x := range items {
		if x.reliable {
			f.items = append(f.items, x)
			if base < 0 || x.number < base {
				base = x.number
			}
		}
	}
	for _, x := range items {
		d.Messages = append(d.Messages, s.block(x, base, n))
		last := &d.Messages[len(d.Messages)-1]
		d.InOrder = d.InOrder || last.Bits&knet.MessageInOrder != 0
	}
	s.describe(n, items)
	if d.Reliable = len(f.items) > 0; d.Reliable {
		d.Base = knet.Num(uint32(base & (1<<knet.NumberBits - 1)))
		s.flights = append(s.flights, f)
		s.watchFlights()
	}
	s.transmit(&d, n)
	if n.Close != note.Open {
		s.peer.written(n.Close)
	}
}

// block is a message as the datagram with a base has it.
func (s *sender) block(x *item, base int64, n *note.Note) knet.Message {
	m := x.msg
	if x.ordered || x.part.Message == nil && s.peer.node.World.Rand.IntN(4) > 0 {
		m.Bits |= knet.MessageInOrder // means nothing on control messages
	}
	if x.reliable {
		m.Bits |= knet.MessageReliable
		m.Delta = knet.Num(uint32(x.number - base))
		n.Units = append(n.Units, x.number)
		n.Retry = n.Retry || x.sent
		x.sent = true
	}
	return m
}

// watchFlights waits for the oldest datagram to time out; the library looks every
// 10 ms.
func (s *sender) watchFlights() {
	if s.expiry.Active() || len(s.flights) == 0 {
		return
	}
	due := s.flights[0].sentAt + libraryResend - s.peer.now()
	s.expiry = s.peer.after(due+time.Duration(s.peer.node.World.Rand.Int64N(int64(libraryPoll))), s.expire)
}

// expire queues the messages of datagrams that timed out again: they keep their
// numbers and leave with whatever else waits (UDPMessageConnection.cpp 248-258).
func (s *sender) expire() {
	for len(s.flights) > 0 && s.peer.now()-s.flights[0].sentAt >= libraryResend {
		items := s.flights[0].items
		s.flights = s.flights[1:]
		for _, x := range items {
			s.push(x)
		}
	}
	s.watchFlights()
}

// onAck takes an acknowledgement of a datagram. One that timed out meanwhile is
// known no more.
func (s *sender) onAck(wire uint32) {
	id := unwrap(wire, s.nextID)
	i := slices.IndexFunc(s.flights, func(f *flight) bool { return f.id == id })
	if i < 0 {
		return
	}
	f := s.flights[i]
	f.timer.Stop()
	s.landed(f.items)
	s.flights = slices.Delete(s.flights, i, i+1)
}

// unwrap is the number nearest to one nearby that has the given low bits.
func unwrap(wire uint32, near int64) int64 {
	const size = 1 << knet.PacketIDBits
	d := (int64(wire) - near) & (size - 1)
	if d >= size/2 {
		d -= size
	}
	return near + d
}
