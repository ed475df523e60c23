package track

import (
	"math"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
)

// A probe collects evidence that an address pair speaks Hazel: for the types of
// the page, for those of the two dialects of 2016-05, and over DTLS. The best
// one counts.
type probe struct {
	plain [3]track
	dtls  dtlsTrack
	best  *session.Evidence
}

var families = [3]hazel.Dialect{hazel.AnyPage, hazel.May14, hazel.May30}

func newProbe() *probe {
	p := new(probe)
	p.Reset()
	return p
}

// Reset implements session.Probe.
func (p *probe) Reset() {
	*p = probe{}
	for i := range p.plain {
		p.plain[i].family = families[i]
	}
	p.best = &p.plain[0].Evidence
}

// Observe implements session.Probe.
func (p *probe) Observe(d *dissect.Datagram, side dissect.Dir) float64 {
	most := p.dtls.observe(d, side)
	p.best = &p.dtls.Evidence
	for i := range p.plain {
		t := &p.plain[i]
		if bits := t.observe(d, side); bits > most || bits == most && t.Bits > p.best.Bits {
			most, p.best = bits, &t.Evidence
		}
	}
	return most
}

// Explain implements session.Explainer.
func (p *probe) Explain() {
	p.dtls.Explain()
	for i := range p.plain {
		p.plain[i].Explain()
	}
}

// Reasons implements session.Explainer.
func (p *probe) Reasons() []session.Reason { return p.best.Reasons() }

// Held implements session.Explainer.
func (p *probe) Held() float64 { return p.best.Held() }

// Opened implements session.Explainer.
func (p *probe) Opened() bool { return p.best.Opened() }

// family is that of the types with the best evidence, AnyDialect where nothing
// speaks for one.
func (p *probe) family() hazel.Dialect {
	for i := range p.plain {
		if t := &p.plain[i]; p.best == &t.Evidence && t.Bits > 0 {
			return t.family
		}
	}
	return hazel.AnyDialect
}

// Evidence, in bits, that one datagram of a plain connection gives. A type, an
// id and a length prove little; what counts are acknowledgements of ids that the
// other side has just sent. The values lie below the true surprise, because
// other traffic is not random.
const (
	bitsHello        = 28  // the first datagram: type, id 0 or 1, no version
	bitsHelloAck     = 38  // answered by its id and a plausible history, in 4 bytes
	bitsHelloShort   = 30  // … in 3 bytes
	bitsRefusal      = 26  // … by a Disconnect with a reason as Among Us has it
	bitsFarewell     = 10  // a Disconnect of one byte after a Disconnect of the other side
	bitsAcked        = 13  // an acknowledgement of an id just sent by the other side
	bitsAckedAgain   = 2   // … acknowledged before
	bitsNext         = 5   // the id after the last one
	bitsAgain        = 1   // a recent id again
	bitsInside       = 1   // a datagram of the protocol after a Hello that was answered
	bitsTiled        = 6   // the payload is messages, to the byte
	bitsUnknownAck   = -2  // an acknowledgement of an id near those sent
	bitsJump         = -8  // an id far from the last one
	bitsStrayAck     = -12 // an acknowledgement of an id nowhere near those sent
	bitsUnrecognised = -16 // not a datagram of the protocol

	mostNext    = 25.0 // bits that ids one after the other give at most
	mostTiled   = 36.0 // … and payloads
	mostInside  = 12.0 // … and datagrams after the Hello
	leastAcked  = 2    // acknowledgements of ids that a lock needs where no Hello was answered
	nearID      = 64   // how far a capture that lost datagrams may be after
	givenUpSoon = 3    // datagrams that are no frame, before anything else, that make a pair hopeless
)

// A track is the evidence for one set of types.
type track struct {
	session.Evidence
	family       hazel.Dialect
	side         [2]trackSide
	next         float64
	tiled        float64
	inside       float64
	acked        int32 // ids acknowledged; like what follows, no more than datagrams probes look at
	seen         int32 // datagrams
	unrecognised int32
	helloID      uint16
	hello        int8 // side of the first Hello plus 1, 0 for none
	opened       bool // the Hello was answered
	gone         [2]bool
}

// idsKept is how many ids of a side a probe remembers.
const idsKept = 32

type trackSide struct {
	ids   []uint16 // idsKept at most, the latest at (n-1)%idsKept, n of them in all
	acked uint32   // bit i: ids[i] was acknowledged
	n     uint32
	last  uint16 // highest
}

func (s *trackSide) find(id uint16) int {
	for i, x := range s.ids {
		if x == id {
			return i
		}
	}
	return -1
}

func (s *trackSide) add(id uint16) {
	i := int(s.n % idsKept)
	if i == len(s.ids) {
		s.ids = append(s.ids, id)
	} else {
		s.ids[i] = id
	}
	s.acked &^= 1 << i
	s.n++
}

