package track

import (
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// historySize is how far below the highest number data frames are asked for: two windows.
const historySize = 2 * dp8.WindowSize

// A Record is what is remembered of one data frame number of a side: what the engine does, and a
// content beside it. It is valid until the next frame.
type Record struct {
	*content // nil for nothing
	known    seq.Known
	more     *more // of few
	num      seq.Num
}

// A content is what the first sending of a number held, or a retry where that was not captured.
type content struct {
	Command   dp8.Command
	Control   dp8.Control
	NRcv      uint8
	Parts     uint8 // coalesced parts, 0 when it is not coalesced
	Reliables uint8 // of them reliable
	KeepAlive bool
	Cut       bool // by the capture: size, content and parts are not known
	Signed    bool
	carries   bool    // what follows of its first sending is known
	extended  bool    // there is a more
	Size      uint16  // bytes behind the header and the signature
	hash      uint32  // of these
	reliable  uint32  // hash of its reliable coalesced parts
	next      seq.Num // bNRcv, valid with carries; 0 when it can't be relied on
}

// A more is what only few numbers need: those that were sent again, or carry masks.
type more struct {
	num      seq.Num
	sacks    uint64 // bit i: next+1+i
	drops    uint64 // bit i: num-1-i; what all sendings gave up
	several  bool   // what follows is valid: it was sent again, or its first sending was not captured first
	first    bool
	timed    bool
	sendings uint8
	frame    uint64
	time     int64
	last     int64
	hash     uint64
	latest   uint64 // hash of the latest sending
	signed   [8]byte
}

// An ignored frame is one that its receiver must ignore, so that the engine does not know it: it is
// behind END_STREAM.
type ignored struct {
	content content
	more    more
}

// IsKnown reports whether anything is remembered.
func (f Record) IsKnown() bool { return f.content != nil }

// Seq is bSeq.
func (f Record) Seq() uint8 { return uint8(f.num) }

// own reports that the engine does not know its sendings.
func (f Record) own() bool { return f.more != nil && f.more.several }

// Frame is the first captured sending, that of the first sending once it is captured.
func (f Record) Frame() uint64 {
	if f.own() {
		return f.more.frame
	}
	return f.known.Frame()
}

// Time is the time of that, ns, valid with Timed.
func (f Record) Time() int64 {
	if f.own() {
		return f.more.time
	}
	return f.known.Time()
}

// Timed reports whether the capture has a time for it.
func (f Record) Timed() bool {
	if f.own() {
		return f.more.timed
	}
	return f.known.Timed()
}

// Last is the time of the latest sending, ns.
func (f Record) Last() int64 {
	if f.own() {
		return f.more.last
	}
	return f.known.Time()
}

// First reports whether the first sending was captured, not only retries.
func (f Record) First() bool { return !f.own() || f.more.first }

// Sendings is how many were captured, network copies not counted.
func (f Record) Sendings() int {
	if f.own() {
		return int(f.more.sendings)
	}
	return 1
}

// Hash is that of the whole datagram of the first sending.
func (f Record) Hash() uint64 {
	if f.own() {
		return f.more.hash
	}
	return f.known.Hash()
}

// Next is what its bNRcv says, valid of what carries; 0 when it can't be relied on.
func (f Record) Next() seq.Num { return f.next }

// Sacks is its SACK mask: bit i is Next+1+i.
func (f Record) Sacks() uint64 {
	if f.more != nil {
		return f.more.sacks
	}
	return 0
}

// Drops is what all its sendings gave up: bit i is its number less 1+i.
func (f Record) Drops() uint64 {
	if f.more != nil {
		return f.more.drops
	}
	return 0
}

// A History holds the latest data frames of a side.
type History struct {
	out       *seq.Direction // nil once the connection is closed
	frames    seq.Column[content]
	Top       seq.Num // highest number
	Bottom    seq.Num // first number, and its time
	heard     int64   // time of the latest captured frame with a number
	SureSince int64   // the side was silent for long before
	fastest   int64   // shortest time in which WindowSize numbers were sent, ns
	Started   bool
	hasSpeed  bool
	missed    bool    // the peer acknowledged numbers before the first was captured
	Dropped   seq.Num // highest number that gave up others

	extended   []more              // by number
	ignored    []*ignored
	signatures seq.Column[[8]byte] // of what is signed
	began      int64
}

// At gives what is remembered of a number.
func (m *History) At(num seq.Num) (f Record) {
	if m.out == nil {
		return f
	}
	if f.content = m.frames.At(m.out, num); f.content != nil {
		f.num, f.known = num, m.out.Of(num)
		if f.extended {
			f.more = m.moreOf(num)
		}
		return f
	}
	for _, x := range m.ignored {
		if x.more.num == num {
			f.num, f.content, f.more = num, &x.content, &x.more
		}
	}
	return f
}

// place makes room for a number; ok is false of one that is too old.
func (m *History) place(num seq.Num) (f Record, fresh, ok bool) {
	if m.Started && num <= m.Top-historySize {
		return f, false, false
	}
	f.num = num
	if f.known, fresh, ok = m.out.Describe(num); !ok {
		return m.ignore(num)
	}
	f.content = m.frames.Place(m.out, num)
	if fresh {
		f.extended = false
	} else if f.extended {
		f.more = m.moreOf(num)
	}
	return f, fresh, true
}

// ignore makes room for a number that the engine does not know because it is ignored; ok is false
// of one that is too old.
func (m *History) ignore(num seq.Num) (f Record, fresh, ok bool) {
	if high, _ := m.out.Window().Highest(); num <= high {
		return f, false, false
	}
	if f = m.At(num); f.IsKnown() {
		return f, false, true
	}
	x := &ignored{more: more{num: num}}
	m.ignored = append(m.ignored, x)
	f.num, f.content, f.more = num, &x.content, &x.more
	return f, true, true
}

// Signature is that of the first sending of a number; all 0 where it has none.
func (m *History) Signature(f Record) (s [8]byte) {
	if f.Signed {
		s = *m.signatures.Place(m.out, f.num)
	}
	return s
}

// Latest gives hash and signature of the latest sending of a number that was sent again.
func (f Record) Latest() (hash uint64, signature [8]byte, ok bool) {
	if !f.own() || f.more.sendings < 2 {
		return 0, signature, false
	}
	return f.more.latest, f.more.signed, true
}

// moreOf gives the more of a number, nil for none.
func (m *History) moreOf(num seq.Num) *more {
	for i := len(m.extended) - 1; i >= 0 && m.extended[i].num >= num; i-- {
		if x := &m.extended[i]; x.num == num {
			return x
		}
	}
	return nil
}

// extend gives a number a more, where it has none.
func (m *History) extend(f *Record) {
	if f.more != nil {
		return
	}
	if f.more = m.moreOf(f.num); f.more == nil {
		f.more = m.insert(f.num)
	}
	*f.more = more{num: f.num}
	f.extended = true
}

// insert makes room for the more of a number.
func (m *History) insert(num seq.Num) *more {
	if len(m.extended) == cap(m.extended) {
		m.forget()
	}
	i := len(m.extended)
	m.extended = append(m.extended, more{})
	for ; i > 0 && m.extended[i-1].num > num; i-- {
		m.extended[i] = m.extended[i-1]
	}
	return &m.extended[i]
}

// forget drops what was told of numbers that are forgotten.
func (m *History) forget() {
	keep := m.extended[:0]
	for i := range m.extended {
		if f := m.At(m.extended[i].num); f.IsKnown() && f.extended {
			keep = append(keep, m.extended[i])
		}
	}
	m.extended = keep
}

// drop forgets a number.
func (m *History) drop(num seq.Num) { m.out.Undescribe(num) }

// clear forgets all, and frees it.
func (m *History) clear() {
	if m.out != nil {
		m.out.UndescribeAll()
	}
	m.frames.Free()
	m.signatures.Free()
	m.extended, m.ignored = nil, nil
}

// close is clear for good.
func (m *History) close() {
	m.out = nil
	m.clear()
}

// clock learns, from a new number, how fast the side sends them.
func (m *History) clock(num seq.Num, f Record) {
	before := m.At(num - dp8.WindowSize)
	if !before.IsKnown() || !f.Timed() || !before.Timed() || !f.First() || !before.First() {
		return
	}
	if took := f.Time() - before.Time(); took > 0 && (!m.hasSpeed || took < m.fastest) {
		m.fastest, m.hasSpeed = took, true
	}
}

// Reachable reports a number within what the side may have in flight when the
// highest captured is the latest: nearer than the window to it.
func (m *History) Reachable(num seq.Num) bool {
	return m.Started && num > m.Top-dp8.WindowSize && num < m.Top+dp8.WindowSize
}
