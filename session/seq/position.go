package seq

// A Position is where a frame stands in the capture: in which packet, and at which
// place among those that packet was taken apart into.
type Position struct {
	Frame uint64
	Part  uint8
}
