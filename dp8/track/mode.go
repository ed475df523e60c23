package track

// A Mode is how the frames of a connection are signed.
type Mode uint8

const (
	ModeUnknown Mode = iota
	ModeNone
	ModeFast
	ModeFull
)

var modeNames = [...]string{"", "none", "fast", "full"}
