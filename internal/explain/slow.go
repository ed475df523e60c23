package explain

// FarAbove reports whether a round trip is far above the least one of its side, both in ns, as
// what is said of delays means it. The least is 0 where none is known.
func FarAbove(least, ns int64) bool {
	return least > 0 && ns >= slowFactor*least && ns-least >= slowLeast
}
