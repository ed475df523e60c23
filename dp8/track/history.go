package track

import (
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// historySize bounds the numbers that are remembered below the highest: two windows.
const historySize = 2 * dp8.WindowSize

// A Record is what is remembered of one data frame number of a side: what the engine does, and a
// content beside it. It is valid until the next frame.
type Record struct {
	*content // nil for nothing
	known    seq.Known
	sent     *transmissions // nil where the engine knows all: the first transmission, captured once
	num      seq.Num
}

// A content is what the first transmission of a number held, or a retry where that was not captured.
type content struct {
	Command   dp8.Command
	Control   dp8.Control
	NRcv      uint8
	Parts     uint8 // coalesced parts, 0 when it is not coalesced
	Reliables uint8 // of them reliable
	has       has
	Size      uint16 // bytes behind the header and the signature
	hash      uint32 // of these
	reliable  uint32 // hash of its reliable coalesced parts
	next      int32  // what bNRcv says, valid with carries; 0 when it can't be relied on
	sacks     gaps   // SACK mask of its first transmission, unless that is masked
}

// has says what a number is, and what else is known of it.
type has uint8

const (
	keepAlive has = 1 << iota
	cut
	signed
	carries // next and masks of its first transmission are known
	several // there are transmissions
	masked  // there are masks, for gaps do not say them
)

func (c *content) is(x has) bool { return c != nil && c.has&x != 0 }

// IsKeepAlive reports a number of the KeepAlive.
func (c *content) IsKeepAlive() bool { return c.is(keepAlive) }

// IsCut reports whether the capture cut it: size, content and parts are not known.
func (c *content) IsCut() bool { return c.is(cut) }

// IsSigned reports whether it has a signature.
func (c *content) IsSigned() bool { return c.is(signed) }

// The transmissions of a number are told apart where there were several, or the first was not captured first.
type transmissions struct {
	num      seq.Num
	frame    uint64 // first captured transmission, that of the first transmission once it is captured
	time     int64  // of that, ns
	last     int64  // of the latest
	digest   uint32 `state:"digest"` // of the datagram in frame
	latest   uint32 `state:"digest"` // … of the latest
	signed   [8]byte
	n        uint8 // captured, network copies not counted
	hasFirst bool
	timed    bool
}

// An ignored frame is one that its receiver must ignore, so that the engine does not know it: it is
// behind END_STREAM.
type ignored struct {
	content content
	sent    transmissions
}

// IsKnown reports whether anything is remembered.
func (f Record) IsKnown() bool { return f.content != nil }

// Seq is bSeq.
func (f Record) Seq() uint8 { return uint8(f.num) }

// Frame is the first captured transmission, that of the first transmission once it is captured.
func (f Record) Frame() uint64 {
	if f.sent != nil {
		return f.sent.frame
	}
	return f.known.Frame()
}

// Time is the time of that, ns, valid with Timed.
func (f Record) Time() int64 {
	if f.sent != nil {
		return f.sent.time
	}
	return f.known.Time()
}

// Timed reports whether the capture has a time for it.
func (f Record) Timed() bool {
	if f.sent != nil {
		return f.sent.timed
	}
	return f.known.Timed()
}

// Last is the time of the latest transmission, ns.
func (f Record) Last() int64 {
	if f.sent != nil {
		return f.sent.last
	}
	return f.known.Time()
}

// First reports whether the first transmission was captured, not only retries.
func (f Record) First() bool { return f.sent == nil || f.sent.hasFirst }

// Transmissions counts those captured, network copies not counted.
func (f Record) Transmissions() int {
	if f.sent != nil {
		return int(f.sent.n)
	}
	return 1
}

// Digest is that of the whole datagram of the first transmission.
func (f Record) Digest() uint32 {
	if f.sent != nil {
		return f.sent.digest
	}
	return f.known.Digest()
}

// Latest gives digest and signature of the latest transmission of a number that was sent again.
func (f Record) Latest() (digest uint32, signature [8]byte, ok bool) {
	if f.Transmissions() < 2 {
		return 0, signature, false
	}
	return f.sent.latest, f.sent.signed, true
}

// Next is what its bNRcv says, valid of what carries; 0 when it can't be relied on.
func (f Record) Next() seq.Num { return seq.Num(f.next) }

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

	several    seq.Few[transmissions]
	ignored    []*ignored
	signatures seq.Column[[8]byte] // of what is signed
	masks      seq.Few[masks]      // of what is masked
	began      int64
}

// At gives what is remembered of a number.
func (m *History) At(num seq.Num) (f Record) {
	if m.out == nil {
		return f
	}
	if f.content, f.known = m.frames.At(m.out, num); f.content != nil {
		f.num = num
		if f.is(several) {
			f.sent = m.several.At(num)
		}
		return f
	}
	for _, x := range m.ignored {
		if x.sent.num == num {
			f.num, f.content, f.sent = num, &x.content, &x.sent
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
	if f.content, f.known, fresh = m.frames.Add(m.out, num); f.content == nil {
		return m.ignore(num)
	}
	if fresh {
		f.has = 0
	} else if f.is(several) {
		f.sent = m.several.At(num)
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
	x := &ignored{sent: transmissions{num: num}}
	m.ignored = append(m.ignored, x)
	f.num, f.content, f.sent = num, &x.content, &x.sent
	return f, true, true
}

// Signature is that of the first transmission of a number; all 0 where it has none.
func (m *History) Signature(f Record) (s [8]byte) {
	if f.is(signed) {
		s = *m.signatures.Place(m.out, f.num)
	}
	return s
}

// tellApart gives a number transmissions of its own, where it has none.
func (m *History) tellApart(f *Record) *transmissions {
	if f.sent == nil {
		if f.sent = m.several.At(f.num); f.sent == nil {
			f.sent = m.several.Put(f.num, m.isSeveral)
		}
		f.sent.num = f.num
		f.has |= several
	}
	return f.sent
}

// isSeveral reports whether the transmissions of a number are told apart.
func (m *History) isSeveral(num seq.Num) bool {
	x, _ := m.frames.At(m.out, num)
	return x != nil && x.is(several)
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
	m.several, m.masks, m.ignored = seq.Few[transmissions]{}, seq.Few[masks]{}, nil
}

// close is clear for good.
func (m *History) close() {
	m.out = nil
	m.clear()
}

// clock learns, from a new number, how fast the side sends them.
func (m *History) clock(num seq.Num, f Record) {
	before, ok := m.out.SentAt(num - dp8.WindowSize)
	if !ok || !f.Timed() || !f.First() {
		return
	}
	if took := f.Time() - before; took > 0 && (!m.hasSpeed || took < m.fastest) {
		m.fastest, m.hasSpeed = took, true
	}
}

// Reachable reports a number within what the side may have in flight when the
// highest captured is the latest: nearer than the window to it.
func (m *History) Reachable(num seq.Num) bool {
	return m.Started && num > m.Top-dp8.WindowSize && num < m.Top+dp8.WindowSize
}