// observe gives the evidence that counts so far.
func (t *track) observe(d *dissect.Datagram, side dissect.Dir) float64 {
	var f hazel.Frame
	t.seen++
	opened := t.opened
	switch err := f.Decode(d.Payload, t.family, nil); {
	case err != nil && !d.Cut(), len(d.Payload) < 3 && f.Type != hazel.Disconnect && f.Type != hazel.None, !t.plausible(&f, d):
		t.unrecognised++
		t.Add("not a datagram of the protocol", bitsUnrecognised)
	case f.Type == hazel.Acknowledgement:
		t.acknowledges(&f, side)
	case f.Type == hazel.Disconnect:
		t.leaves(&f, side)
	case f.HasID:
		t.numbered(&f, d, side)
	default:
		t.payload(&f)
	}
	if opened && t.unrecognised == 0 {
		t.grow(&t.inside, mostInside, "a datagram after the Hello", bitsInside)
	}
	switch {
	case t.opened, t.acked >= leastAcked:
		return t.Bits
	case t.unrecognised >= givenUpSoon && 2*t.unrecognised > t.seen:
		return math.Inf(-1)
	}
	return min(t.Bits, session.EvidenceFloor)
}

// plausible holds a datagram to what senders do, which is stricter than what
// receivers take.
func (t *track) plausible(f *hazel.Frame, d *dissect.Datagram) bool {
	switch f.Type {
	case hazel.Acknowledgement:
		return d.Length == 3 || d.Length == 4 && t.family == hazel.AnyPage
	case hazel.Ping:
		return d.Length == 3
	case hazel.Hello:
		return f.Version == 0 && (d.Length == 3 || t.family == hazel.AnyPage)
	case hazel.FragmentStart:
		return f.Count > 0
	}
	return true
}

func (t *track) numbered(f *hazel.Frame, d *dissect.Datagram, side dissect.Dir) {
	s := &t.side[side]
	step := int16(f.ID - s.last)
	switch {
	case s.n == 0:
		if f.Type == hazel.Hello && f.ID <= 1 && t.hello == 0 {
			t.hello, t.helloID = int8(side+1), f.ID
			t.AddOpening("Hello with a first id", bitsHello)
		}
	case s.find(f.ID) >= 0:
		t.Add("a recent id repeated", bitsAgain)
		return
	case step == 1:
		t.grow(&t.next, mostNext, "the next id", bitsNext)
	case step > nearID || step < -nearID:
		t.Add("an id far from the last one", bitsJump)
	}
	if s.n == 0 || step > 0 {
		s.last = f.ID
	}
	s.add(f.ID)
	if f.Type == hazel.Reliable {
		t.payload(f)
	}
}

// payload judges what a None or Reliable holds.
func (t *track) payload(f *hazel.Frame) {
	if t.family == hazel.AnyPage && len(f.Data) > 0 && hazel.Tiled(f.Data) {
		t.grow(&t.tiled, mostTiled, "a payload of messages", bitsTiled)
	}
}

// grow adds evidence of a kind that counts only so much.
func (t *track) grow(sum *float64, most float64, what string, bits float64) {
	if *sum < most {
		*sum += bits
		t.Add(what, bits)
	}
}

func (t *track) acknowledges(f *hazel.Frame, side dissect.Dir) {
	o := &t.side[side.Other()]
	i := o.find(f.ID)
	switch {
	case o.n == 0:
	case i >= 0 && dissect.Dir(t.hello) == 2-side && f.ID == t.helloID && !t.opened && o.acked == 0:
		t.answered(f)
		o.acked |= 1 << i
	case i >= 0 && o.acked>>i&1 == 0:
		o.acked |= 1 << i
		t.acked++
		t.Add("an id just sent is acknowledged", bitsAcked)
	case i >= 0:
		t.Add("an id is acknowledged again", bitsAckedAgain)
	case int16(f.ID-o.last) <= nearID && int16(f.ID-o.last) >= -2*nearID:
		t.Add("an id near those sent is acknowledged", bitsUnknownAck)
	default:
		t.Add("an id far from those sent is acknowledged", bitsStrayAck)
	}
}

// answered judges the acknowledgement of the first Hello: of the ids before it,
// which nobody sent, a history names all received, or at most the one before
// missing.
func (t *track) answered(f *hazel.Frame) {
	bits := float64(bitsHelloShort)
	if f.HasRecent {
		bits = bitsHelloAck
		if f.Recent|1 != 0xff {
			bits = bitsAcked
		}
	}
	t.opened = true
	t.Add("Hello is acknowledged", bits)
}

func (t *track) leaves(f *hazel.Frame, side dissect.Dir) {
	_, reasoned := hazel.ReasonOf(f.Data)
	first := !t.gone[side]
	t.gone[side] = true
	switch {
	case first && reasoned && dissect.Dir(t.hello) == 2-side && !t.opened:
		t.opened = true
		t.Add("Hello is refused with a reason", bitsRefusal)
	case first && len(f.Data) == 0 && t.gone[side.Other()]:
		t.Add("Disconnect answers Disconnect", bitsFarewell)
	case len(f.Data) > 0 && t.family != hazel.AnyPage:
		t.Add("Disconnect with data, which came later", bitsJump)
	}
}
