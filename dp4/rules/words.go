package rules

// maskTop is the distance from the sequence of a NACK to the last packet that its mask names.
func maskTop(mask uint32) (n int) {
	for ; mask != 0; mask >>= 1 {
		n++
	}
	return n
}

// noWindow is for cases that two captured frames prove by themselves: nothing the
// capture missed could change them.
const noWindow = 1<<63 - 1
