package knetpeer

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/knet"
)

// pump sends what is queued, as far as the rate allows.
func (s *sender) pump() {
	s.wake.Stop()
	for s.peer.stage == up {
		urgent := s.peer.in.ackDue || len(s.queue) > 0 && s.queue[0].priority >= controlPriority && !s.queue[0].reliable
		if !urgent && len(s.queue) == 0 {
			return
		}
		if wait := s.room(!urgent); wait > 0 {
			s.wake = s.peer.after(wait, s.pump)
			return
		}
		s.sendNext(urgent)
	}
}

func (s *sender) pumpSoon() {
	s.wake.Stop()
	s.wake = s.peer.after(0, s.pump)
}

// room is how long to wait for the next datagram: in no second more leave than the
// partner takes, and some of those are kept for acknowledgements.
func (s *sender) room(data bool) time.Duration {
	s.sends = slices.DeleteFunc(s.sends, func(at time.Duration) bool { return s.peer.now()-at >= time.Second })
	limit := s.rate
	if data {
		limit = s.rate * pageDataShare / pageRateDivisor
	}
	if len(s.sends) < limit {
		return 0
	}
	return s.sends[len(s.sends)-limit] + time.Second - s.peer.now()
}

// sendNext sends one datagram: acknowledgements and pings before all, then what is
// reliable, on which the rest may depend.
func (s *sender) sendNext(urgent bool) {
	if s.peer.in.ackDue {
		s.peer.in.ackDue = false
		s.peer.in.ackTimer.Stop()
		slices.SortFunc(s.peer.in.acks, func(a, b owed) int { return int(a.id - b.id) })
		s.peer.in.writeAcks(knet.MaxAcked - 1)
	}
	items := s.bundle(!urgent)
	if len(items) == 0 {
		items = s.bundle(urgent)
	}
	if len(items) > 0 {
		s.sendItems(items)
	}
}

// bundle takes messages for one datagram from the queue, either reliable ones or
// others, until one does not fit. Others of applications wait for the reliable ones
// said before.
func (s *sender) bundle(reliable bool) (items []*item) {
	size := 3 + 1
	rest := s.queue[:0:0]
	for i, x := range s.queue {
		own := x.kind == knet.Application
		if x.reliable != reliable {
			if own && x.reliable {
				rest = append(rest, s.queue[i:]...)
				break
			}
			rest = append(rest, x)
			continue
		}
		size += len(x.msg.Body) + pageOverhead
		if size > pageRoom || !s.mayLeave(x) {
			rest = append(rest, s.queue[i:]...)
			break
		}
		items = append(items, x)
	}
	s.queue = rest
	return items
}

// sendItems puts messages into a datagram, with what they depend on, and sends it.
func (s *sender) sendItems(items []*item) {
	id := s.take()
	d := knet.Datagram{Dialect: knet.Spec, PacketID: uint32(id & knet.PacketIDMask), Reliable: items[0].reliable}
	n := note.New(s.peer.conn, s.peer.side, "DATAGRAM")
	n.Number, n.Establishes = id, s.peer.stage == up
	before := s.latest()
	var needs []place
	for i, x := range items {
		m := x.msg
		needs = s.order(&m, x, id, before, needs)
		d.Messages = append(d.Messages, m)
		if x.kind == knet.Application && x.reliable && x.part.Index == 0 {
			x.part.Message.Number = id
			if x.ordered {
				s.last[x.channel] = place{id, i}
			}
		}
	}
	depend(&d, id, needs)
	s.describe(n, items)
	if s.peer.cfg.NewIDs {
		n.Units = []int64{}
	}
	if d.Reliable {
		s.fly(&d, n, items)
	}
	s.transmit(&d, n)
}

// latest are the latest ordered reliable messages, by channel.
func (s *sender) latest() (all []place) {
	for c := range messageIDs {
		x, ok := s.last[c]
		if !ok {
			x.packet = -1
		}
		all = append(all, x)
	}
	return all
}

// order writes into a message what it depends on and adds that to the needs of
// the datagram.
func (s *sender) order(m *knet.Message, x *item, id int64, before, needs []place) []place {
	if !x.ordered || s.peer.cfg.NewIDs || x.part.Index > 0 {
		return needs
	}
	var indexes []byte
	for c, on := range before {
		if c != x.channel && x.channel != 3 && x.kind == knet.Application || on.packet < 0 || id-on.packet-1 > pageMaxDelta {
			continue
		}
		at := slices.Index(needs, on)
		if at < 0 {
			at = len(needs)
			needs = append(needs, on)
		}
		indexes = append(indexes, byte(at))
	}
	switch {
	case len(indexes) == 0:
		return needs
	case len(indexes) > 1:
		m.SetCode(7)
		m.Indexes = indexes
	case indexes[0] < 5:
		m.SetCode(uint16(indexes[0]) + 1)
	default:
		m.SetCode(6)
		m.Indexes = indexes
	}
	if x.kind == knet.Application {
		x.part.Message.Ordered = true
	}
	return needs
}

// depend writes what a datagram depends on.
func depend(d *knet.Datagram, id int64, needs []place) {
	var all []knet.Dependency
	for _, x := range needs {
		all = append(all, knet.Dependency{Delta: uint16(id - x.packet - 1), Index: uint16(x.index)})
	}
	if len(all) > 0 {
		d.Depend(all...)
	}
}

// fly remembers a reliable datagram until it is acknowledged.
func (s *sender) fly(d *knet.Datagram, n *note.Note, items []*item) {
	f := &flight{id: n.Number, unit: n.Number, items: items, data: *d, tries: 1}
	if s.peer.cfg.NewIDs {
		n.Units = []int64{f.unit}
	}
	f.note = *n
	s.flights = append(s.flights, f)
	f.timer = s.peer.after(pageResend, func() { s.again(f) })
}

// again sends a datagram that was not acknowledged in time.
func (s *sender) again(f *flight) {
	if wait := s.room(true); wait > 0 {
		f.timer = s.peer.after(wait, func() { s.again(f) })
		return
	}
	if f.tries++; f.tries > pageMaxSends {
		s.peer.giveUp()
		return
	}
	n := f.note
	n.Retry = true
	if s.peer.cfg.NewIDs {
		f.id = s.take()
		n.Number = f.id
		f.data.PacketID = uint32(f.id & knet.PacketIDMask)
	}
	f.timer = s.peer.after(pageResend, func() { s.again(f) })
	s.transmit(&f.data, &n)
}

// Ask asks the partner to send no more datagrams a second than a rate.
func (p *Peer) Ask(rate uint16) {
	p.out.enqueue(&item{msg: knet.FlowControl(p.cfg.IDs, rate), kind: knet.FlowControlRequest, reliable: true, priority: controlPriority})
}
