package track

import (
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// historySize is the number of data frames remembered of a side: two windows.
const historySize = 2 * dp8.WindowSize

// A sentFrame is what is remembered of one data frame number of a side.
type sentFrame struct {
	frame     uint64 // first captured sending, that of the first sending once it is captured
	time      int64  // of that, ns, valid with timed
	last      int64  // time of the latest sending
	command   dp8.Command
	control   dp8.Control
	seq       uint8 // bSeq
	nrcv      uint8
	parts     uint8 // coalesced parts, 0 when it is not coalesced
	reliables uint8 // of them reliable
	sendings  uint8 // captured, network copies not counted
	first     bool  // the first sending was captured, not only retries
	keepAlive bool
	timed     bool
	cut       bool // by the capture: size, content and parts are not known
	carries   bool // what follows of its first sending is known

	// What only a second sending is compared with.
	size      uint32 // bytes behind the header and the signature
	content   uint32 // hash of these
	reliable  uint32 // hash of its reliable coalesced parts
	signature [8]byte
	hash      uint64 // of its whole datagram

	next  int64  // bNRcv, 0 when it can't be relied on
	sacks uint64 // bit i: next+1+i
	drops uint64 // bit i: num-1-i; what all sendings gave up
}

// A resending is what is remembered of the latest sending of a number that was sent again.
type resending struct {
	hash      uint64 // of the whole datagram
	signature [8]byte
}

// A history holds the latest data frames of a side.
type history struct {
	frames    seq.History[sentFrame]
	resent    seq.History[resending] // of those that were sent again
	top       int64                  // highest number
	started   bool
	missed    bool  // the peer acknowledged numbers before the first was captured
	bottom    int64 // first number, and its time
	began     int64
	heard     int64 // time of the latest captured frame with a number
	sureSince int64 // the side was silent for long before
	fastest   int64 // shortest time in which WindowSize numbers were sent, ns
	hasSpeed  bool
	dropped   int64 // highest number that gave up others
	lowMemory bool
}

// at gives what is remembered of a number, or nil.
func (m *history) at(num int64) *sentFrame { return m.frames.At(num) }

// place makes room for a number at a time; nil is one that is too old.
func (m *history) place(num, now int64) (f *sentFrame, fresh bool) {
	if m.started && num <= m.top-historySize {
		return nil, false
	}
	m.frames.Most = historySize
	return m.frames.Put(num, func(n int64, old *sentFrame, size int) bool {
		if m.lowMemory && size >= seq.LowMemoryLeast && now-old.last >= seq.LowMemoryTime {
			return false
		}
		return n > m.top-historySize
	})
}

// resend notes the latest sending of a number that was sent again, which is remembered as
// long as the number is.
func (m *history) resend(num int64, hash uint64, signature [8]byte) {
	m.resent.Most = historySize
	x, _ := m.resent.Put(num, func(n int64, _ *resending, _ int) bool { return m.at(n) != nil })
	if x != nil {
		x.hash, x.signature = hash, signature
	}
}

// clock learns, from a new number, how fast the side sends them.
func (m *history) clock(num int64, f *sentFrame) {
	before := m.at(num - dp8.WindowSize)
	if before == nil || !f.timed || !before.timed || !f.first || !before.first {
		return
	}
	if took := f.time - before.time; took > 0 && (!m.hasSpeed || took < m.fastest) {
		m.fastest, m.hasSpeed = took, true
	}
}

// reachable reports a number within what the side may have in flight when the
// highest captured is the latest: nearer than the window to it.
func (m *history) reachable(num int64) bool {
	return m.started && num > m.top-dp8.WindowSize && num < m.top+dp8.WindowSize
}
