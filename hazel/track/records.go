package track

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/seq"
)

// RecordKeep is for how long a reliable packet may be sent again, in ns: every release has
// given up by then.
const RecordKeep = 12e9

// RecordLimit is how many reliable packets of a side are remembered.
const RecordLimit = 512

// A Record is what is remembered of one reliable packet, besides what the engine does.
type Record struct {
	head, tail uint64   // first and last bytes after the header
	Last       int64    // time of its latest transmission, ns
	AckAt      int64    // when it was acknowledged last, ns
	again      *further // once it was sent, or acknowledged, again
	Length     uint16   // bytes of UDP payload
	Code       byte     // its first byte
	Times      uint8    // transmissions, up to 255
	Acks       uint8    // acknowledgements, up to 255, copies left out
	cut        bool     // by the capture
	summed     bool     // its hash is that of its checksum
}

// A further is what is remembered of a packet that was sent, or acknowledged, again.
type further struct {
	pairs  *pairing // of transmissions and acknowledgements
	gap    int64    // between its latest transmission and the one before, ns, 0 while there is one
	before int64    // the gap before that
	known  int64    // when it had been acknowledged KnownAcks times
}

// KnownAcks is how many acknowledgements of one packet leave no doubt that its sender has
// one.
const KnownAcks = 4

// KnownAt is when the packet had been acknowledged KnownAcks times, ns, 0 for never.
func (x *Record) KnownAt() int64 {
	if x.again == nil {
		return 0
	}
	return x.again.known
}

func (x *Record) further() *further {
	if x.again == nil {
		x.again = new(further)
	}
	return x.again
}

func (x *Record) pairs() *pairing {
	if x.again == nil {
		return nil
	}
	return x.again.pairs
}

// records are the latest reliable packets of a side.
type records struct {
	seq.History[Record]
	lowMemory bool
}

// put makes room for a packet; it gives nil when the packet is too old.
func (p *records) put(n seq.Num, now int64) *Record {
	p.Most = RecordLimit
	x, _ := p.Put(n, func(_ seq.Num, old *Record, size int) bool { return now-old.Last < p.keep(old, size) })
	if x != nil {
		*x = Record{}
	}
	return x
}

// keep is for how long a packet is remembered after its last transmission, in ns.
func (p *records) keep(x *Record, size int) int64 {
	if p.lowMemory {
		return seq.LowMemoryFor(size, x.Acks > 0)
	}
	return RecordKeep
}

// fill notes the first transmission.
func (x *Record) fill(fr *dissect.Frame, f *hazel.Frame) {
	x.Last, x.Times, x.Length, x.Code = fr.Time, 1, uint16(fr.Length), f.Code
	x.head, x.tail = ends(fr.Payload)
	x.cut, x.summed = fr.Cut(), fr.Sum != 0
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
func (x *Record) Resembles(fr *dissect.Frame, f *hazel.Frame) bool {
	head, tail := ends(fr.Payload)
	return x.Code == f.Code && int(x.Length) == fr.Length && (alike(head, x.head) || alike(tail, x.tail))
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
func (x *Record) differs(fr *dissect.Frame, f *hazel.Frame, s *seq.Sending, first *seq.Look) (differs, sure bool) {
	switch {
	case fr.Cut() || x.cut || !first.First:
		return false, false
	case (fr.Sum != 0) == x.summed:
		return s.Hash != first.Hash, true
	}
	head, tail := ends(fr.Payload)
	differs = x.Code != f.Code || int(x.Length) != fr.Length || head != x.head || tail != x.tail
	return differs, differs || fr.Length <= 3+16
}

// A Span is what a side sent so far, as far as it was captured: copies are left out.
type Span struct {
	Sent     bool   // it sent something with a number
	Low      Number // the first that was captured
	LowFrame uint64
	LowAt    int64   // ns
	Top      seq.Num // the highest number, of the engine
	TopID    uint16
	TopFrame uint64
	TopAt    int64 // when that was captured first, ns

	Transmissions int // of reliable packets, resends among them
	Resends       int // without those that are copies for certain
	Again         int // packets sent again, perhaps
	Heard         int // packets acknowledged before they were sent again
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
	c.Number, c.Verdict, c.Before = n, v, s.Span
	c.Record, c.Differs, c.Counted = nil, false, false
	if v.Words.Has(dissect.Duplicate) || !fr.HasTime {
		return
	}
	switch x := s.records.At(n.Engine); {
	case v.Novelty == seq.First:
		if x := s.records.put(n.Engine, fr.Time); x != nil {
			x.fill(fr, c.Packet)
		}
		s.Transmissions++
		if len(s.strays) > 0 && s.Sent && n.Engine > s.Top {
			c.witness(s, n.Engine)
		}
		s.reach(n, fr, c.Packet.ID)
	case v.Novelty == seq.Again && x != nil:
		c.noteAgain(s, n.Engine, x)
	}
}

// noteAgain remembers a further transmission of a number, unless it may be a copy.
func (c *conn) noteAgain(s *side, n seq.Num, x *Record) {
	fr := c.Frame
	first, ok := s.out.Look(n)
	differs, sure := x.differs(fr, c.Packet, &c.Sent, &first)
	if !ok || !sure {
		return
	}
	c.First, c.Was, c.Record, c.Differs = first, *x, x, differs
	gap := fr.Time - x.Last
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
	c.pairTransmission(x, &first)
	r := x.further()
	c.Counted, c.Gap, c.Gaps = true, gap, [2]int64{r.gap, r.before}
	r.before, r.gap = r.gap, gap
	x.Times, x.Last = min(x.Times, 254)+1, fr.Time
}

// noteAck remembers an acknowledgement of a side that names n.
func (c *conn) noteAck(s *side, n seq.Num, captured bool) {
	c.Parts |= Acknowledges
	c.Acked, c.Captured, c.Record, c.Counted = n, captured, nil, false
	if c.Frame.Words.Has(dissect.Duplicate) || !c.Frame.HasTime {
		return
	}
	if !captured {
		c.noteOdd(s, n)
		return
	}
	peer, now := s.peer, c.Frame.Time
	x := peer.records.At(n)
	if x == nil {
		return
	}
	c.Was, c.Record = *x, x
	if c.AnswersFirst() {
		x.Acks, x.AckAt, c.Counted = 1, now, true
		if x.Times == 1 {
			peer.Heard++
		}
		if x.pairs() != nil {
			c.pairAck(s.peer, x)
		}
		return
	}
	if x.Acks > 0 && c.Frame.IPID == 0 && now-x.AckAt <= c.c.Rules.Horizon() {
		return // it may be a copy
	}
	c.Counted = true
	switch x.Acks, x.AckAt = min(x.Acks, 254)+1, now; {
	case x.pairs() != nil:
		c.pairAck(s.peer, x)
	case x.Acks > 1:
		s.peer.out.Trips().Unpair() // the network copies datagrams, or the capture misses some
	}
	if x.Acks == KnownAcks {
		x.further().known = now
	}
}

// AnswersFirst reports the first acknowledgement of a packet, which is no copy and answers
// no Ping.
func (e *Event) AnswersFirst() bool {
	return e.Frame.Words.Has(dissect.Ack) && e.Record != nil && e.Was.Acks == 0 && e.Was.Code != 0x0C && e.Frame.IPID != 0
}
