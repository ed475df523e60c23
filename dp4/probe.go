package dp4

import (
	"math"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// Evidence, in bits, that one datagram gives. A single frame proves nothing: one
// random payload in thirty passes for one (catalogue 9). What counts are
// relations that another protocol can't satisfy by chance. The values lie below
// the true surprise, because other traffic is not random.
const (
	bitsSP         = 10 // a service provider's header, for the first few times
	bitsReversed   = 8  // the other side has the same indexes, the other way round
	bitsInitial    = 10 // a side begins with the initial numbers
	bitsNext       = 3  // message and sequence after the last ones, as the flags want it
	bitsNear       = 1  // numbers that fit those before, if not as the next
	bitsAck        = 9  // names a message, sequence and serial captured shortly before
	bitsAckNear    = 4  // names the packet before or behind one of those, or another copy
	bitsReceived   = 16 // bytes received are those of all captured so far
	bitsPart       = 10 // … or of all but the latest, which are on their way
	bitsGrew       = 8  // bytes received grew by the size of frames captured one after the other
	bitsTick       = 5  // ticks advance with the capture's time
	bitsContradict = -10
	bitsStranger   = -16
	bitsOther      = -4 // players never seen before, when there are some already
)

// Bounds of evidence that may repeat itself, and what a lock needs besides bits.
const (
	maxNext  = 12 // frames that give bitsNext
	maxSP    = 2
	maxTicks = 4
	maxLinks = 8 // pairs of players
	manyAcks = 4 // acknowledgements that make up for a count of bytes that never fits
)

// A probe collects evidence that an address pair speaks DirectPlay 4.
type probe struct {
	session.Evidence
	f         Frame
	acks      int // acknowledgements of frames that were captured, each once
	wrong     int // of frames that were not
	received  int // counts of bytes that fit: an echo has none
	steps     int
	nears     int
	sps       int
	ticks     int
	seen      int
	strangers int
	links     [maxLinks]probeLink
	n         int // links used
}

// A probeLink is a pair of players, one at each address.
type probeLink struct {
	player [2]uint32 // at side 0 and side 1
	spoke  [2]bool
	data   [2]bool
	side   [2]probeSide
}

// A probeSide is what one player sends the other.
type probeSide struct {
	recent [32]probeFrame // data frames, by count
	sums   [32]int64      // bytes captured up to each
	n      int
	bytes  int64 // of data frames captured
	begun  bool  // from the initial numbers on

	ack      probeFrame // latest acknowledgement
	hasAck   bool
	acked    int    // data frames of the other side captured by then
	received uint32 // what it counted
	offset   int64  // bytes captured less bytes received
	anchored bool   // offset is valid
	tick     uint32
	tickTime int64
}

type probeFrame struct {
	msg, seq, serial uint8
	last             bool // EOM
}

// Observe implements session.Probe.
func (p *probe) Observe(d *dissect.Datagram, side int) float64 {
	p.seen++
	if err := p.f.Decode(d.Payload, Params{Length: d.Length}, nil); err != nil && !d.Cut() || p.f.Type == TypeNone || !p.strict(d) {
		p.strangers++
		p.Add("no frame of the protocol", bitsStranger)
	} else if l := p.link(side); l != nil {
		p.frame(d, l, side)
	}
	if p.strangers >= 4 && 2*p.strangers > p.seen {
		return math.Inf(-1)
	}
	if p.wrong*4 <= p.acks+p.received && p.answered() {
		return p.Bits
	}
	return min(p.Bits, session.EvidenceFloor)
}

// answered reports whether one side answers the other as only a receiver can.
func (p *probe) answered() bool {
	return p.acks >= 1 && p.received >= 1 || p.received >= manyAcks || p.acks >= manyAcks && p.ticks == maxTicks
}

// strict holds a frame to the text: only what every sender does is evidence.
func (p *probe) strict(d *dissect.Datagram) bool {
	f := &p.f
	if !f.From.proper() || !f.To.proper() || f.From.Value == f.To.Value && f.From.Value == 0 {
		return false
	}
	switch f.Type {
	case TypeData:
		return f.Flags&(EXT|BIG|CMD|ACK) == CMD
	case TypeACK:
		return f.Flags&(BIG|CMD) == 0 && len(f.Trailing) == 0
	}
	return f.Flags&(BIG|CMD) == 0 && len(f.Trailing) == 0 && f.Order.Clean(f.ExtFlags)
}

// link gives the pair of players of the frame at hand.
func (p *probe) link(side int) *probeLink {
	f := &p.f
	player := [2]uint32{f.From.Value, f.To.Value}
	if side == 1 {
		player[0], player[1] = player[1], player[0]
	}
	for i := range p.links[:p.n] {
		if l := &p.links[i]; l.player == player {
			if !l.spoke[side] {
				l.spoke[side] = true
				p.Add("players answer each other", bitsReversed)
			}
			return l
		}
	}
	if p.n > 0 {
		p.Add("other players", bitsOther)
	}
	if p.n == maxLinks {
		p.strangers++
		return nil
	}
	l := &p.links[p.n]
	p.n++
	l.player, l.spoke[side] = player, true
	return l
}

// exchanged reports whether both of two players, at either address, were seen.
func (p *probe) exchanged(a, b uint32) bool {
	for i := range p.links[:p.n] {
		l := &p.links[i]
		if l.spoke == [2]bool{true, true} && l.data != [2]bool{} && (l.player == [2]uint32{a, b} || l.player == [2]uint32{b, a}) {
			return true
		}
	}
	return false
}

func (p *probe) frame(d *dissect.Datagram, l *probeLink, side int) {
	f := &p.f
	if f.HasSP && p.sps < maxSP {
		p.sps++
		p.Add("service provider's header", bitsSP)
	}
	if f.Type == TypeData {
		l.data[side] = true
		p.data(d, &l.side[side])
		return
	}
	p.acknowledges(d, &l.side[side], &l.side[1-side])
}

// data judges the numbers of a data frame against those before it.
func (p *probe) data(d *dissect.Datagram, s *probeSide) {
	f := &p.f
	now := probeFrame{f.MessageID, f.Sequence, f.Serial, f.Flags&EOM != 0}
	s.bytes += int64(f.Size(d.Length))
	switch {
	case s.n == 0:
		if f.initial() && f.MessageID == f.Sequence && f.Serial == 0 {
			s.begun = true
			p.Add("initial numbers", bitsInitial)
		}
	case s.has(now):
		// a copy: nothing new
	default:
		p.follows(now, f.Flags&STA != 0, s.recent[(s.n-1)%len(s.recent)])
	}
	s.recent[s.n%len(s.recent)], s.sums[s.n%len(s.sums)] = now, s.bytes
	s.n++
}

func (s *probeSide) has(f probeFrame) bool {
	for i := range min(s.n, len(s.recent)) {
		if s.recent[i] == f {
			return true
		}
	}
	return false
}

// follows judges a data frame against the one captured before it.
func (p *probe) follows(now probeFrame, starts bool, last probeFrame) {
	step, next := int8(now.seq-last.seq), int8(now.msg-last.msg)
	switch {
	case step == 1 && last.last == starts && (starts && next == 1 || !starts && next == 0):
		if p.steps < maxNext && (!starts || now.serial == 0) {
			p.steps++
			p.Add("next packet", bitsNext)
		}
	case step == 1:
		p.Add("message that neither ends nor goes on", bitsContradict)
	case step > 1 && next > MessageWindow, step < 0 && next > 0, step > 0 && next < 0, step == 0 && next != 0:
		p.Add("numbers that contradict each other", bitsContradict)
	case next >= -MessageWindow && next <= MessageWindow:
		if p.nears < maxNext {
			p.nears++
			p.Add("packet nearby", bitsNear)
		}
	default:
		p.Add("packet far away", bitsContradict)
	}
}

// acknowledges judges an ACK or NACK of s against what the other side o sent.
func (p *probe) acknowledges(d *dissect.Datagram, s, o *probeSide) {
	f := &p.f
	now := probeFrame{f.MessageID, f.Sequence, f.Serial, f.Type == TypeNACK}
	if s.hasAck && s.ack == now && s.tick == f.Tick || o.n == 0 {
		return
	}
	if !s.hasAck || s.ack != now {
		p.names(now, o)
	}
	if s.hasAck {
		p.clock(d, s)
	}
	p.receives(s, o)
	s.ack, s.hasAck, s.acked, s.received, s.tick, s.tickTime = now, true, o.n, f.BytesReceived, f.Tick, d.Time
}

// names judges which packet of the other side an acknowledgement names. One that
// was not captured may have been sent before the capture began, or be lost.
func (p *probe) names(ack probeFrame, o *probeSide) {
	near := false
	for i := range min(o.n, len(o.recent)) {
		x := &o.recent[i]
		step, next := int8(ack.seq-x.seq), int8(ack.msg-x.msg)
		switch {
		case step == 0 && next == 0 && (ack.serial == x.serial || p.f.Type == TypeNACK):
			p.acks++
			p.Add("acknowledges what was sent lately", bitsAck)
			return
		case step == 0 && next != 0, step > 0 && next < 0, step < 0 && next > 0:
			p.wrong++
			p.Add("acknowledges what was not sent", bitsContradict)
			return
		}
		near = near || step >= -1 && step <= 1 && next >= -1 && next <= 1
	}
	switch ahead := int8(ack.seq - o.recent[(o.n-1)%len(o.recent)].seq); {
	case near:
		p.acks++
		p.Add("acknowledges a packet nearby", bitsAckNear)
	case ahead > MessageWindow:
		p.wrong++
		p.Add("acknowledges what was not sent", bitsContradict)
	}
}

// clock judges the ticks of two acknowledgements against the capture's time.
func (p *probe) clock(d *dissect.Datagram, s *probeSide) {
	ms := (d.Time - s.tickTime) / 1e6
	if !d.HasTime || p.ticks >= maxTicks || ms <= 0 {
		return
	}
	if off := int64(int32(p.f.Tick-s.tick)) - ms; off > -100 && off < 100 {
		p.ticks++
		p.Add("tick follows the clock", bitsTick)
	}
}

// receives judges bytes received, which only a receiver knows, against what the
// other side was captured sending: all of it, or all but the latest frames.
func (p *probe) receives(s, o *probeSide) {
	received := int64(p.f.BytesReceived)
	if s.hasAck && int32(p.f.BytesReceived-s.received) <= 0 {
		return
	}
	anchored := s.anchored || !s.hasAck && o.begun // a count that begins with the capture begins at zero
	for i := 1; anchored && i <= min(o.n, len(o.sums)); i++ {
		if o.sums[(o.n-i)%len(o.sums)]-received != s.offset {
			continue
		}
		p.received++
		s.anchored = true
		if i == 1 {
			p.Add("received what was sent", bitsReceived)
		} else {
			p.Add("received what was sent a little before", bitsPart)
		}
		return
	}
	s.anchored = false
	if s.hasAck {
		p.grew(s, o)
	}
}

// grew looks for frames captured one after the other that explain how much more
// was received than the time before. Where they end, the next count is anchored.
func (p *probe) grew(s, o *probeSide) {
	const back = 8 // frames that may be on their way
	more := int64(int32(p.f.BytesReceived - s.received))
	for j := o.n - 1; j >= 0 && j >= o.n-back; j-- {
		for i := min(j, s.acked) - 1; i >= 0 && i >= s.acked-back && i > o.n-len(o.sums); i-- {
			if o.sums[j%len(o.sums)]-o.sums[i%len(o.sums)] == more {
				s.offset, s.anchored = o.sums[j%len(o.sums)]-int64(p.f.BytesReceived), true
				p.Add("received more as it was sent", bitsGrew)
				return
			}
		}
	}
}
