package knetpeer

import (
	"cmp"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/knet"
)

// owe notes that a reliable datagram must be acknowledged, copies included.
func (p *Peer) owe(id int64) {
	if p.stage >= closing || slices.ContainsFunc(p.acks, func(a owed) bool { return a.id == id }) {
		return
	}
	p.acks = append(p.acks, owed{id, p.now()})
	if p.cfg.library() {
		if !p.ackTimer.Active() {
			p.ackTimer = p.after(time.Duration(p.node.World.Rand.Int64N(int64(libraryPoll))), p.pollAcks)
		}
		return
	}
	if len(p.acks) == knet.MaxAcked {
		p.acksDue()
	} else if !p.ackTimer.Active() {
		p.ackTimer = p.after(pageAckDelay, p.acksDue)
	}
}

// pollAcks looks whether acknowledgements wait long enough: the age is that of
// the lowest PacketID (UDPMessageConnection.cpp 162-175).
func (p *Peer) pollAcks() {
	if len(p.acks) == 0 {
		return
	}
	lowest := slices.MinFunc(p.acks, byWire)
	if len(p.acks) < libraryAcks && p.now()-lowest.at < ackDelay {
		p.ackTimer = p.after(libraryPoll, p.pollAcks)
		return
	}
	// std::map order, which does not know of the wrap; the bits wrap all the same.
	slices.SortFunc(p.acks, byWire)
	p.writeAcks(libraryAcks - 1)
}

func (p *Peer) acksDue() {
	p.ackTimer.Stop()
	p.ackDue = true
	p.pumpSoon()
}

func byWire(a, b owed) int { return cmp.Compare(a.id&knet.PacketIDMask, b.id&knet.PacketIDMask) }

// writeAcks queues PacketAcks for everything owed. Each has a base and a number
// of bits.
func (p *Peer) writeAcks(bits int64) {
	for len(p.acks) > 0 {
		base := p.acks[0].id
		x := &item{kind: knet.PacketAck, priority: ackPriority}
		a := knet.Ack{PacketID: uint32(base & knet.PacketIDMask)}
		p.acks = slices.DeleteFunc(p.acks, func(o owed) bool {
			step := (o.id - base) & knet.PacketIDMask
			if step > bits {
				return false
			}
			if step > 0 {
				a.Bits |= 1 << (step - 1)
			}
			x.acks = append(x.acks, o.id)
			return true
		})
		x.msg = knet.Acknowledge(p.cfg.Dialect, p.cfg.IDs, a)
		p.push(x)
	}
}
