package track

// near is the number with the given low byte that is nearest to ref.
func near(ref int64, wire uint8) int64 { return ref + int64(int8(wire-uint8(ref))) }
