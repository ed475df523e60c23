package track

import (
	"github.com/dpdissect/dpdissect/session/seq"
	"math/bits"
)

// plain says whether the unreliable datagrams of a side are acknowledged, too.
// The texts ask for no such thing and the library does not do it, but some
// receivers acknowledge whatever comes.
type plain struct {
	latest [plainIDs]uint32 // low bits of unreliable PacketIDs, plus 1
	acks   int              // acknowledgements seen, up to enoughAcks
	acked  bool             // one of them was of an unreliable datagram
}

// await notes an unreliable datagram and reports whether it may be acknowledged.
func (p *plain) await(num seq.Num) bool {
	if p.acks < enoughAcks {
		p.latest[num&(plainIDs-1)] = uint32(num) + 1
	}
	return p.acked || p.acks < enoughAcks
}

// acknowledged notes the acknowledgement of PacketIDs from one on, as a mask.
func (p *plain) acknowledged(first seq.Num, mask uint64) {
	for ; mask != 0 && p.acks < enoughAcks; mask &= mask - 1 {
		num := first + seq.Num(bits.TrailingZeros64(mask))
		p.acks++
		p.acked = p.acked || p.latest[num&(plainIDs-1)] == uint32(num)+1
	}
}
