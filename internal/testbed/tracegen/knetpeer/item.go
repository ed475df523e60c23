package knetpeer

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
	"github.com/dpdissect/dpdissect/knet"
)

// A sender is the half of a peer that sends: the queue of messages, and the datagrams
// that are not acknowledged. How messages become datagrams stands in library.go and
// page.go.
type sender struct {
	peer  *Peer
	opens bool // its next datagram shows that a connection begins

	nextID     int64
	nextNumber int64 // library: of reliable messages
	made       int64 // items so far
	said       int
	queue      []*item // in the order to send
	flights    []*flight
	transfers  [256]bool // ids in use
	gathering  bool      // the application says more at once
	wake       *sim.Timer
	expiry     *sim.Timer      // library: of the oldest flight
	sends      []time.Duration // page: of the last second
	rate       int             // page: datagrams a second the partner takes
	last       map[int]place   // page: the latest ordered message, by channel
}

// take gives the PacketID of the next datagram.
func (s *sender) take() int64 {
	id := s.nextID
	s.nextID += max(1, s.peer.cfg.Stride)
	return id
}

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
	unit   int64 // page: PacketID of its first transmission
	items  []*item
	sentAt time.Duration
	data   knet.Datagram // page
	note   note.Note     // page
	tries  int
	timer  *sim.Timer
}

// push puts an item into the queue: by priority, then by age.
func (s *sender) push(x *item) {
	if s.peer.stage >= closing {
		return
	}
	if x.age == 0 {
		s.made++
		x.age = s.made
	}
	at, _ := slices.BinarySearchFunc(s.queue, x, func(a, b *item) int {
		if a.priority != b.priority {
			return b.priority - a.priority
		}
		return int(a.age - b.age)
	})
	s.queue = slices.Insert(s.queue, at, x)
	if !s.gathering {
		s.stir()
	}
}

// stir sends what is queued, soon.
func (s *sender) stir() {
	if s.wake.Active() || s.peer.stage >= closing || len(s.queue) == 0 && !s.peer.in.ackDue {
		return
	}
	if s.peer.cfg.library() {
		s.wake = s.peer.after(libraryPace, s.flush)
	} else {
		s.wake = s.peer.after(pageGather, s.pump)
	}
}

// ids of applications' messages, by channel: each length of the encoding.
var messageIDs = [...]uint32{20, 100, 130, 20000, 31, 302, 16383, 54321}

// Say hands a message over. On the page's side, an ordered one is applied after
// the one before it on its channel; with channel 3, after those of all channels.
func (p *Peer) Say(data []byte, reliable, ordered bool, channel int) *note.Message {
	return p.out.say(data, reliable, ordered, channel)
}

// say takes a message of the application.
func (s *sender) say(data []byte, reliable, ordered bool, channel int) *note.Message {
	size, most := libraryFragment, libraryUnsplit
	if !s.peer.cfg.library() {
		size, most = pageFragment, pageFragment-4
	}
	if len(data) > most {
		reliable = true // fragments always are
	}
	m := s.peer.node.World.Book.Message(s.peer.conn, s.peer.side, &note.Message{ID: s.said, Data: data, Reliable: reliable, Ordered: ordered, Number: -1, Parts: 1})
	s.said++
	first := item{msg: knet.Message{ID: knet.Num(messageIDs[channel%len(messageIDs)]), Body: data}, part: note.Part{Message: m},
		reliable: reliable, ordered: ordered, channel: channel}
	if s.peer.cfg.library() {
		first.priority = channel % 4
		s.skip()
	} else {
		m.Ordered = false // until it is known that it depends on another
	}
	if len(data) <= most {
		s.enqueue(&first)
	} else {
		s.split(first, size)
	}
	return m
}

// skip leaves numbers out: a message of the same content id replaced one that was
// not sent yet (MessageConnection.cpp 970-1005).
func (s *sender) skip() {
	if s.peer.cfg.Skips && s.peer.node.World.Rand.IntN(8) == 0 {
		s.nextNumber++
	}
}

// enqueue numbers an item and queues it.
func (s *sender) enqueue(x *item) {
	if s.peer.cfg.library() && x.reliable {
		x.number = s.nextNumber
		s.nextNumber++
		if m := x.part.Message; m != nil && x.part.Index == 0 {
			m.Number = x.number
		}
	}
	s.push(x)
}

// split sends a message in fragments.
func (s *sender) split(first item, size int) {
	data := first.msg.Body
	if !s.peer.cfg.library() {
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
	if s.peer.cfg.Scatter {
		s.peer.node.World.Rand.Shuffle(count, func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	was := s.gathering
	s.gathering = true
	for _, x := range all {
		s.enqueue(x)
	}
	s.gathering = was
	if !was {
		s.stir()
	}
}

// mayLeave gives the item's transfer an id, the lowest that is free, and reports
// whether there was one.
func (s *sender) mayLeave(x *item) bool {
	t := x.transfer
	if t == nil {
		return true
	}
	first := 0
	if s.peer.cfg.library() {
		first = firstTransferLib
	}
	for id := first; t.id < 0 && id < len(s.transfers); id++ {
		if !s.transfers[id] {
			t.id, s.transfers[id] = id, true
		}
	}
	x.msg.TransferID = uint8(max(t.id, 0))
	return t.id >= 0
}

// landed is called for the items of an acknowledged datagram.
func (s *sender) landed(items []*item) {
	for _, x := range items {
		if t := x.transfer; t != nil {
			if t.left--; t.left == 0 {
				s.transfers[t.id] = false
			}
		}
	}
}

// describe tells in a note what items are.
func (s *sender) describe(n *note.Note, items []*item) {
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
func (s *sender) transmit(d *knet.Datagram, n *note.Note) {
	payload := d.Append(nil)
	n.Proves = s.proves(payload)
	s.sends = append(s.sends, s.peer.now())
	s.peer.node.World.Net.Send(&sim.Datagram{From: s.peer.node.Host, To: s.peer.conn.Hosts[1-s.peer.side], Payload: payload, Note: n})
}

// proves reports whether bytes are a datagram of one dialect alone.
func (s *sender) proves(payload []byte) bool {
	other := knet.Spec
	if !s.peer.cfg.library() {
		other = knet.Reference
	}
	var d knet.Datagram
	return d.Decode(payload, knet.Params{Dialect: other}, nil) != nil
}
