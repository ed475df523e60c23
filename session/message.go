package session

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Message is one application message, put together from its parts.
type Message struct {
	Conn       *Conn
	Dir        dissect.Dir
	Index      uint64 // counts from 0 per direction, in delivery order
	FirstFrame uint64
	LastFrame  uint64 // the frame that completed it; delivery order follows it
	At         uint64 // frame during which it was delivered
	Time       int64  // when the last part needed was first captured
	HasTime    bool
	Frames     int     // parts
	Number     seq.Num // first number, unwrapped
	Unnumbered bool    // it has none: unreliable data of some protocols
	Reliable   bool
	Ordered    bool
	Complete   bool
	Size       int
	SHA256     [32]byte
	Payload    []byte // valid during the call; nil unless payloads are collected
}

// A Finding is a broken rule with its proof, or, when a guard stands against it,
// the suspicion of one.
type Finding struct {
	Rule     *conform.Rule
	Severity conform.Severity
	Guard    conform.Guard // not satisfied: the verdict is inconclusive; GuardNone: it is fail
	Conn     *Conn
	Dir      Side
	Frame    uint64   // the offending one
	Frames   []uint64 // all that prove it
	Time     int64
	HasTime  bool
	Message  string

	times *uint64 // of a rule that is reported once a side
}

// Times is how often the same was seen of the side, the finding itself included: more
// than once where the rule is reported once a side (conform.Rule.Summed).
func (f *Finding) Times() uint64 {
	if f.times == nil {
		return 1
	}
	return *f.times
}

// Failed reports whether the verdict is fail.
func (f *Finding) Failed() bool { return f.Guard == conform.GuardNone }
