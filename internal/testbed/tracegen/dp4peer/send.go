package dp4peer

import (
	"time"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
)

// An outgoing is a message on its way out.
type outgoing struct {
	*note.Message
	id            int64 // when its first packet was sent
	transmissions int   // of all its packets
}

// A piece is a part of a message that waits to be sent.
type piece struct {
	of    *outgoing
	index int
}

// A packet is one that was sent and is not acknowledged.
type packet struct {
	piece
	seq           int64
	data          []byte
	transmissions int
	serial        uint8 // of the latest
	firstAt       time.Duration
	sentAt        time.Duration
}

// Say queues a message. Reliable messages are in order, others are not.
func (p *Peer) Say(data []byte, reliable, _ bool, _ int) *note.Message {
	size := p.cfg.MaxPayload
	m := p.node.World.Book.Message(p.conn, p.side, &note.Message{ID: p.said, Data: data, Reliable: reliable, Ordered: reliable,
		Number: -1, Parts: max(1, (len(data)+size-1)/size)})
	p.said++
	of := &outgoing{Message: m}
	for i := range m.Parts {
		p.queue = append(p.queue, piece{of, i})
	}
	p.pump()
	return m
}

// pump sends what the window allows.
func (p *Peer) pump() {
	for !p.over && len(p.queue) > 0 && p.room() {
		k := p.take()
		p.flight = append(p.flight, k)
		p.conn.Flight[p.side] = max(p.conn.Flight[p.side], int(k.of.id-p.flight[0].of.id)+1)
		p.transmit(k)
	}
	p.arm()
}

// room reports whether the next packet may be sent: 24 messages may be
// outstanding (MC-DPL4R 2.2.2). Those that are not sent again are so for a while.
func (p *Peer) room() bool {
	keep := p.flight[:0]
	for _, k := range p.flight {
		if k.of.Reliable || p.now() < k.firstAt+unreliableFor {
			keep = append(keep, k)
		}
	}
	if p.flight = keep; len(keep) == 0 {
		return true
	}
	id := p.nextMsg
	if q := p.queue[0]; q.index > 0 {
		id = q.of.id
	}
	head := keep[0]
	if id-head.of.id < messageWindow && p.nextSeq-head.seq < int64(p.cfg.MaxFlight) {
		return true
	}
	if p.wake.Stop(); !head.of.Reliable {
		p.wake = p.after(head.firstAt+unreliableFor-p.now(), p.pump)
	}
	return false
}

// take makes a packet of the next piece.
func (p *Peer) take() *packet {
	pc := p.queue[0]
	p.queue = p.queue[1:]
	if pc.index == 0 {
		pc.of.id, pc.of.Number, pc.of.Sent = p.nextMsg, p.nextMsg, true
		p.nextMsg++
	}
	size := p.cfg.MaxPayload
	k := &packet{piece: pc, seq: p.nextSeq, firstAt: p.now(), data: pc.of.Data[pc.index*size : min((pc.index+1)*size, len(pc.of.Data))]}
	p.sent = append(p.sent, promise{pc.of.id, pc.of.Reliable})
	p.nextSeq++
	return k
}

// transmit sends a packet, for the first time or again: only its serial and SAK
// differ.
func (p *Peer) transmit(k *packet) {
	f := dp4.Frame{Flags: dp4.CMD, MessageID: uint8(k.of.id), Sequence: uint8(k.seq), Data: k.data}
	if k.of.Reliable {
		f.Flags |= dp4.RLY
	}
	if k.index == 0 {
		f.Flags |= dp4.STA
	}
	if k.index == k.of.Parts-1 {
		f.Flags |= dp4.EOM
	}
	if p.sinceSAK++; p.asks(k, f.Flags) {
		f.Flags |= dp4.SAK
		p.sakAt, p.sinceSAK = p.now(), 0
	}
	f.Serial = p.serial(k)
	n := p.note(dp4.TypeData)
	n.Data, n.Number, n.Exact, n.Marked, n.Retry = true, k.seq, true, true, k.transmissions > 0
	n.Opens = k.seq == p.cfg.First
	n.Parts = []note.Part{{Message: k.of.Message, Index: k.index}}
	k.transmissions++
	k.of.transmissions++
	k.serial, k.sentAt = f.Serial, p.now()
	p.send(n, p.encode(&f))
}

// serial counts the transmissions before: of the packet when it is a message by
// itself, else of all packets of the message (MC-DPL4R 2.2.2).
func (p *Peer) serial(k *packet) uint8 {
	if k.of.Parts == 1 || p.cfg.OwnSerial {
		return uint8(k.transmissions)
	}
	return uint8(k.of.transmissions)
}

// asks decides on SAK.
func (p *Peer) asks(k *packet, flags dp4.Flags) bool {
	if k.transmissions > 0 || p.sinceSAK >= sakPackets {
		return true
	}
	if p.cfg.SAK == SAKLast {
		return flags&dp4.EOM != 0
	}
	since := p.now() - p.sakAt
	return flags&(dp4.EOM|dp4.RLY) != dp4.EOM && since > sakEvery && since > time.Duration(p.mean)/4
}
