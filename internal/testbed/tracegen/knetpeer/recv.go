package knetpeer

import (
	"bytes"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
	"github.com/dpdissect/dpdissect/knet"
)

// A receiver is the half of a peer that takes datagrams: what was received, messages on
// their way in, and the acknowledgements owed.
type receiver struct {
	peer *Peer

	newest       int64 // PacketID
	got          map[int64]bool
	numbers      map[int64]bool // library: messages received
	newestNumber int64
	puzzles      map[puzzleID]*puzzle
	acks         []owed
	ackTimer     *sim.Timer
	ackDue       bool
	applied      map[place]bool // page: delivered messages
	held         []*heldBack
}

// newReceiver takes what the given side sends.
func newReceiver(p *Peer, o *own, from int) receiver {
	return receiver{peer: p, newest: o.first[from], newestNumber: o.number[from], got: map[int64]bool{},
		numbers: map[int64]bool{}, puzzles: map[puzzleID]*puzzle{}, applied: map[place]bool{}}
}

// puzzleID names a message on its way in: of the page's only the transfer id is
// known, of the library's the number of the first fragment too.
type puzzleID struct {
	transfer uint8
	start    int64
}

// A puzzle is a fragmented message on its way in.
type puzzle struct {
	parts map[int][]byte
	count int
	first *heldBack // page: from the first fragment
}

// A heldBack message waits for others.
type heldBack struct {
	at      place
	depends []place
	data    []byte
}

// receive takes a datagram of the partner.
func (r *receiver) receive(d *knet.Datagram) {
	id := unwrap(d.PacketID, r.newest)
	r.peer.heard = r.peer.now()
	if r.peer.cfg.library() && r.peer.stage == pending {
		r.peer.established()
	}
	again := r.got[id]
	r.newest, r.got[id] = max(r.newest, id), true
	if !again && !r.peer.cfg.library() && r.peer.stage == pending && !r.peer.handshake(d) {
		return
	}
	if d.Reliable {
		r.owe(id)
	}
	if again {
		return
	}
	for i := range d.Messages {
		if r.peer.stage == over {
			return
		}
		r.message(d, id, i)
	}
	r.release()
}

// message takes one message of a datagram.
func (r *receiver) message(d *knet.Datagram, id int64, i int) {
	m := &d.Messages[i]
	if r.peer.cfg.library() && m.IsReliable() {
		number := r.unwrapNumber(m.Number)
		if r.numbers[number] {
			return
		}
		r.numbers[number] = true
		r.newestNumber = max(r.newestNumber, number)
	}
	switch m.Kind {
	case knet.Application:
		r.application(d, id, i)
	case knet.PingRequest:
		r.peer.out.push(&item{msg: knet.Ping(knet.PingReply, r.peer.cfg.IDs, m.PingID), kind: knet.PingReply, priority: controlPriority})
	case knet.FlowControlRequest:
		if !r.peer.cfg.library() { // the library does not look
			r.peer.out.rate = max(int(m.Rate), pageMinRate)
		}
	case knet.PacketAck:
		for _, id := range m.Ack.Acked(nil) {
			r.peer.out.onAck(id)
		}
	case knet.Disconnect:
		r.peer.onDisconnect()
	case knet.DisconnectAck:
		r.peer.onDisconnectAck()
	case knet.ConnectSyn:
		if r.peer.stage == pending && r.peer.side == 1 {
			r.peer.synAck()
		}
	}
}

// unwrapNumber is the reliable number with the given low bits that is nearest to
// those received.
func (r *receiver) unwrapNumber(wire uint32) int64 {
	const size = 1 << knet.NumberBits
	d := (int64(wire) - r.newestNumber) & (size - 1)
	if d >= size/2 {
		d -= size
	}
	return r.newestNumber + d
}

// application takes an application's message or a fragment of one.
func (r *receiver) application(d *knet.Datagram, id int64, i int) {
	m := &d.Messages[i]
	h := &heldBack{at: place{id, i}, data: bytes.Clone(m.Body)}
	if !r.peer.cfg.library() {
		h.depends = r.dependencies(d, m, id)
	}
	if m.IsFragment() {
		r.assemble(m, h)
		return
	}
	r.held = append(r.held, h)
}

// dependencies are what a message of the page waits for.
func (r *receiver) dependencies(d *knet.Datagram, m *knet.Message, id int64) (all []place) {
	for k := 0; ; k++ {
		x, ok := m.DependsOn(d, k)
		if !ok {
			return all
		}
		if x != nil {
			all = append(all, place{id - int64(x.Delta) - 1, int(x.Index)})
		}
	}
}

// assemble puts a message together. Fragments may come before the first.
func (r *receiver) assemble(m *knet.Message, h *heldBack) {
	index := 0
	if !m.IsStart() {
		index = int(m.FragmentNumber.Value)
	}
	key := puzzleID{transfer: m.TransferID}
	if r.peer.cfg.library() {
		key.start = r.unwrapNumber(m.Number) - int64(index)
	}
	z := r.puzzles[key]
	if z == nil {
		z = &puzzle{parts: map[int][]byte{}}
		r.puzzles[key] = z
	}
	z.parts[index] = h.data
	if m.IsStart() {
		z.count, z.first = int(m.FragmentCount.Value), h
	}
	if z.count == 0 || len(z.parts) < z.count {
		return
	}
	delete(r.puzzles, key)
	z.first.data = nil
	for k := range z.count {
		z.first.data = append(z.first.data, z.parts[k]...)
	}
	r.held = append(r.held, z.first)
}

// release delivers what waits no longer.
func (r *receiver) release() {
	for i := 0; i < len(r.held); i++ {
		h := r.held[i]
		if !r.met(h.depends) {
			continue
		}
		r.held = append(r.held[:i:i], r.held[i+1:]...)
		r.applied[h.at] = true
		if r.peer.node.OnMessage != nil {
			r.peer.node.OnMessage(r.peer, h.data)
		}
		i = -1 // it may be what those before it wait for
	}
}

func (r *receiver) met(depends []place) bool {
	for _, x := range depends {
		if !r.applied[x] {
			return false
		}
	}
	return true
}
