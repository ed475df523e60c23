package track

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session/seq"
)

// The page does not say in which order the 34 sequence bits of a PacketAck stand in their
// two fields (AMB-KN-06). Each acknowledgement whose bits mean something else by the two
// readings is a vote of its side: the right reading names what the peer has sent reliably,
// the other one names PacketIDs that are ahead of it, or were sent unreliable. Until one
// is ahead, what both readings name is acknowledged, and the rest waits.
type ackBits struct {
	votes     [2]int // for one row of bits, for the word first
	sure      bool
	wordFirst bool
	open      []openAck // oldest first
}

// An openAck is what one reading of an acknowledgement names and the other does not.
type openAck struct {
	seq.Acknowledgement
	first seq.Num
	names [2]uint64 // from first on: by one row of bits, by the word first
}

// maxOpen bounds the acknowledgements that wait for the vote.
const maxOpen = 32

// clearVotes is by how many votes one reading must be ahead; the other may have one in
// four.
const clearVotes = 3

// An ackReading finds out in which order of bits a side means its PacketAcks. It holds nothing
// but the connection it looks at.
type ackReading struct{ *conn }

// readAcks settles what the PacketAcks of the datagram at hand name.
func (c ackReading) readAcks(dir dissect.Dir) {
	b := &c.side[dir].bits
	for i := range c.Datagram.Messages {
		if m := &c.Datagram.Messages[i]; m.Kind == knet.PacketAck && m.Whole && !b.sure {
			c.readAck(dir, &m.Ack)
		}
	}
}

// readAck settles what one names; it was read as one row of bits.
func (c ackReading) readAck(dir dissect.Dir, a *knet.Ack) {
	b, other := &c.side[dir].bits, a.Other()
	if a.WordFirst || other.Bits == a.Bits {
		return
	}
	if _, sent := c.c.Dir[dir.Other()].Window().Highest(); !sent {
		return
	}
	row, word := c.strangeness(dir.Other(), a), c.strangeness(dir.Other(), &other)
	switch {
	case row < word:
		b.votes[0]++
	case word < row:
		b.votes[1]++
	}
	b.decide(c.pair)
	lead := b.votes[1] - b.votes[0]
	if lead != 0 {
		c.settleAcks(dir, lead > 0)
	}
	switch {
	case lead > 0 && (b.sure || word < row):
		*a = other
	case lead < 0 && row <= word:
	default:
		c.leaveOpen(dir, a, &other)
	}
}

// decide ends the vote when it is clear.
func (b *ackBits) decide(p *pair) {
	x, y := b.votes[0], b.votes[1]
	if max(x, y)-min(x, y) < clearVotes || 4*min(x, y) > max(x, y) {
		return
	}
	b.sure, b.wordFirst = true, y > x
	p.wordFirst = p.wordFirst || b.wordFirst
}

// leaveOpen takes of an acknowledgement what both readings name.
func (c ackReading) leaveOpen(dir dissect.Dir, a, other *knet.Ack) {
	b, d, both := &c.side[dir].bits, c.Frame.Datagram, a.Bits&other.Bits
	if len(b.open) < maxOpen {
		x := openAck{first: c.side[dir.Other()].ids.Peek(a.PacketID) + 1, names: [2]uint64{a.Bits &^ both, other.Bits &^ both}}
		x.Frame, x.Time, x.HasTime = d.Frame, d.Time, d.HasTime
		b.open = append(b.open, x)
	}
	a.Bits = both
}

// settleAcks acknowledges what waits, as one reading says. Of what was not captured that
// says too little.
func (c ackReading) settleAcks(dir dissect.Dir, wordFirst bool) {
	b := &c.side[dir].bits
	for i := range b.open {
		x := &b.open[i]
		names := x.names[0]
		if wordFirst {
			names = x.names[1]
		}
		for m := names; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if seen, _ := c.c.Dir[dir.Other()].Captured(x.first + seq.Num(i)); !seen {
				names &^= 1 << i
			}
		}
		c.side[dir.Other()].plain.acknowledged(x.first, names)
		c.c.Dir[dir.Other()].AcknowledgeRun(x.first, names, &x.Acknowledgement, func(at seq.Position) { c.flow.Acked(at, x.Frame) }, c.side[dir.Other()].acknowledged)
	}
	b.open = nil
}

// mayHave reports that it is open whether a side has acknowledged a PacketID.
func (b *ackBits) mayHave(num seq.Num) bool {
	for i := range b.open {
		if k := num - b.open[i].first; k >= 0 && k < 64 && (b.open[i].names[0]|b.open[i].names[1])>>uint(k)&1 != 0 {
			return true
		}
	}
	return false
}

// Marks against what an acknowledgement names of a side.
const (
	strangeAhead = 4 // the side had not come to it
	strangePlain = 2 // it was sent unreliable
	strangeAcked = 1 // it was acknowledged before, and never sent again
)

// strangeness is how little likely it is that a side is acknowledged as it is said.
func (c ackReading) strangeness(dir dissect.Dir, a *knet.Ack) (n int) {
	s := &c.side[dir]
	first := s.ids.Peek(a.PacketID) + 1
	out := &c.c.Dir[dir]
	top, _ := out.Window().Highest()
	for m := a.Bits; m != 0; m &= m - 1 {
		num := first + seq.Num(bits.TrailingZeros64(m))
		switch x, _ := out.Look(num); {
		case num > top:
			n += strangeAhead
		case !x.Captured:
		case x.NoAck:
			n += strangePlain
		case x.Acked && !x.Retried:
			n += strangeAcked
		}
	}
	return n
}

// reads gives the parameters by which a datagram of a side of a connection is read.
func (p *pair) reads(c *conn, dir dissect.Dir) knet.Params {
	params := p.params
	params.WordFirst = c.side[dir].bits.wordFirst
	return params
}
