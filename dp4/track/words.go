package track

// near is the number with the given low byte that is nearest to ref.
func near(ref int64, wire uint8) int64 { return ref + int64(int8(wire-uint8(ref))) }

// maskTop is how far the highest bit of a mask lies behind the NACK's sequence.
func maskTop(mask uint32) (n int) {
	for ; mask != 0; mask >>= 1 {
		n++
	}
	return n
}

// noWindow is for cases that two captured frames prove by themselves: nothing the
// capture missed could change them.
const noWindow = 1<<63 - 1
