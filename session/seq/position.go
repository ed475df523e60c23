package seq

// A Position is where a frame stands in the capture: in which packet, and at which
// place among those that packet was taken apart into.
type Position struct {
	Frame uint64
	Part  uint8
	// Hearsay says, of one that is acknowledged, that this is no proof of its arrival: only
	// a history names it, which implementations are known to set wrongly.
	Hearsay bool
}
