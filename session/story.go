package session

// MaxStories is how many address pairs of a table are explained, and liveStories
// how many in a run without end.
const (
	MaxStories  = 4096
	liveStories = 256
)

// A Story tells how an address pair was recognised, or why it was not.
type Story struct {
	A, B      string // addresses; a sent the first datagram
	First     uint64 // frame
	Datagrams int    // looked at until it was decided
	Protocol  string // recognised, or ""
	Frame     uint64 // that made it certain, or the last one looked at
	Tries     []Try
}

// A Try is what the probe of one protocol made of a pair.
type Try struct {
	Protocol string
	Held     float64 // gathered
	Hopeless bool    // it can't be the protocol
	Reasons  []Reason
}
