package track

// A mode is how the frames of a connection are signed.
type mode uint8

const (
	modeUnknown mode = iota
	modeNone
	modeFast
	modeFull
)

var modeNames = [...]string{"", "none", "fast", "full"}
