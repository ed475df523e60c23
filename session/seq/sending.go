package seq

import (
	"hash/maphash"

	"github.com/dpdissect/dpdissect/dissect"
)

// CopyHorizon is how late a byte-identical datagram without an IPv4
// identification may come to be taken for a copy made by the network
// (docs/analysis.md, Units), in nanoseconds.
const CopyHorizon = 30e6

// CopyDoubt is how late equal bytes must come to be called sent twice, in nanoseconds:
// the clock of a capture may be as coarse as CopyHorizon is long.
const CopyDoubt = 2 * CopyHorizon

// StartHorizon is how long after the first frame of a connection whose start
// was not captured a frame of its may still have been overtaken by one that
// passed before the capture began, in nanoseconds: what is missing until then
// was not lost by the capture.
const StartHorizon = 100e6

// Mark is what the protocol itself says about a sending.
type Mark uint8

const (
	Unmarked  Mark = iota // the protocol has no retry mark
	MarkFirst             // marked as a first sending
	MarkRetry             // marked as a retry
)

// A Sending is one captured transmission of a numbered unit.
type Sending struct {
	Num     int64
	Mark    Mark
	Exact   bool   // equal bytes of a number are a copy: the protocol tells its sendings apart
	Counted bool   // its bytes tell the sendings of a number apart: equal ones are a copy unless its side did not count
	Passed  bool   // what it acknowledges, or its tick, its side has surpassed since: it was sent before
	NoAck   bool   // no acknowledgement of it is due: a cumulative one of a later number may acknowledge it
	Hash    uint64 // of the whole payload
	Size    int    // bytes of the payload, by the UDP header
	IPID    uint16 // IPv4 identification, 0 when there is none
	Frame   uint64
	Part    uint8 // of Frame
	Time    int64 // ns
	HasTime bool

	asked, copied bool // what Copied answered
}

var hashSeed = maphash.MakeSeed()

// Of describes the datagram that sends a number.
func (s *Sending) Of(d *dissect.Datagram, num int64, mark Mark) *Sending {
	// Field by field: a copied literal would wait for its own narrow stores.
	s.Num, s.Mark, s.Exact, s.Counted, s.Passed, s.NoAck, s.Hash, s.IPID = num, mark, false, false, false, false, d.Sum, d.IPID
	s.asked = false
	if s.Hash == 0 {
		s.Hash = maphash.Bytes(hashSeed, d.Payload)
	}
	s.Frame, s.Part, s.Time, s.HasTime, s.Size = d.Frame, d.Part, d.Time, d.HasTime, d.Length
	return s
}
