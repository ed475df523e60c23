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
	MaxSingle     = 2048    // address pairs per table of which one datagram came
	MaxOneWay     = 256     // … of which several of one side came
	MaxAnswered   = 768     // … of which both sides sent something
	MaxHopeless   = 256     // … together, from which on those that look like no protocol are left alone
	MaxForeign    = 1024    // … of these

	heldCost = 192 // bytes a held datagram takes besides its payload
)
