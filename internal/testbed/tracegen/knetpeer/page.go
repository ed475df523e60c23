package knetpeer

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/knet"
)

// pump sends what is queued, as far as the rate allows.
func (p *Peer) pump() {
	p.wake.Stop()
	for p.stage == up {
		urgent := p.ackDue || len(p.queue) > 0 && p.queue[0].priority >= controlPriority && !p.queue[0].reliable
		if !urgent && len(p.queue) == 0 {
			return
		}
		if wait := p.room(!urgent); wait > 0 {
			p.wake = p.after(wait, p.pump)
			return
		}
		p.sendNext(urgent)
	}
}

func (p *Peer) pumpSoon() {
	p.wake.Stop()
	p.wake = p.after(0, p.pump)
}

// room is how long to wait for the next datagram: in no second more leave than the
// partner takes, and some of those are kept for acknowledgements.
func (p *Peer) room(data bool) time.Duration {
	p.sends = slices.DeleteFunc(p.sends, func(at time.Duration) bool { return p.now()-at >= time.Second })
	limit := p.rate
	if data {
		limit = p.rate * pageDataShare / pageRateDivisor
	}
	if len(p.sends) < limit {
		return 0
	}
	return p.sends[len(p.sends)-limit] + time.Second - p.now()
}

// sendNext sends one datagram: acknowledgements and pings before all, then what is
// reliable, on which the rest may depend.
func (p *Peer) sendNext(urgent bool) {
	if p.ackDue {
		p.ackDue = false
		p.ackTimer.Stop()
		slices.SortFunc(p.acks, func(a, b owed) int { return int(a.id - b.id) })
		p.writeAcks(knet.MaxAcked - 1)
	}
	items := p.bundle(!urgent)
	if len(items) == 0 {
		items = p.bundle(urgent)
	}
	if len(items) > 0 {
		p.ship(items)
	}
}

// bundle takes messages for one datagram from the queue, either reliable ones or
// others, until one does not fit. Others of applications wait for the reliable ones
// said before.
func (p *Peer) bundle(reliable bool) (items []*item) {
	size := 3 + 1
	rest := p.queue[:0:0]
	for i, x := range p.queue {
		own := x.kind == knet.Application
		if x.reliable != reliable {
			if own && x.reliable {
				rest = append(rest, p.queue[i:]...)
				break
			}
			rest = append(rest, x)
			continue
		}
		size += len(x.msg.Body) + pageOverhead
		if size > pageRoom || !p.mayLeave(x) {
			rest = append(rest, p.queue[i:]...)
			break
		}
		items = append(items, x)
	}
	p.queue = rest
	return items
}

// ship puts messages into a datagram, with what they depend on, and sends it.
func (p *Peer) ship(items []*item) {
	id := p.nextID
	p.nextID++
	d := knet.Datagram{Dialect: knet.Spec, PacketID: uint32(id & knet.PacketIDMask), Reliable: items[0].reliable}
	n := note.New(p.conn, p.side, "DATAGRAM")
	n.Number, n.Establishes = id, p.stage == up
	before := p.latest()
	var needs []place
	for i, x := range items {
		m := x.msg
		needs = p.order(&m, x, id, before, needs)
		d.Messages = append(d.Messages, m)
		if x.kind == knet.Application && x.reliable && x.part.Index == 0 {
			x.part.Message.Number = id
			if x.ordered {
				p.last[x.channel] = place{id, i}
			}
		}
	}
	depend(&d, id, needs)
	p.describe(n, items)
	if p.cfg.NewIDs {
		n.Units = []int64{}
	}
	if d.Reliable {
		p.fly(&d, n, items)
	}
	p.transmit(&d, n)
}

// latest are the latest ordered reliable messages, by channel.
func (p *Peer) latest() (all []place) {
	for c := range messageIDs {
		x, ok := p.last[c]
		if !ok {
			x.packet = -1
		}
		all = append(all, x)
	}
	return all
}

// order writes into a message what it depends on and adds that to the needs of
// the datagram.
func (p *Peer) order(m *knet.Message, x *item, id int64, before, needs []place) []place {
	if !x.ordered || p.cfg.NewIDs || x.part.Index > 0 {
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
func (p *Peer) fly(d *knet.Datagram, n *note.Note, items []*item) {
	f := &flight{id: n.Number, unit: n.Number, items: items, data: *d, tries: 1}
	if p.cfg.NewIDs {
		n.Units = []int64{f.unit}
	}
	f.note = *n
	p.flights = append(p.flights, f)
	f.timer = p.after(pageResend, func() { p.again(f) })
}

// again sends a datagram that was not acknowledged in time.
func (p *Peer) again(f *flight) {
	if wait := p.room(true); wait > 0 {
		f.timer = p.after(wait, func() { p.again(f) })
		return
	}
	if f.tries++; f.tries > pageMaxSends {
		p.giveUp()
		return
	}
	n := f.note
	n.Retry = true
	if p.cfg.NewIDs {
		f.id = p.nextID
		p.nextID++
		n.Number = f.id
		f.data.PacketID = uint32(f.id & knet.PacketIDMask)
	}
	f.timer = p.after(pageResend, func() { p.again(f) })
	p.transmit(&f.data, &n)
}

// Ask asks the partner to send no more datagrams a second than a rate.
func (p *Peer) Ask(rate uint16) {
	p.enqueue(&item{msg: knet.FlowControl(p.cfg.IDs, rate), kind: knet.FlowControlRequest, reliable: true, priority: controlPriority})
}
