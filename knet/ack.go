package knet

import (
	"encoding/binary"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
)

const (
	AckSize      = 7
	ackBitsSpec  = 34
	ackBitsLib   = 32
	ackExtraBits = ackBitsSpec - ackBitsLib // in the upper bits of the u24
)

// MaxAcked bounds the datagrams that one PacketAck can acknowledge.
const MaxAcked = 1 + ackBitsSpec

// An Ack is the body of a PacketAck (kNet page, Reserved Messages; AMB-KN-06).
//
//	spec       56 bits: PacketID in 21–0, then 34 sequence bits
//	           or, word first: the u32 holds the first 32 sequence bits, 23–22 the last two
//	reference  u24 PacketID, u32 sequence bits
type Ack struct {
	PacketID  uint32 // 22 bits; 24 with Reference, whose reader masks nothing
	Bits      uint64 // bit i acknowledges PacketID+1+i
	WordFirst bool   // Spec: how the bits stand in the body
}

func (a *Ack) read(r *dissect.Reader, p Params) {
	at := r.Pos()
	b := r.Peek(AckSize)
	r.Skip(&Fields[FAckPacketID], AckSize)
	if b == nil {
		return
	}
	*a = ackOf(b, p)
	if t := r.Tree(); t != nil {
		t.Add(&Fields[FAckPacketID], at, 3, uint64(a.PacketID))
		t.Add(&Fields[fAckBits], at+3, 4, a.Bits)
		var ids [MaxAcked]int64
		t.AddIDs(&Fields[fAcked], at, a.AppendIDs(ids[:0]))
	}
}

// AckOf reads the body of a PacketAck.
func AckOf(b []byte, dialect Dialect) Ack {
	id, seq := uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16, uint64(binary.LittleEndian.Uint32(b[3:]))
	if dialect == Spec {
		return Ack{PacketID: id & PacketIDMask, Bits: seq<<ackExtraBits | uint64(id>>PacketIDBits)}
	}
	return Ack{PacketID: id, Bits: seq}
}

// ackOf is AckOf by what is known of the sender.
func ackOf(b []byte, p Params) Ack {
	a := AckOf(b, p.Dialect)
	if p.WordFirst && p.Dialect == Spec {
		a = a.Other()
	}
	return a
}

// Other is what the bytes of a PacketAck of Spec say by the other reading of their
// sequence bits.
func (a Ack) Other() Ack {
	if a.WordFirst {
		a.Bits = a.Bits<<ackExtraBits&(1<<ackBitsSpec-1) | a.Bits>>ackBitsLib
	} else {
		a.Bits = a.Bits>>ackExtraBits | a.Bits&(1<<ackExtraBits-1)<<ackBitsLib
	}
	a.WordFirst = !a.WordFirst
	return a
}

// AppendIDs appends the PacketIDs acknowledged, in order. A PacketID of more than 22
// bits names none.
func (a *Ack) AppendIDs(dst []int64) []int64 {
	if a.PacketID <= PacketIDMask {
		dst = append(dst, int64(a.PacketID))
	}
	for m := a.Bits; m != 0; m &= m - 1 {
		dst = append(dst, int64((a.PacketID+1+uint32(bits.TrailingZeros64(m)))&PacketIDMask))
	}
	return dst
}

// Acked appends the PacketIDs acknowledged, in order.
func (a *Ack) Acked(dst []uint32) []uint32 {
	var ids [MaxAcked]int64
	for _, id := range a.AppendIDs(ids[:0]) {
		dst = append(dst, uint32(id))
	}
	return dst
}

// Append appends the encoded body to b.
func (a *Ack) Append(b []byte, dialect Dialect) []byte {
	id, seq := a.PacketID, a.Bits
	if dialect == Spec {
		if a.WordFirst {
			seq = a.Other().Bits
		}
		id = id&PacketIDMask | uint32(seq)<<PacketIDBits
		seq >>= ackExtraBits
	}
	b = append(b, byte(id), byte(id>>8), byte(id>>16))
	return binary.LittleEndian.AppendUint32(b, uint32(seq))
}
