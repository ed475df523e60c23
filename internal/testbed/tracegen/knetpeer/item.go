package knetpeer

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
	"github.com/dpdissect/dpdissect/knet"
)

// An item is a message, or a fragment of one, on its way out.
type item struct {
	msg      knet.Message
	kind     knet.Kind
	part     note.Part // of an application's message
	reliable bool
	ordered  bool
	channel  int
	priority int
	age      int64 // order of making
	number   int64 // library: reliable number
	transfer *transfer
	acks     []int64 // PacketIDs a PacketAck names, unwrapped
	sent     bool    // before
}

// Priorities of messages; applications have 0 to 3.
const (
	controlPriority = 10
	ackPriority     = 11
	closePriority   = 12
)

// A transfer is a message on its way in fragments.
type transfer struct {
	id   int // -1 before it has one
	left int // fragments not acknowledged
}

// A flight is a datagram that is not acknowledged.
type flight struct {
	id     int64 // PacketID
	unit   int64 // page: PacketID of its first sending
	items  []*item
	sentAt time.Duration
	data   knet.Datagram // page
	note   note.Note     // page
	tries  int
	timer  *sim.Timer
}

// push puts an item into the queue: by priority, then by age.
func (p *Peer) push(x *item) {
	if p.stage >= closing {
		return
	}
	if x.age == 0 {
		p.made++
		x.age = p.made
	}
	at, _ := slices.BinarySearchFunc(p.queue, x, func(a, b *item) int {
		if a.priority != b.priority {
			return b.priority - a.priority
		}
		return int(a.age - b.age)
	})
	p.queue = slices.Insert(p.queue, at, x)
	if !p.gathering {
		p.stir()
	}
}

// stir sends what is queued, soon.
func (p *Peer) stir() {
	if p.wake.Active() || p.stage >= closing || len(p.queue) == 0 && !p.ackDue {
		return
	}
	if p.cfg.library() {
		p.wake = p.after(libraryPace, p.flush)
	} else {
		p.wake = p.after(pageGather, p.pump)
	}
}

// ids of applications' messages, by channel: each length of the encoding.
var messageIDs = [...]uint32{20, 100, 130, 20000, 31, 302, 16383, 54321}

// Say hands a message over. On the page's side, an ordered one is applied after
// the one before it on its channel; with channel 3, after those of all channels.
func (p *Peer) Say(data []byte, reliable, ordered bool, channel int) *note.Message {
	size, most := libraryFragment, libraryUnsplit
	if !p.cfg.library() {
		size, most = pageFragment, pageFragment-4
	}
	if len(data) > most {
		reliable = true // fragments always are
	}
	m := p.node.World.Book.Message(p.conn, p.side, &note.Message{ID: p.said, Data: data, Reliable: reliable, Ordered: ordered, Number: -1, Parts: 1})
	p.said++
	first := item{msg: knet.Message{ID: knet.Num(messageIDs[channel%len(messageIDs)]), Body: data}, part: note.Part{Message: m},
		reliable: reliable, ordered: ordered, channel: channel}
	if p.cfg.library() {
		first.priority = channel % 4
		p.skip()
	} else {
		m.Ordered = false // until it is known that it depends on another
	}
	if len(data) <= most {
		p.enqueue(&first)
	} else {
		p.split(first, size)
	}
	return m
}

// skip leaves numbers out: a message of the same content id replaced one that was
// not sent yet (MessageConnection.cpp 970-1005).
func (p *Peer) skip() {
	if p.cfg.Skips && p.node.World.Rand.IntN(8) == 0 {
		p.nextNumber++
	}
}

// enqueue numbers an item and queues it.
func (p *Peer) enqueue(x *item) {
	if p.cfg.library() && x.reliable {
		x.number = p.nextNumber
		p.nextNumber++
		if m := x.part.Message; m != nil && x.part.Index == 0 {
			m.Number = x.number
		}
	}
	p.push(x)
}

// split sends a message in fragments.
func (p *Peer) split(first item, size int) {
	data := first.msg.Body
	if !p.cfg.library() {
		size -= 4 // the page bounds the content, which holds the MessageID of the first
	}
	count := (len(data) + size - 1) / size
	first.part.Message.Parts = count
	t := &transfer{id: -1, left: count}
	var all []*item
	for i := range count {
		x := first
		x.transfer, x.part.Index = t, i
		x.msg.Body = data[i*size : min((i+1)*size, len(data))]
		x.msg.Bits = knet.Fragment
		if i == 0 {
			x.msg.Bits |= knet.FragmentStart
			x.msg.FragmentCount = knet.Num(uint32(count))
		} else {
			x.msg.FragmentNumber = knet.Num(uint32(i))
			x.msg.ID = knet.VLE{}
		}
		all = append(all, &x)
	}
	if p.cfg.Scatter {
		p.node.World.Rand.Shuffle(count, func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	was := p.gathering
	p.gathering = true
	for _, x := range all {
		p.enqueue(x)
	}
	p.gathering = was
	if !was {
		p.stir()
	}
}

// mayLeave gives the item's transfer an id, the lowest that is free, and reports
// whether there was one.
func (p *Peer) mayLeave(x *item) bool {
	t := x.transfer
	if t == nil {
		return true
	}
	first := 0
	if p.cfg.library() {
		first = firstTransferLib
	}
	for id := first; t.id < 0 && id < len(p.transfers); id++ {
		if !p.transfers[id] {
			t.id, p.transfers[id] = id, true
		}
	}
	x.msg.TransferID = uint8(max(t.id, 0))
	return t.id >= 0
}

// landed is called for the items of an acknowledged datagram.
func (p *Peer) landed(items []*item) {
	for _, x := range items {
		if t := x.transfer; t != nil {
			if t.left--; t.left == 0 {
				p.transfers[t.id] = false
			}
		}
	}
}

// describe tells in a note what items are.
func (p *Peer) describe(n *note.Note, items []*item) {
	acks := 0
	for i, x := range items {
		switch x.kind {
		case knet.Application:
			n.Data = true
			n.Parts = append(n.Parts, x.part)
			x.part.Message.Sent = true
			if x.part.Index == 0 {
				x.part.Message.Slot = i
			}
		case knet.PacketAck:
			acks++
			n.Acks = append(n.Acks, x.acks...)
		case knet.PingRequest:
			n.KeepAlives++
		case knet.Disconnect:
			n.Close = note.Graceful
		case knet.DisconnectAck:
			n.Close = note.Answer
		}
	}
	n.Ack = acks > 0 && acks == len(items)
}

// transmit sends a datagram.
func (p *Peer) transmit(d *knet.Datagram, n *note.Note) {
	payload := d.Append(nil)
	n.Proves = p.proves(payload)
	p.sends = append(p.sends, p.now())
	p.node.World.Net.Send(&sim.Datagram{From: p.node.Host, To: p.conn.Hosts[1-p.side], Payload: payload, Note: n})
}

// proves reports whether bytes are a datagram of one dialect alone.
func (p *Peer) proves(payload []byte) bool {
	other := knet.Spec
	if !p.cfg.library() {
		other = knet.Reference
	}
	var d knet.Datagram
	return d.Decode(payload, knet.Params{Dialect: other}, nil) != nil
}
