package track

import (
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// historySize is the number of data frames remembered of a side: two windows.
const historySize = 2 * dp8.WindowSize

// A Record is what is remembered of one data frame number of a side.
type Record struct {
	Frame     uint64 // first captured sending, that of the first sending once it is captured
	Time      int64  // of that, ns, valid with Timed
	Last      int64  // time of the latest sending
	Command   dp8.Command
	Control   dp8.Control
	Seq       uint8 // bSeq
	NRcv      uint8
	Parts     uint8 // coalesced parts, 0 when it is not coalesced
	Reliables uint8 // of them reliable
	Sendings  uint8 // captured, network copies not counted
	First     bool  // the first sending was captured, not only retries
	KeepAlive bool
	Timed     bool
	Cut       bool // by the capture: size, content and parts are not known
	carries   bool // what follows of its first sending is known

	// What only a second sending is compared with.
	Size      uint32 // bytes behind the header and the signature
	content   uint32 // hash of these
	reliable  uint32 // hash of its reliable coalesced parts
	Signature [8]byte
	Hash      uint64 // of its whole datagram

	Next  seq.Num // bNRcv, valid with carries; 0 when it can't be relied on
	Sacks uint64  // bit i: next+1+i
	Drops uint64  // bit i: num-1-i; what all sendings gave up
}

// A Resending is what is remembered of the latest sending of a number that was sent again.
type Resending struct {
	Hash      uint64 // of the whole datagram
	Signature [8]byte
}

// A History holds the latest data frames of a side.
type History struct {
	frames    seq.History[Record]
	Top       seq.Num // highest number
	Bottom    seq.Num // first number, and its time
	heard     int64   // time of the latest captured frame with a number
	SureSince int64   // the side was silent for long before
	fastest   int64   // shortest time in which WindowSize numbers were sent, ns
	Started   bool
	hasSpeed  bool
	missed    bool    // the peer acknowledged numbers before the first was captured
	Dropped   seq.Num // highest number that gave up others

	resent    seq.History[Resending] // of those that were sent again
	began     int64
	lowMemory bool
}

// At gives what is remembered of a number, or nil.
func (m *History) At(num seq.Num) *Record { return m.frames.At(num) }

// place makes room for a number at a time; nil is one that is too old.
func (m *History) place(num seq.Num, now int64) (f *Record, fresh bool) {
	if m.Started && num <= m.Top-historySize {
		return nil, false
	}
	m.frames.Most = historySize
	return m.frames.Put(num, func(n seq.Num, old *Record, size int) bool {
		if m.lowMemory && size >= seq.LowMemoryLeast && now-old.Last >= seq.LowMemoryTime {
			return false
		}
		return n > m.Top-historySize
	})
}

// resend notes the latest sending of a number that was sent again, which is remembered as
// long as the number is.
func (m *History) resend(num seq.Num, hash uint64, signature [8]byte) {
	m.resent.Most = historySize
	x, _ := m.resent.Put(num, func(n seq.Num, _ *Resending, _ int) bool { return m.At(n) != nil })
	if x != nil {
		x.Hash, x.Signature = hash, signature
	}
}

// clock learns, from a new number, how fast the side sends them.
func (m *History) clock(num seq.Num, f *Record) {
	before := m.At(num - dp8.WindowSize)
	if before == nil || !f.Timed || !before.Timed || !f.First || !before.First {
		return
	}
	if took := f.Time - before.Time; took > 0 && (!m.hasSpeed || took < m.fastest) {
		m.fastest, m.hasSpeed = took, true
	}
}

// Reachable reports a number within what the side may have in flight when the
// highest captured is the latest: nearer than the window to it.
func (m *History) Reachable(num seq.Num) bool {
	return m.Started && num > m.Top-dp8.WindowSize && num < m.Top+dp8.WindowSize
}
