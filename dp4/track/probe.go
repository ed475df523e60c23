package track

import (
	"math"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Evidence, in bits, that one datagram gives. A single frame proves nothing: one
// random payload in thirty passes for one. What counts are
// relations that another protocol can't satisfy by chance. The values lie below
// the true surprise, because other traffic is not random.
const (
	bitsSP           = 10 // a service provider's header, for the first few times
	bitsReversed     = 12 // the other side has the same indexes, the other way round
	bitsInitial      = 12 // a side begins with the initial numbers
	bitsNext         = 5  // message and sequence after the last ones, as the flags want it
	bitsNear         = 1  // numbers that fit those before, if not as the next
	bitsAck          = 13 // names a message, sequence and serial captured shortly before
	bitsAckNear      = 4  // names the packet before or after one of those, or another copy
	bitsReceived     = 16 // bytes received are those of all captured so far
	bitsPart         = 12 // … or of all but the latest, which are on their way
	bitsGrew         = 4  // bytes received grew by the size of frames captured one after the other
	bitsTick         = 5  // ticks advance with the capture's time
	bitsContradict   = -10
	bitsUnrecognised = -16
	bitsOther        = -4      // players never seen before, when there are some already
	bitsBothWays     = 12 + 10 // relations between the sides a lock needs
)

// Bounds of evidence that may repeat itself, and what a lock needs besides bits.
const (
	maxNext    = 12 // frames that give bitsNext
	maxSP      = 2
	maxHints   = 4
	manySteps  = 7
	begunSteps = 4 // what another pair of players that begins is worth
	maxTicks   = 4
	minClock   = 30 // ms over which ticks are compared
	maxLinks   = 8  // pairs of players
)

// A probe collects evidence that an address pair speaks DirectPlay 4.
type probe struct {
	session.Evidence
	f            dp4.Frame
	bothWays     float64 // part of it that relates one side to the other
	acks         int     // acknowledgements of frames that were captured, each once
	wrong        int     // of frames that were not
	hints        int     // what may be by chance: packets acknowledged that were hardly missed, first counts that fit
	received     int     // counts of bytes that fit: an echo has none
	begun        int     // pairs of players that both began with the initial numbers
	steps        int
	nears        int
	sps          int
	ticks        int
	seen         int
	unrecognised int
	links        []*probeLink
}

// A probeLink is a pair of players, one at each address.
type probeLink struct {
	player [2]uint32 // at side 0 and side 1
	spoke  [2]bool
	begun  bool // both with the initial numbers
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
	received uint32 // what it counted
	places   sums   // bytes of the other side that its count may stand for
	chain    int    // counts in a row that fitted
	tick     uint32
	tickTime int64
}

// sums is a set of byte counts.
type sums struct {
	at [32]int64
	n  int
}

func (s *sums) has(v int64) bool { return slices.Contains(s.at[:s.n], v) }

func (s *sums) add(v int64) {
	s.at[s.n] = v
	s.n++
}

type probeFrame struct {
	msg, seq, serial uint8
	last             bool // EOM
}

// Reset implements session.Probe.
func (p *probe) Reset() { *p = probe{} }

// Observe implements session.Probe.
func (p *probe) Observe(d *dissect.Datagram, side dissect.Dir) float64 {
	p.seen++
	if err := p.f.Decode(d.Payload, dp4.Params{Length: d.Length}, nil); err != nil && !d.Cut() || p.f.Type == dp4.TypeNone || !p.strict(d) {
		p.unrecognised++
		p.Add("no frame of the protocol", bitsUnrecognised)
	} else if l := p.link(side); l != nil {
		p.frame(d, l, side)
	}
	if p.unrecognised >= 4 && 2*p.unrecognised > p.seen {
		return math.Inf(-1)
	}
	if p.wrong*4 <= p.acks+p.received && p.answered() {
		return p.Bits
	}
	return min(p.Bits, session.EvidenceFloor)
}

// relate enters evidence that relates what one side says to what the other sent.
func (p *probe) relate(what string, n float64) {
	p.Add(what, n)
	p.bothWays += n
}

// hint enters what may be by chance, and says little when it comes often.
func (p *probe) hint(what string, n float64) {
	if p.hints++; p.hints <= maxHints {
		p.relate(what, n)
	}
}

// answered reports whether one side answers the other as only a receiver can: it
// names packets that were sent, and counts their bytes. Two that begin alike, each
// with the other's index, may have answered nothing yet.
func (p *probe) answered() bool {
	if p.begun > 0 && p.steps+begunSteps*(p.begun-1) >= manySteps {
		return true
	}
	return p.bothWays >= bitsBothWays && (p.acks+p.received >= 1 || p.steps == maxNext && p.hints >= 3)
}

// strict holds a frame to the text: only what every sender does is evidence.
func (p *probe) strict(d *dissect.Datagram) bool {
	f := &p.f
	if !f.From.Proper() || !f.To.Proper() || f.From.Value == f.To.Value && f.From.Value == 0 {
		return false
	}
	switch f.Type {
	case dp4.TypeData:
		return f.Flags&(dp4.EXT|dp4.BIG|dp4.CMD|dp4.ACK) == dp4.CMD
	case dp4.TypeACK:
		return f.Flags&(dp4.BIG|dp4.CMD) == 0 && len(f.Trailing) == 0
	}
	return f.Flags&(dp4.BIG|dp4.CMD) == 0 && len(f.Trailing) == 0 && f.Order.Clean(f.ExtFlags)
}

// link gives the pair of players of the frame at hand.
func (p *probe) link(side dissect.Dir) *probeLink {
	f := &p.f
	player := [2]uint32{f.From.Value, f.To.Value}
	if side == 1 {
		player[0], player[1] = player[1], player[0]
	}
	for _, l := range p.links {
		if l.player == player {
			if !l.spoke[side] {
				l.spoke[side] = true
				if f.From.Value != f.To.Value {
					p.relate("players answer each other", bitsReversed)
				}
			}
			return l
		}
	}
	if len(p.links) > 0 {
		p.Add("other players", bitsOther)
	}
	if len(p.links) == maxLinks {
		p.unrecognised++
		return nil
	}
	l := &probeLink{player: player}
	l.spoke[side] = true
	p.links = append(p.links, l)
	return l
}

func (p *probe) frame(d *dissect.Datagram, l *probeLink, side dissect.Dir) {
	f := &p.f
	if f.HasSP && p.sps < maxSP {
		p.sps++
		p.Add("service provider's header", bitsSP)
	}
	if f.Type == dp4.TypeData {
		p.data(d, &l.side[side])
		if !l.begun && l.side[0].begun && l.side[1].begun && l.player[0] != l.player[1] {
			l.begun = true
			p.begun++
		}
		return
	}
	p.acknowledges(d, &l.side[side], &l.side[side.Other()])
}

// data judges the numbers of a data frame against those before it.
func (p *probe) data(d *dissect.Datagram, s *probeSide) {
	f := &p.f
	now := probeFrame{f.MessageID, f.Sequence, f.Serial, f.Flags&dp4.EOM != 0}
	s.bytes += int64(f.Size(d.Length))
	switch {
	case s.n == 0:
		if f.Initial() && f.MessageID == f.Sequence && f.Serial == 0 {
			s.begun = true
			p.Add("initial numbers", bitsInitial)
		}
	case s.has(now):
		// a copy: nothing new
	default:
		p.follows(now, f.Flags&dp4.STA != 0, s.before(now))
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

// At most overtaking frames arrive ahead of one that was sent earlier.
const overtaking = 4

// before gives the frame that one goes on from, when it is among the latest: frames may have
// overtaken each other. Else it is the latest.
func (s *probeSide) before(now probeFrame) probeFrame {
	for i := 1; i <= min(s.n, overtaking); i++ {
		if x := s.recent[(s.n-i)%len(s.recent)]; x.seq == now.seq-1 {
			return x
		}
	}
	return s.recent[(s.n-1)%len(s.recent)]
}

// follows judges a data frame against one captured before it.
func (p *probe) follows(now probeFrame, starts bool, last probeFrame) {
	step, next := int8(now.seq-last.seq), int8(now.msg-last.msg)
	switch {
	case step == 1 && last.last == starts && (starts && next == 1 || !starts && next == 0):
		if p.steps < maxNext && (!starts || now.serial == 0) {
			p.steps++
			p.Add("next packet", bitsNext)
		}
	case step == 1:
		p.Add("message that neither ends nor continues", bitsContradict)
	case step > 1 && next > dp4.MessageWindow, step < 0 && next > 0, step > 0 && next < 0, step == 0 && next != 0:
		p.Add("numbers that contradict each other", bitsContradict)
	case next >= -dp4.MessageWindow && next <= dp4.MessageWindow:
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
	now := probeFrame{f.MessageID, f.Sequence, f.Serial, f.Type == dp4.TypeNACK}
	if s.hasAck && s.ack == now && s.tick == f.Tick || o.n == 0 {
		return
	}
	if !s.hasAck || s.ack != now {
		p.names(now, o)
	}
	p.receives(s, o)
	p.clock(d, s)
	s.ack, s.hasAck, s.received = now, true, f.BytesReceived
}

// names judges which packet of the other side an acknowledgement names. One that
// was not captured may have been sent before the capture began, or be lost.
func (p *probe) names(ack probeFrame, o *probeSide) {
	near := false
	for i := range min(o.n, len(o.recent)) {
		x := &o.recent[i]
		step, next := int8(ack.seq-x.seq), int8(ack.msg-x.msg)
		switch {
		case step == 0 && next == 0 && (ack.serial == x.serial || p.f.Type == dp4.TypeNACK):
			p.acks++
			p.relate("acknowledges a recently sent number", bitsAck)
			return
		case step == 0 && next != 0, step > 0 && next < 0, step < 0 && next > 0:
			p.wrong++
			p.Add("acknowledges a number that was not sent", bitsContradict)
			return
		}
		near = near || step >= -1 && step <= 1 && next >= -1 && next <= 1
	}
	switch ahead := int8(ack.seq - o.recent[(o.n-1)%len(o.recent)].seq); {
	case near:
		p.hint("acknowledges a packet nearby", bitsAckNear)
	case p.before(ack, o):
		p.hint("acknowledges a packet before the capture", bitsAckNear)
	case ahead > seq.MaxAckExcess:
		p.wrong++
		p.Add("acknowledges a number that was not sent", bitsContradict)
	}
}

// before reports whether an acknowledgement names a packet shortly before the
// first one captured.
func (p *probe) before(ack probeFrame, o *probeSide) bool {
	first := &o.recent[0]
	step, next := int8(first.seq-ack.seq), int8(first.msg-ack.msg)
	return o.n <= len(o.recent) && step > 0 && step <= 2*dp4.MessageWindow && next >= 0 && next <= dp4.MessageWindow
}

// clock judges the ticks of acknowledgements against the capture's time, over
// times that are long enough to tell a clock from a counter.
func (p *probe) clock(d *dissect.Datagram, s *probeSide) {
	ticks, ms := int64(int32(p.f.Tick-s.tick)), (d.Time-s.tickTime)/1e6
	if s.hasAck && ms < minClock {
		return
	}
	if off := ticks - ms; s.hasAck && d.HasTime && p.ticks < maxTicks && off > -ms/2 && off < ms/2 {
		p.ticks++
		p.relate("tick follows the clock", bitsTick)
	}
	s.tick, s.tickTime = p.f.Tick, d.Time
}

// receives judges bytes received, which only a receiver knows, against what the
// other side was captured sending. A count that is not known from its beginning
// may stand for any place among the latest frames; each further count leaves
// fewer, and none when it is no count of bytes.
func (p *probe) receives(s, o *probeSide) {
	more := int64(int32(p.f.BytesReceived - s.received))
	places := sums{}
	switch {
	case !s.hasAck && o.begun:
		more, places.n, s.chain = int64(p.f.BytesReceived), 1, 1 // it begins at zero
	case s.hasAck && more > 0:
		places = s.places
	case s.hasAck:
		return
	}
	last := o.sums[(o.n-1)%len(o.sums)]
	next := sums{}
	for _, sum := range o.sums[:min(o.n, len(o.sums))] {
		if places.has(sum - more) {
			next.add(sum)
		}
	}
	switch {
	case next.n == 0:
		s.places, s.chain = sums{at: o.sums, n: min(o.n, len(o.sums))}, 0
		return
	case s.chain == 0:
		p.hint("bytes received grows with what was sent", bitsGrew)
	case next.has(last):
		p.received++
		p.relate("bytes received matches what was sent", bitsReceived)
	default:
		p.received++
		p.relate("bytes received matches what was sent a little earlier", bitsPart)
	}
	s.chain++
	s.places = next
}
