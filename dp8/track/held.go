package track

import (
	"bytes"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A heldFrame came behind the turn of an epoch, and no guess at the new secret verifies it.
// It is forged if a guess verifies a later one. If none does, no guess is right.
type heldFrame struct {
	num      seq.Num
	hard     bool // it is a HARD_DISCONNECT
	datagram dissect.Datagram
}

// A side keeps up to maxHeld such frames, each with a payload of up to maxHeldPayload bytes.
// When there are more, or when the peer accepts one of them, no guess is right.
const (
	maxHeld        = 8
	maxHeldPayload = 2048
)

// hold keeps the frame at hand until it shows whether it is forged: a number that it took
// would be missing to the frame that really has it. It reports whether it did so.
func (c *conn) hold(dir dissect.Dir, num seq.Num) bool {
	k := &c.side[dir].keys
	hard := c.Packet.Type == dp8.TypeHardDisconnect
	if k.trusting || len(k.cands) == 0 || len(c.Frame.Payload) > maxHeldPayload {
		return false
	}
	if len(k.held) == maxHeld {
		c.believeHeld(dir, !hard)
		return false
	}
	if c.Frame.Words |= c.c.Dir[dir].Unnumbered(c.sending(num, seq.Unmarked), true); !c.Frame.Words.Has(dissect.Duplicate) {
		h := heldFrame{num, hard, *c.Frame.Datagram}
		h.datagram.Payload = bytes.Clone(c.Frame.Payload)
		k.held = append(k.held, h)
		c.Frame.Awaits = c.wants.Links && c.Packet.Type == dp8.TypeDFrame
	}
	return true
}

// holdsAcked reports a held data frame or SACK with a number below what the peer expects
// next, or any where a mask says what it has beyond that.
func (k *keyring) holdsAcked(nrcv uint8, mask uint64) bool {
	if len(k.held) == 0 {
		return false
	}
	next := near(k.held[0].num, nrcv)
	return slices.ContainsFunc(k.held, func(h heldFrame) bool { return !h.hard && (mask != 0 || h.num < next) })
}

// drop gives up the held frames: none of them is the side's.
func (k *keyring) drop() {
	k.dropped = append(k.dropped, k.held...)
	k.held = nil
}

// forgetDropped says of the held frames that were given up that nothing acknowledges them.
func (c *conn) forgetDropped(dir dissect.Dir) {
	k := &c.side[dir].keys
	for i := range k.dropped {
		if d := &k.dropped[i].datagram; c.wants.Links {
			c.flow.Acked(seq.Position{Frame: d.Frame, Part: d.Part}, 0)
		}
	}
	k.dropped = nil
}

// believeHeld tracks the held frames of a side: no guess at its secret is right, or the
// peer accepted one of them. A HARD_DISCONNECT is none of its own where the side goes on, with
// a frame that verified or was held later, or with the one at hand.
func (c *conn) believeHeld(dir dissect.Dir, goesOn bool) {
	k := &c.side[dir].keys
	var kept []*dissect.Datagram
	for i := len(k.held) - 1; i >= 0; i-- {
		h := &k.held[i]
		if goesOn = goesOn || !h.hard || k.verified > h.datagram.Time; goesOn && h.hard {
			k.dropped = append(k.dropped, *h)
		} else {
			kept = append(kept, &h.datagram)
		}
	}
	slices.Reverse(kept)
	k.held, k.trusting = nil, true
	at := *c.Event
	c.c.Replay(dir, at.Frame, kept, func(again *dissect.Frame) {
		if !c.decodeAgain(again) {
			return
		}
		c.tell(dir, Unchecked)
		if k := &c.Packet.SACK; c.Packet.Type == dp8.TypeSACK {
			c.heedSACK(dir, c.nextSend(&c.side[dir], k.NSeq), k)
			return
		}
		if h := &c.Packet.Handshake; c.Packet.Type == dp8.TypeHardDisconnect {
			c.heedHard(dir, c.nextSend(&c.side[dir], h.RspID), h)
			return
		}
		d := &c.Packet.DFrame
		num := c.side[dir].seq.Peek(uint32(d.Seq))
		c.sending(num, seq.Unmarked).Original()
		c.heedData(dir, num, d, c.isKeepAlive(d))
	})
	*c.Event = at
}

// showKeys shows a frame that is genuine to the keyring, which may derive the modifier of
// the next epoch from its payload (MC-DPL8R 3.1.4.4).
func (c *conn) showKeys(dir dissect.Dir, num seq.Num) {
	if c.mode != ModeFull || c.Packet.Type != dp8.TypeDFrame {
		return
	}
	d, k := &c.Packet.DFrame, &c.side[dir].keys
	k.see(num)
	if d.Command&dp8.Reliable == 0 || d.KeepAlive {
		return
	}
	if payload, ok := modifierPayload(d); ok {
		k.offer(num, payload, c.Frame.Payload, d.SignatureOff)
	}
}
