package track

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/seq"
)

// RecordLimit bounds the reliable packets of a side that are remembered, and recordStep says how many more there are at most until
// they are forgotten.
const (
	RecordLimit = 512
	recordStep  = 64
)

// A Record is what is remembered of one reliable packet: what the engine does, and a content beside it. It is
// valid until the next frame.
type Record struct {
	*content // nil for nothing
	known    seq.Known
	again    *further // nil where it was sent and acknowledged once at most
}

// A content is what a reliable packet held, and what came of it.
type content struct {
	head, tail uint64 // first and last bytes after the header
	Code       byte   // its first byte
	Times      uint8  // transmissions, up to 255
	Acks       uint8  // acknowledgements, up to 255, copies left out
	cut        bool   // by the capture
	summed     bool   // its hash is that of its checksum
	several    bool   // there is a further of it
}

// A further is what is remembered of a packet that was sent, or acknowledged, again.
type further struct {
	pairs  *pairing // of transmissions and acknowledgements
	last   int64    // time of its latest transmission, ns, 0 while there is one
	gap    int64    // between that and the one before, ns, likewise
	before int64    // the gap before that
	ackAt  int64    // when it was acknowledged last, ns, 0 where the engine knows it
	known  int64    // when it had been acknowledged KnownAcks times
}

// KnownAcks is how many acknowledgements of one packet leave no doubt that its sender has
// one.
const KnownAcks = 4

// IsKnown reports whether anything is remembered.
func (x Record) IsKnown() bool { return x.content != nil }

// Length is that of the UDP payload, in bytes.
func (x Record) Length() int { return x.known.Size() }

// Last is when it was transmitted last, ns.
func (x Record) Last() int64 {
	if x.again != nil && x.again.last != 0 {
		return x.again.last
	}
	return x.known.Time()
}

// AckAt is when it was acknowledged last, ns, 0 for never.
func (x Record) AckAt() int64 {
	switch {
	case x.Acks == 0:
		return 0
	case x.again != nil && x.again.ackAt != 0:
		return x.again.ackAt
	}
	return x.known.AckedAt()
}

// KnownAt is when the packet had been acknowledged KnownAcks times, ns, 0 for never.
func (x Record) KnownAt() int64 {
	if x.again == nil {
		return 0
	}
	return x.again.known
}

func (x Record) pairs() *pairing {
	if x.again == nil {
		return nil
	}
	return x.again.pairs
}

// records are the latest reliable packets of a side.
type records struct {
	seq.Column[content]
	from seq.Num // those before are forgotten
}

// record gives the Record of a number of a side.
func (s *side) record(n seq.Num) (x Record) {
	if x.content, x.known = s.records.At(s.out, n); x.content != nil && x.several {
		x.again = s.several.At(n)
	}
	return x
}

// further gives the further of a packet, a new one where it has none.
func (s *side) further(x *Record, n seq.Num) *further {
	if x.again != nil {
		return x.again
	}
	if x.again = s.several.At(n); x.again == nil {
		x.again = s.several.Put(n, func(n seq.Num) bool {
			y, _ := s.records.At(s.out, n)
			return y != nil && y.several
		})
	}
	*x.again, x.several = further{}, true
	return x.again
}

// acknowledged notes an acknowledgement of a packet.
func (s *side) acknowledged(x *Record, n seq.Num, now int64) {
	x.Acks = min(x.Acks, 254) + 1
	if x.Acks > 1 || x.known.AckedAt() != now { // histories told it before
		s.further(x, n).ackAt = now
	}
	if x.Acks == KnownAcks {
		x.again.known = now
	}
}

// remember fills the record of a number that was captured for the first time.
func (s *side) remember(n seq.Num, fr *dissect.Frame, f *hazel.Frame) {
	if x, _, _ := s.records.Add(s.out, n); x != nil {
		*x = content{Code: f.Code, Times: 1, cut: fr.Cut(), summed: fr.Sum != 0}
		x.head, x.tail = ends(fr.Payload)
	}
	if r := &s.records; n-RecordLimit-r.from >= recordStep {
		r.Forget(s.out, r.from, n-RecordLimit)
		r.from = n - RecordLimit
	}
}

// forget forgets the records of a side.
func (s *side) forget() {
	if s.out != nil {
		s.out.UndescribeAll()
		s.records.Free()
		s.several = seq.Few[further]{}
	}
}

// ends are the first and last bytes after type and id.
func ends(b []byte) (head, tail uint64) {
	if len(b) <= 3 {
		return 0, 0
	}
	if b = b[3:]; len(b) >= 8 {
		return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[len(b)-8:])
	}
	var few [8]byte
	copy(few[:], b)
	head = binary.LittleEndian.Uint64(few[:])
	return head, head
}

// Resembles reports whether a datagram with other bytes looks like the packet
// changed rather than like another one.
func (x Record) Resembles(fr *dissect.Frame, f *hazel.Frame) bool {
	head, tail := ends(fr.Payload)
	return x.Code == f.Code && x.Length() == fr.Length && (alike(head, x.head) || alike(tail, x.tail))
}

// alike reports that most bytes are equal.
func alike(a, b uint64) bool {
	other := 0
	for x := a ^ b; x != 0; x >>= 8 {
		if x&0xff != 0 {
			other++
		}
	}
	return other <= 3
}

