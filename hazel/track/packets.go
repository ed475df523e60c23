package track

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/seq"
)

// packetKeep is for how long a reliable packet may be sent again, in ns: every
// release has given up by then.
const packetKeep = 12e9

// packetLimit is how many packets of a side are remembered to judge their resends.
const packetLimit = 512

// A sentPacket is what is remembered of one reliable packet, besides what the engine
// does.
type sentPacket struct {
	head, tail uint64  // first and last bytes behind the header
	last       int64   // time of its latest sending, ns
	ackAt      int64   // when it was acknowledged last
	again      *resent // once it was sent, or acknowledged, again
	length     uint16
	code       byte
	times      uint8 // sendings
	acks       uint8 // acknowledgements, copies left out
	marks      packetMark
}

type packetMark uint8

const (
	wasCut  packetMark = 1 << iota // by the capture
	summed                         // its hash is that of its checksum
	wasLow                         // the latest gap hardly grew
	toldGap                        // its gaps were found fault with
	toldSurplus
	toldKnown
	toldIgnored // counted as sent again long after its acknowledgement passed
)

// sentPackets are the latest reliable packets of a side.
type sentPackets struct {
	seq.History[sentPacket]
	lowMemory bool
}

// at gives the packet with a number, nil when it is not remembered.
func (p *sentPackets) at(n int64) *sentPacket { return p.At(n) }

// put makes room for a packet; it gives nil when the packet is too old.
func (p *sentPackets) put(n, now int64) *sentPacket {
	p.Most = packetLimit
	x, _ := p.Put(n, func(_ int64, old *sentPacket, size int) bool { return now-old.last < p.keep(old, size) })
	if x != nil {
		*x = sentPacket{}
	}
	return x
}

// keep is for how long a packet is remembered behind its last sending, in ns.
func (p *sentPackets) keep(x *sentPacket, size int) int64 {
	if p.lowMemory {
		return seq.LowMemoryFor(size, x.acks > 0)
	}
	return packetKeep
}

// fill notes the first sending.
func (x *sentPacket) fill(fr *dissect.Frame, f *hazel.Frame) {
	x.last, x.times, x.length, x.code = fr.Time, 1, uint16(fr.Length), f.Code
	x.head, x.tail = ends(fr.Payload)
	if fr.Cut() {
		x.marks |= wasCut
	}
	if fr.Sum != 0 {
		x.marks |= summed
	}
}

// ends are the first and last bytes behind type and id.
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

// resembles reports whether a datagram with other bytes looks like the packet
// changed rather than like another one.
func (x *sentPacket) resembles(fr *dissect.Frame, f *hazel.Frame) bool {
	head, tail := ends(fr.Payload)
	return x.code == f.Code && int(x.length) == fr.Length && (alike(head, x.head) || alike(tail, x.tail))
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
// sending of its number, as far as both were captured whole. Where one of them was
// not fingerprinted their ends are compared.
func (x *sentPacket) differs(fr *dissect.Frame, f *hazel.Frame, s *seq.Sending, first *seq.Look) (differs, sure bool) {
	switch {
	case fr.Cut() || x.marks&wasCut != 0 || !first.First:
		return false, false
	case (fr.Sum != 0) == (x.marks&summed != 0):
		return s.Hash != first.Hash, true
	}
	head, tail := ends(fr.Payload)
	differs = x.code != f.Code || int(x.length) != fr.Length || head != x.head || tail != x.tail
	return differs, differs || fr.Length <= 3+16
}

// A resent is what is remembered of a packet that was sent, or acknowledged, again.
type resent struct {
	trial  *trial   // sendings without an acknowledgement, from the third on
	pairs  *pairing // of sendings and acknowledgements
	gap    int64    // between its latest sending and the one before, ns, 0 while there is one
	before int64    // the gap before that
	known  int64    // when it had been acknowledged knownAcks times
}

func (x *sentPacket) resent() *resent {
	if x.again == nil {
		x.again = new(resent)
	}
	return x.again
}

// gaps are the time between its latest two sendings and that before, 0 where there are
// none.
func (x *sentPacket) gaps() (latest, before int64) {
	if x.again == nil {
		return 0, 0
	}
	return x.again.gap, x.again.before
}

func (x *sentPacket) trial() *trial {
	if x.again == nil {
		return nil
	}
	return x.again.trial
}

func (x *sentPacket) pairs() *pairing {
	if x.again == nil {
		return nil
	}
	return x.again.pairs
}

// A trial is a packet that is unanswered.
type trial struct {
	at       []int64
	frames   []uint64
	repeated bool // it had been acknowledged before
	answered bool // and was again
}

// topmost is the highest number of a side and when it was captured first.
type topmost struct {
	num, at int64
	pause   int64 // the longest time between two such
	id      uint16
	known   bool
	frame   uint64
}

// moved reports whether other numbers were sent since a time.
func (t *topmost) moved(since int64) bool { return t.at > since }

// knownAcks is how many acknowledgements of one packet leave no doubt that its
// sender has one.
const knownAcks = 4
