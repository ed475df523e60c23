package track

import (
	"math"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
)

// Evidence, in bits, that one datagram gives. Messages that fill a datagram
// exactly are rare among other traffic, but a format that imitates them once does
// so always: structure counts up to a limit, and what counts for a lock are
// relations between the sides. The values lie below the true surprise.
const (
	bitsStrict       = 3   // messages fill the datagram, all as senders make it
	bitsLoose        = 0.5 // … with something senders don't do
	maxStructure     = 24
	bitsHello        = 16  // a server's first datagram: PacketID 1 with PingRequests 1 and 2
	bitsMet          = 16  // … and both replies to it
	bitsSyn          = 28  // ConnectSyn: an id of 30 bits and a length that fits
	bitsSynAnswer    = 32  // ConnectSynAck or DisconnectAck of the other side, or ConnectAck after that
	bitsNext         = 4   // the PacketID after the last one
	bitsNear         = 1   // a little later
	bitsEcho         = 7   // PingReply with the id of an outstanding PingRequest
	bitsNoEcho       = -2  // … of none
	bitsAck          = 10  // PacketAck of a datagram just sent
	bitsAckMore      = 1   // … of a further one
	bitsAckRun       = 2   // … where all that it names were just sent
	bitsAckWrong     = -8  // … of a PacketID nowhere near
	bitsFar          = -10 // a PacketID nowhere near
	bitsUnrecognised = -8  // not a datagram at all
	bitsBothWays     = 18  // relations between the sides that a lock needs
	leadBits         = 16  // by which one dialect must be ahead of the other
)

// How far PacketIDs may jump and still be near, and how small the first ones of
// a connection are.
const (
	NearIDs  = 48
	FarIDs   = 1024
	firstIDs = 16

	sentIDs      = 128     // datagrams of a side that an acknowledgement may be of
	sentReliable = 1 << 31 // flag in a sentRing
	maxAckMore   = 5       // further datagrams of a PacketAck that count
)

// A probe collects evidence that an address pair speaks kNet, for both dialects.
type probe struct {
	of     [2]evidence // of Reference, of Spec
	seen   int
	latest uint64 // frame
	told   [2]int // datagrams that only one of the dialects reads
	firm   [2]int // … and that are as its senders make them
	made   [2]int // datagrams that are so in one dialect alone
	first  probeFirst
}

// probeFirst is the pair's first datagram, which may be a connect datagram.
type probeFirst struct {
	frame  uint64
	side   dissect.Dir
	ok     bool
	id     uint32
	zero   bool
	ids    [2]uint32 // first PacketID of each side besides it
	hasIDs [2]bool
}

// evidence is what speaks for one dialect.
type evidence struct {
	session.Evidence
	dialect      knet.Dialect
	bothWays     float64 // part of it that relates one side to the other
	structure    float64
	fits         int32 // relations between the sides that hold; like what follows, no more than datagrams probes look at
	misfits      int32 // and that don't
	unrecognised int32
	syn          int8 // side that sent ConnectSyn, plus 1
	synAck       bool
	refused      bool
	hello        int8  // side whose first datagram was a server's, plus 1
	met          uint8 // its PingRequests that were answered, as bits
	zero, one    int32 // what speaks for ids from 0, from 1
	side         [2]probeSide
}

type probeSide struct {
	last uint32
	low  uint32 // the first one captured
	has  bool
	sent *probeSent // nil until has: what others send is rarely a datagram
}

// probeSent is what a side sent that waits for an answer.
type probeSent struct {
	ring  sentRing
	pings [2][4]uint64 // outstanding ids, with MessageID 0, with 1
}

// A sentRing holds the datagrams of a side that are not acknowledged yet, by PacketID:
// PacketID+1, with sentReliable.
type sentRing [sentIDs]uint32

func newProbe() *probe {
	p := new(probe)
	p.Reset()
	return p
}

// Reset implements session.Probe.
func (p *probe) Reset() {
	*p = probe{of: [2]evidence{{dialect: knet.Reference}, {dialect: knet.Spec}}}
}

// Observe implements session.Probe.
func (p *probe) Observe(d *dissect.Datagram, side dissect.Dir) float64 {
	b := d.Payload
	if d.Cut() {
		return p.verdict() // what is left tells nothing
	}
	p.seen++
	p.latest = d.Frame
	ref, spec := knet.ShapeOf(b, knet.Reference), knet.ShapeOf(b, knet.Spec)
	if p.seen == 1 {
		p.first = probeFirst{frame: d.Frame, side: side, ok: ref.OK, id: ref.PacketID, zero: knet.IsConnect(b)}
		if p.first.zero {
			p.of[0].AddOpening("connect datagram", 0)
		}
		if p.first.zero || !ref.OK && !spec.OK {
			return session.EvidenceFloor // whatever the application chose to connect with
		}
	} else if ref.OK && !p.first.hasIDs[side] {
		p.first.ids[side], p.first.hasIDs[side] = ref.PacketID, true
	}
	p.tell(&ref, &spec)
	if p.seen > 1 || ref.OK {
		p.of[0].observe(b, &ref, side)
	}
	p.of[1].observe(b, &spec, side)
	return p.verdict()
}

// tell counts a datagram that only one dialect reads. The first one of a pair may be
// whatever the application chose to connect with, which is no sign of the page.
func (p *probe) tell(ref, spec *knet.Shape) {
	if p.seen > 1 {
		made(&p.made, ref, spec)
	}
	switch {
	case spec.Handshake:
		p.told[1]++
		p.firm[1] += handshakeTold
	case ref.OK && !spec.OK:
		p.told[0]++
		if ref.Strict {
			p.firm[0]++
		}
	case p.seen == 1:
	case spec.OK && !ref.OK:
		p.told[1]++
		if spec.Strict {
			p.firm[1]++
		}
	}
}

