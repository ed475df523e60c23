package knetpeer

import (
	"bytes"

	"github.com/dpdissect/dpdissect/knet"
)

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
func (p *Peer) receive(d *knet.Datagram) {
	id := unwrap(d.PacketID, p.newest)
	p.heard = p.now()
	if p.cfg.library() && p.stage == pending {
		p.established()
	}
	again := p.got[id]
	p.newest, p.got[id] = max(p.newest, id), true
	if !again && !p.cfg.library() && p.stage == pending && !p.shake(d) {
		return
	}
	if d.Reliable {
		p.owe(id)
	}
	if again {
		return
	}
	for i := range d.Messages {
		if p.stage == over {
			return
		}
		p.message(d, id, i)
	}
	p.release()
}

// message takes one message of a datagram.
func (p *Peer) message(d *knet.Datagram, id int64, i int) {
	m := &d.Messages[i]
	if p.cfg.library() && m.IsReliable() {
		number := p.unwrapNumber(m.Number)
		if p.numbers[number] {
			return
		}
		p.numbers[number] = true
		p.newestNumber = max(p.newestNumber, number)
	}
	switch m.Kind {
	case knet.Application:
		p.application(d, id, i)
	case knet.PingRequest:
		p.push(&item{msg: knet.Ping(knet.PingReply, p.cfg.IDs, m.PingID), kind: knet.PingReply, priority: controlPriority})
	case knet.FlowControlRequest:
		if !p.cfg.library() { // the library does not look
			p.rate = max(int(m.Rate), pageMinRate)
		}
	case knet.PacketAck:
		for _, id := range m.Ack.Acked(nil) {
			p.onAck(id)
		}
	case knet.Disconnect:
		p.onDisconnect()
	case knet.DisconnectAck:
		p.onDisconnectAck()
	case knet.ConnectSyn:
		if p.stage == pending && p.side == 1 {
			p.synAck()
		}
	}
}

// unwrapNumber is the reliable number with the given low bits that is nearest to
// those received.
func (p *Peer) unwrapNumber(wire uint32) int64 {
	const size = 1 << knet.NumberBits
	d := (int64(wire) - p.newestNumber) & (size - 1)
	if d >= size/2 {
		d -= size
	}
	return p.newestNumber + d
}

// application takes an application's message or a fragment of one.
func (p *Peer) application(d *knet.Datagram, id int64, i int) {
	m := &d.Messages[i]
	h := &heldBack{at: place{id, i}, data: bytes.Clone(m.Body)}
	if !p.cfg.library() {
		h.depends = p.dependencies(d, m, id)
	}
	if m.IsFragment() {
		p.assemble(m, h)
		return
	}
	p.held = append(p.held, h)
}

// dependencies are what a message of the page waits for.
func (p *Peer) dependencies(d *knet.Datagram, m *knet.Message, id int64) (all []place) {
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
func (p *Peer) assemble(m *knet.Message, h *heldBack) {
	index := 0
	if !m.IsStart() {
		index = int(m.FragmentNumber.Value)
	}
	key := puzzleID{transfer: m.TransferID}
	if p.cfg.library() {
		key.start = p.unwrapNumber(m.Number) - int64(index)
	}
	z := p.puzzles[key]
	if z == nil {
		z = &puzzle{parts: map[int][]byte{}}
		p.puzzles[key] = z
	}
	z.parts[index] = h.data
	if m.IsStart() {
		z.count, z.first = int(m.FragmentCount.Value), h
	}
	if z.count == 0 || len(z.parts) < z.count {
		return
	}
	delete(p.puzzles, key)
	z.first.data = nil
	for k := range z.count {
		z.first.data = append(z.first.data, z.parts[k]...)
	}
	p.held = append(p.held, z.first)
}

// release delivers what waits no longer.
func (p *Peer) release() {
	for i := 0; i < len(p.held); i++ {
		h := p.held[i]
		if !p.met(h.depends) {
			continue
		}
		p.held = append(p.held[:i:i], p.held[i+1:]...)
		p.applied[h.at] = true
		if p.node.OnMessage != nil {
			p.node.OnMessage(p, h.data)
		}
		i = -1 // it may be what those before it wait for
	}
}

func (p *Peer) met(depends []place) bool {
	for _, x := range depends {
		if !p.applied[x] {
			return false
		}
	}
	return true
}
