package session

// A Message is one application message, put together from its parts.
type Message struct {
	Conn       *Conn
	Dir        int
	Index      uint64 // counts from 0 per direction, in delivery order
	FirstFrame uint64
	LastFrame  uint64 // the frame that completed it; delivery order follows it
	At         uint64 // frame during which it was delivered
	Time       int64  // when the last part needed was first captured
	HasTime    bool
	Frames     int   // parts
	Number     int64 // first number, unwrapped
	Unnumbered bool  // it has none: unreliable data of some protocols
	Reliable   bool
	Ordered    bool
	Complete   bool
	Size       int
	SHA256     [32]byte
	Payload    []byte // valid during the call; nil unless payloads are collected
}

// A Finding is a broken rule with its proof.
type Finding struct {
	Rule     string
	Severity Severity
	Clause   string
	Conn     *Conn
	Dir      Side
	Frame    uint64
	Frames   []uint64
	Time     int64
	HasTime  bool
	Message  string
}

// Severity grades a finding.
type Severity uint8

const (
	Error Severity = iota
	Warn
	Note
)

var severityNames = [...]string{"error", "warn", "note"}

func (s Severity) String() string { return severityNames[s] }