// verdict is the evidence for the better dialect.
func (p *probe) verdict() float64 {
	best, other := p.best()
	switch {
	case p.seen >= 6 && int(best.unrecognised)*2 > p.seen && int(other.unrecognised)*2 > p.seen:
		return math.Inf(-1)
	case best.bothWays < bitsBothWays, best.misfits*2 > best.fits, best.Bits-other.Bits < leadBits && p.told[0] > 0 && p.told[1] > 0:
		return min(best.Bits, session.EvidenceFloor)
	}
	return best.Bits
}

// best gives the evidence for the dialect that is ahead, and the other.
func (p *probe) best() (best, other *evidence) {
	if p.of[1].Bits > p.of[0].Bits {
		return &p.of[1], &p.of[0]
	}
	return &p.of[0], &p.of[1]
}

// relate enters evidence that relates one side to the other.
func (e *evidence) relate(what string, n float64) {
	e.Add(what, n)
	e.bothWays = max(e.bothWays+n, 0)
	if n > 0 {
		e.fits++
	} else {
		e.misfits++
	}
}

// observe enters one datagram.
func (e *evidence) observe(b []byte, s *knet.Shape, side dissect.Dir) {
	if !s.OK {
		e.unrecognised++
		e.Add("no datagram of the dialect", bitsUnrecognised)
		return
	}
	if s.Messages == 0 {
		return
	}
	n := bitsLoose
	if s.Strict {
		n = bitsStrict
	}
	if n = min(n, maxStructure-e.structure); n > 0 {
		e.structure += n
		e.Add("messages fill the datagram exactly", n)
	}
	e.number(s, side)
	pings := 0
	for at, i := s.Start, 0; at < len(b); i++ {
		x, next := knet.BlockAt(b, at, e.dialect)
		if x.HasID && !x.Fragment {
			e.message(&x, side)
			if i < 2 && (x.ID == 0 || x.ID == 1) && len(x.Body) == 1 && int(x.Body[0]) == i+1 {
				pings++
			}
		}
		at = next
	}
	if pings == 2 && s.PacketID <= 1 && e.dialect == knet.Reference {
		e.Add("first datagram of a server", bitsHello)
		e.hello = int8(side + 1)
	}
}

// number judges the PacketID against the last one of the side.
func (e *evidence) number(s *knet.Shape, side dissect.Dir) {
	p := &e.side[side]
	step := int32((s.PacketID-p.last)<<(32-knet.PacketIDBits)) >> (32 - knet.PacketIDBits)
	switch {
	case !p.has:
	case step == 1:
		e.Add("next PacketID", bitsNext)
	case step > 1 && step < NearIDs:
		e.Add("PacketID nearby", bitsNear)
	case step <= 0 && step > -FarIDs:
	case s.PacketID <= firstIDs: // it may begin again
	default:
		e.Add("PacketID far away", bitsFar)
	}
	if !p.has {
		p.low = s.PacketID
	}
	if !p.has || step > 0 || step <= -FarIDs {
		p.last, p.has = s.PacketID, true
	}
	if p.sent == nil {
		p.sent = new(probeSent)
	}
	slot := &p.sent.ring[s.PacketID%sentIDs]
	*slot = s.PacketID + 1
	if s.Flags&knet.FlagReliable != 0 {
		*slot |= sentReliable
	}
}

// ids is the map of ids that the evidence speaks for.
func (e *evidence) ids() knet.IDMap {
	switch {
	case e.zero > e.one:
		return knet.IDsFromZero
	case e.one > e.zero:
		return knet.IDsFromOne
	}
	return knet.IDsUnknown
}

// learned is what the probe found out: the dialect, whether the bytes decide it,
// and the map of ids.
func (p *probe) learned() (params knet.Params, decided bool) {
	best, _ := p.best()
	i := dissect.Dir(0)
	if best.dialect == knet.Spec {
		i = 1
	}
	decided = p.firm[i] > p.firm[i.Other()] || p.told[i] >= enoughLoose && p.told[i] > p.told[i.Other()] || p.told[i.Other()] == 0 && areMade(&p.made, i)
	return knet.Params{Dialect: best.dialect, IDs: best.ids()}, decided
}

// connected reports whether a frame, the pair's first datagram, was a connect
// datagram: the PacketIDs of both sides begin after it. One that happens to look like a
// datagram of its own is known by its PacketID, which its side has not come to.
func (p *probe) connected(frame uint64) bool {
	f := &p.first
	own, other := f.ids[f.side], f.ids[f.side.Other()]
	switch {
	case f.frame != frame:
		return false // the pair was recognised too late to tell
	case p.seen == 0 || f.zero:
		return f.zero
	case !f.ok:
		return own <= firstIDs && other <= firstIDs
	}
	goesOn := (own-f.id)&knet.PacketIDMask <= NearIDs // PacketIDs began again at 0 after it
	return f.hasIDs == [2]bool{true, true} && own <= 1 && other <= 1 && f.id > own && !goesOn
}

// Explain, Reasons, Held and Opened implement session.Explainer for the dialect that
// is ahead.
func (p *probe) Explain() {
	p.of[0].Explain()
	p.of[1].Explain()
}

// Reasons gives what the evidence was found in.
func (p *probe) Reasons() []session.Reason {
	best, _ := p.best()
	return best.Reasons()
}

// Held gives the bits gathered.
func (p *probe) Held() float64 {
	best, _ := p.best()
	return best.Bits
}

// Opened reports whether something showed that a connection is opened.
func (p *probe) Opened() bool {
	best, _ := p.best()
	return best.Opened()
}
