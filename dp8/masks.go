package dp8

import (
	"encoding/binary"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
)

// addSacked records the sequences a SACK mask names, lowest first: bit i is
// nrcv+1+i (MC-DPL8R 3.1.5.2.3, AMB-DP8-06).
func addSacked(r *dissect.Reader, nrcv uint8, mask uint64) {
	if !r.OK() {
		return
	}
	var ids [64]int64
	n := 0
	for ; mask != 0; mask &= mask - 1 {
		ids[n] = int64(nrcv + 1 + uint8(bits.TrailingZeros64(mask)))
		n++
	}
	r.Tree().AddIDs(&Fields[fSacked], r.Pos(), ids[:n])
}

// addDropped records the sequences a send mask gives up, oldest first: bit i is
// seq-1-i (MC-DPL8R 3.1.5.2.4, AMB-DP8-07).
func addDropped(r *dissect.Reader, seq uint8, mask uint64) {
	if !r.OK() {
		return
	}
	var ids [64]int64
	n := 0
	for mask != 0 {
		top := 63 - bits.LeadingZeros64(mask)
		ids[n] = int64(seq - 1 - uint8(top))
		n++
		mask &^= 1 << top
	}
	r.Tree().AddIDs(&Fields[fDropped], r.Pos(), ids[:n])
}

func appendMask(b []byte, mask uint64, lo, hi bool) []byte {
	if lo {
		b = binary.LittleEndian.AppendUint32(b, uint32(mask))
	}
	if hi {
		b = binary.LittleEndian.AppendUint32(b, uint32(mask>>32))
	}
	return b
}