// differs reports whether the frame at hand has other bytes than the first
// transmission of its number, as far as both were captured whole. Where one of them was
// not fingerprinted their ends are compared.
func (x Record) differs(fr *dissect.Frame, f *hazel.Frame, s *seq.Sending, first *seq.Look) (differs, sure bool) {
	switch {
	case fr.Cut() || x.cut || !first.First:
		return false, false
	case (fr.Sum != 0) == x.summed:
		return s.Digest() != first.Digest, true
	}
	head, tail := ends(fr.Payload)
	differs = x.Code != f.Code || x.Length() != fr.Length || head != x.head || tail != x.tail
	return differs, differs || fr.Length <= 3+16
}

// A Span is what a side sent so far, as far as it was captured: copies are left out.
type Span struct {
	Highest
	Low      Number // the first that was captured
	LowFrame uint64
	LowAt    int64 // ns

	Transmissions int // of reliable packets, resends among them
	Resends       int // without those that are copies for certain
	Again         int // packets sent again, perhaps
	Heard         int // packets acknowledged before they were sent again
}

// A Highest is the highest number of a side.
type Highest struct {
	Sent     bool    // it sent something with a number
	Top      seq.Num // of the engine
	TopID    uint16
	TopFrame uint64
	TopAt    int64 // when it was captured first, ns
}

// reach enters a number that was captured for the first time.
func (s *Span) reach(n Number, fr *dissect.Frame, id uint16) {
	if !s.Sent {
		s.Low, s.LowFrame, s.LowAt = n, fr.Frame, fr.Time
	}
	if !s.Sent || n.Engine > s.Top {
		s.Top, s.TopAt, s.TopID, s.TopFrame = n.Engine, fr.Time, id, fr.Frame
	}
	s.Sent = true
}

// lateCopy is up to how long after the first, in ns, a transmission without identification may be
// a copy of it that was overtaken.
const lateCopy = 90e6

// noteTransmission remembers a transmission with a number of its own.
func (c *conn) noteTransmission(s *side, n Number, v seq.Verdict) {
	fr := c.Frame
	c.Parts |= Numbered
	c.Number, c.Verdict, c.Before = n, v, s.Highest
	c.Record, c.Differs, c.Counted = Record{}, false, false
	if v.Words.Has(dissect.Duplicate) || !fr.HasTime {
		return
	}
	switch v.Novelty {
	case seq.First:
		s.remember(n.Engine, fr, c.Packet)
		s.Transmissions++
		if len(s.strays) > 0 && s.Sent && n.Engine > s.Top {
			c.witness(s, n.Engine)
		}
		s.reach(n, fr, c.Packet.ID)
	case seq.Again:
		if x := s.record(n.Engine); x.IsKnown() && fr.Time-x.Last() <= Keep {
			c.noteAgain(s, n.Engine, x)
		}
	}
}

// noteAgain remembers a further transmission of a number, unless it may be a copy.
func (c *conn) noteAgain(s *side, n seq.Num, x Record) {
	fr := c.Frame
	first, ok := s.out.Look(n)
	differs, sure := x.differs(fr, c.Packet, &c.Sent, &first)
	if !ok || !sure {
		return
	}
	c.First, c.Record, c.Differs = first, x, differs
	c.Was = Counts{x.Times, x.Acks, x.Last(), x.AckAt()}
	gap := fr.Time - c.Was.Last
	if differs || gap <= 0 {
		return
	}
	s.Transmissions++
	s.Resends++
	if x.Times == 1 {
		s.Again++
	}
	if fr.IPID == 0 && gap <= max(c.c.Rules.Horizon(), lateCopy) {
		return // it may be a copy
	}
	r := s.further(&c.Record, n)
	c.pairTransmission(&first)
	c.Counted, c.Gap, c.Gaps = true, gap, [2]int64{r.gap, r.before}
	r.before, r.gap, r.last = r.gap, gap, fr.Time
	x.Times = min(x.Times, 254) + 1
}

// noteAck remembers an acknowledgement of a side that names n.
func (c *conn) noteAck(s *side, n seq.Num) {
	peer, now, x := s.peer, c.Frame.Time, &c.Record
	c.Parts |= Acknowledges
	c.Acked, c.Counted, c.AnswersFirst = n, false, false
	*x = peer.record(n)
	if c.Captured = x.IsKnown(); !c.Captured {
		c.Captured, _ = peer.out.Captured(n)
	}
	switch {
	case c.Frame.Words.Has(dissect.Duplicate) || !c.Frame.HasTime:
		*x = Record{}
		return
	case !c.Captured:
		c.noteOdd(s, n)
		return
	case !x.IsKnown():
		return
	case x.Acks > 0 && c.Frame.IPID == 0 && now-x.AckAt() <= c.c.Rules.Horizon():
		return // it may be a copy
	}
	first := x.Acks == 0 && c.Frame.IPID != 0 && x.Code != 0x0C
	c.AnswersFirst = first && c.Frame.Words.Has(dissect.Ack)
	peer.acknowledged(x, n, now)
	if c.Counted = true; c.AnswersFirst && x.Times == 1 {
		peer.Heard++
	}
	switch {
	case x.pairs() != nil:
		c.pairAck(peer, x)
	case x.Acks > 1:
		peer.out.Trips().Unpair() // the network copies datagrams, or the capture misses some
	}
}
