package session

// MaxOpen is how many connections a table follows at a time. When there are more,
// those that were silent the longest are summed up: what was found out stays, the
// memory of numbers goes, and further frames are counted and nothing else.
const MaxOpen = 192

// Limits of what is held back of address pairs that are not recognised yet.
const (
	HoldDatagrams = 256     // per address pair
	HoldBytes     = 2 << 20 // per table, payloads of all pairs together and heldCost for each
	HoldTime      = 30e9    // ns of silence after which evidence is forgotten
	MaxUndecided  = 1024    // address pairs per table that evidence is kept of
	MaxHopeless   = 256     // … while some of them look like none of the protocols

	heldCost = 192 // bytes a held datagram takes besides its payload
	sweepGap = 1e9 // ns between two looks for silent pairs when there are too many
)
