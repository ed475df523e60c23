package dissect

// A Frame is one captured datagram with all that became known of it: what
// `decode` prints, what filters see, what the tracker concluded.
type Frame struct {
	*Datagram
	Protocol   string   // "dp8", "udp", …
	Connection int      // id, -1 for none; given when the frame is printed
	Direction  byte     // 'a' or 'b', 0 for none
	Type       string   // "DFRAME"; "" for udp
	Summary    []byte   // one line for people, plain text, not yet escaped
	Tree       *Tree    // nil when no tree was asked for
	Words      Words    // what the analysis says of it
	RetryOf    uint64   // an earlier frame of the same unit, 0 for none
	AckedIn    uint64   // first captured frame that acknowledges it, 0 for none
	Unreliable bool     // its sender asks for no acknowledgement, though one may come
	Skippable  bool     // its sender does not send it again: an acknowledgement of it may pass over one that was lost
	Awaits     bool     // an acknowledgement of it may still be captured
	Acks       []uint64 // frames this one acknowledges first
	Answers    uint64   // frame of the ping, or of the step of a handshake, that this one answers, 0 for none
	AckRTT     int64    // ns since the latest of Acks, at least 1; 0 when it acknowledges none first
	Notes      []Note   // findings
	Err        *Error   // where decoding stopped
	Layout     Layout   // what the decoder knew beyond the bytes
	Possible   string   // protocol for which there was evidence, but not enough; Protocol is "udp"
}

// A Note is a finding shown at a frame.
type Note struct {
	Rule     string // "DP8-2.2.1.2-POLL-LISTENER"
	Severity string // "error", "warn" or "note"
	Message  string
}

// Words is a set of analysis words.
type Words uint32

const (
	Retry Words = 1 << iota
	UnneededRetry
	Duplicate
	OutOfOrder
	Gap
	GapFilled
	Ack
	DuplicateAck
	AckOfUncaptured
	WindowFull
	KeepAlive
	Handshake
	Close
	NewConnection
	BadSignature
	UnverifiedSignature
	Malformed
)

// WordNames are the analysis words, in the order of their bits and of output.
var WordNames = [...]string{
	"retry", "unneeded-retry", "duplicate", "out-of-order", "gap", "gap-filled", "ack", "duplicate-ack",
	"ack-of-uncaptured", "window-full", "keepalive", "handshake", "close", "new-connection",
	"bad-signature", "unverified-signature", "malformed",
}

// Has reports whether all words of w2 are in w.
func (w Words) Has(w2 Words) bool { return w&w2 == w2 }
