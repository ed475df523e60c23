package knetpeer

import (
	"cmp"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/knet"
)

// owe notes that a reliable datagram must be acknowledged, copies included.
func (r *receiver) owe(id int64) {
	if r.peer.stage >= closing || slices.ContainsFunc(r.acks, func(a owed) bool { return a.id == id }) {
		return
	}
	r.acks = append(r.acks, owed{id, r.peer.now()})
	if r.peer.cfg.library() {
		if !r.ackTimer.Active() {
			r.ackTimer = r.peer.after(time.Duration(r.peer.node.World.Rand.Int64N(int64(libraryPoll))), r.pollAcks)
		}
		return
	}
	if len(r.acks) == knet.MaxAcked {
		r.acksDue()
	} else if !r.ackTimer.Active() {
		r.ackTimer = r.peer.after(pageAckDelay, r.acksDue)
	}
}

// pollAcks looks whether acknowledgements wait long enough: the age is that of
// the lowest PacketID (UDPMessageConnection.cpp 162-175).
func (r *receiver) pollAcks() {
	if len(r.acks) == 0 {
		return
	}
	lowest := slices.MinFunc(r.acks, byWire)
	if len(r.acks) < libraryAcks && r.peer.now()-lowest.at < ackDelay {
		r.ackTimer = r.peer.after(libraryPoll, r.pollAcks)
		return
	}
	// std::map order, which does not know of the wrap; the bits wrap all the same.
	slices.SortFunc(r.acks, byWire)
	r.writeAcks(libraryAcks - 1)
}

func (r *receiver) acksDue() {
	r.ackTimer.Stop()
	r.ackDue = true
	r.peer.out.pumpSoon()
}

func byWire(a, b owed) int { return cmp.Compare(a.id&knet.PacketIDMask, b.id&knet.PacketIDMask) }

// writeAcks queues PacketAcks for everything owed. Each has a base and a number
// of bits.
func (r *receiver) writeAcks(bits int64) {
	for len(r.acks) > 0 {
		base := r.acks[0].id
		x := &item{kind: knet.PacketAck, priority: ackPriority}
		a := knet.Ack{PacketID: uint32(base & knet.PacketIDMask), WordFirst: r.peer.cfg.WordFirst}
		r.acks = slices.DeleteFunc(r.acks, func(o owed) bool {
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
		x.msg = knet.Acknowledge(r.peer.cfg.Dialect, r.peer.cfg.IDs, a)
		r.peer.out.push(x)
	}
}
