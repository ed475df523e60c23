package track

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
)

// Evidence, in bits, that one datagram gives. A single data frame proves
// nothing: one random payload in eight passes for one. What
// counts are relations that another protocol can't satisfy by chance. The
// values lie below the true surprise, because other traffic is not random.
const (
	bitsHandshake  = 34  // exact length, opcode, version 1.x, zero where zero must be
	bitsEcho       = 32  // the session id seen before
	bitsKeepAlive  = 20  // the same id in the KeepAlive of the other side
	bitsSACK       = 10  // opcode, reserved bits, padding and exact length
	bitsNext       = 5   // the number after the last one
	bitsNear       = 1   // a plausible number
	bitsAckNext    = 6   // acknowledges exactly what the other side sent last
	bitsAckNear    = 3   // … or a little less
	bitsAckAgain   = 3   // … again, up to maxAgain times
	bitsSACKAck    = 6   // … in a SACK, more than in a data frame
	bitsTick       = 6   // ticks advance with the capture's time
	bitsContradict = -12 // a number nowhere near
	bitsStranger   = -16 // not a frame at all
	bitsBothWays   = 18  // relations between the sides a lock needs when no handshake was seen
)

const maxAgain = 5

// leastPart is less than the bytes of a message that go into one frame.
const leastPart = 200

// patience is how many datagrams a probe waits for one that tells whether data
// frames carry signatures: the first ones could not be read without.
const patience = 60

// handshakeVote is the weight of a handshake against that of a frame's length.
const handshakeVote = 16

// A probe collects evidence that an address pair speaks DirectPlay 8.
type probe struct {
	session.Evidence
	bothWays  float64 // part of it that relates one side to the other
	fits      int     // relations between the sides that hold
	misfits   int     // and that don't
	strong    bool    // a session id was echoed
	old       bool    // bit 0x02 where no KeepAlive is: older than 1.5
	seen      int     // datagrams
	strangers int     // those that are no frames
	cut       bool    // the one at hand: its length tells nothing
	id        uint32
	hasID     bool
	side      [2]probeSide
	alive     int // of signed, by KeepAlives
	signed    int // SACKs and KeepAlives with a signature, less those without
}

type probeSide struct {
	seq       uint8
	hasSeq    bool
	last      dp8.Command // of the frame with that sequence
	whole     bool        // last is known
	acked     uint8       // highest number acknowledged, plus 1
	hasAcked  bool
	again     uint8 // times it was acknowledged again
	retries   uint8 // of the latest sequence
	tick      uint32
	tickTime  int64
	hasTick   bool
	keepAlive bool
}

// Reset implements session.Probe.
func (p *probe) Reset() { *p = probe{} }

// Observe implements session.Probe.
func (p *probe) Observe(d *dissect.Datagram, side dissect.Dir) float64 {
	b := d.Payload
	p.seen++
	p.cut = d.Cut()
	switch {
	case len(b) >= 4 && dp8.Command(b[0])&dp8.Data != 0:
		p.data(b, side)
	case len(b) >= 12 && dp8.Command(b[0])&^dp8.Poll == dp8.CFrame && b[1] == dp8.OpSACK:
		p.sack(d, side)
	case len(b) >= 16 && dp8.Command(b[0])&^dp8.Poll == dp8.CFrame && b[1] >= dp8.OpConnect && b[1] <= dp8.OpHardDisconnect:
		p.handshake(b)
	default:
		p.stranger()
	}
	if p.strong || p.bothWays >= bitsBothWays && p.misfits*4 <= p.fits && (p.signed != 0 || p.seen >= patience) {
		return p.Bits
	}
	if p.strangers >= 4 && 2*p.strangers > p.seen {
		return math.Inf(-1)
	}
	return min(p.Bits, session.EvidenceFloor)
}

// stranger enters a datagram that is no frame at all.
func (p *probe) stranger() {
	p.strangers++
	p.Add("no frame of the protocol", bitsStranger)
}

// relate enters evidence that relates one side to the other.
func (p *probe) relate(what string, n float64) {
	p.Add(what, n)
	p.bothWays = max(p.bothWays+n, 0)
	if n > 0 {
		p.fits++
	} else {
		p.misfits++
	}
}

// signing is what the lengths of frames told.
func (p *probe) signing() dp8.Signing {
	votes := p.signed
	if p.old { // what looked like signed KeepAlives was data
		votes -= max(0, p.alive)
	}
	switch {
	case votes > 0:
		return dp8.Signed
	case votes < 0:
		return dp8.Unsigned
	}
	return dp8.SigningUnknown
}

func (p *probe) data(b []byte, side dissect.Dir) {
	ctl := dp8.Control(b[1])
	left := len(b) - 4 - 4*bits.OnesCount8(uint8(ctl)>>4)
	if left < 0 || ctl&dp8.CtlCoalesce != 0 && dp8.Command(b[0])&(dp8.NewMsg|dp8.EndMsg) != dp8.NewMsg|dp8.EndMsg {
		p.stranger()
		return
	}
	if dp8.Command(b[0])&dp8.EndMsg == 0 && left < leastPart {
		p.Add("small message part", -bitsNext) // parts are filled (MC-DPL8R 3.1.4.4)
	}
	p.boundary(dp8.Command(b[0]), b[2], side)
	p.number(b[2], ctl&dp8.CtlRetry != 0, side)
	p.acknowledges(b[3], side, 0)
	p.mask(b[3], b[4:], ctl&dp8.CtlSACK1 != 0, ctl&dp8.CtlSACK2 != 0, side)
	const flags = dp8.Reliable | dp8.Sequential | dp8.EndMsg
	if ctl&dp8.CtlKeepAlive != 0 && dp8.Command(b[0])&flags == flags && (left == 4 || left == 12) {
		p.keepAlive(binary.LittleEndian.Uint32(b[len(b)-4:]), left == 12, side)
	} else if ctl&dp8.CtlKeepAlive != 0 && !p.cut {
		p.old = true
	}
}

// boundary judges whether messages end where the next one begins: of two
// consecutive frames, the second has NEW_MSG if and only if the first has END_MSG
// (MC-DPL8R 3.1.5.2.6).
func (p *probe) boundary(cmd dp8.Command, seq uint8, side dissect.Dir) {
	s := &p.side[side]
	switch step := int8(seq - s.seq); {
	case s.hasSeq && step <= 0:
		return
	case s.hasSeq && step == 1 && s.whole && (s.last&dp8.EndMsg != 0) != (cmd&dp8.NewMsg != 0):
		p.Add("message that neither ends nor continues", bitsContradict)
	}
	s.last, s.whole = cmd, true
}

// number judges the sequence of a data frame against the last one of the side.
func (p *probe) number(seq uint8, retry bool, side dissect.Dir) {
	s := &p.side[side]
	step := int8(seq - s.seq)
	switch {
	case !s.hasSeq:
	case step == 1:
		p.Add("next sequence", bitsNext)
	case step > 1 && step < 16, step > -dp8.WindowSize && step < 0:
		p.Add("sequence nearby", bitsNear)
	case step == 0 && retry && s.retries < maxAgain:
		s.retries++
	case step == 0:
		p.Add("sequence repeated without a retry mark or too often", -bitsNext)
	default:
		p.Add("sequence far away", bitsContradict)
	}
	if !s.hasSeq && !retry || s.hasSeq && step > 0 { // a retry is far behind
		s.seq, s.hasSeq, s.retries = seq, true, 0
	}
}

// acknowledges judges a bNRcv against what the other side sent last; a frame that
// is hard to mistake gives more bits.
func (p *probe) acknowledges(nrcv uint8, side dissect.Dir, more float64) {
	o, s := &p.side[side.Other()], &p.side[side]
	if !o.hasSeq {
		return
	}
	if s.hasAcked && nrcv == s.acked {
		// Said before, it says little more: one side may be silent for long.
		if s.again < maxAgain && nrcv == o.seq+1 {
			s.again++
			p.relate("still acknowledges the last number sent", bitsAckAgain)
		}
		return
	}
	s.acked, s.hasAcked, s.again = nrcv, true, 0
	switch ahead := int8(nrcv - o.seq - 1); {
	case ahead == 0:
		p.relate("acknowledges the last number sent", bitsAckNext+more)
	case ahead < 0 && ahead >= -8:
		p.relate("acknowledges a recently sent number", bitsAckNear+more)
	case ahead > 4 || ahead < -dp8.WindowSize:
		p.relate("acknowledges a number that was not sent", bitsContradict)
	}
}

// mask judges the highest number a SACK mask acknowledges as acknowledges does
// a bNRcv.
func (p *probe) mask(nrcv uint8, b []byte, low, high bool, side dissect.Dir) {
	var m uint64
	if low {
		m, b = uint64(binary.LittleEndian.Uint32(b)), b[4:]
	}
	if high {
		m |= uint64(binary.LittleEndian.Uint32(b)) << 32
	}
	if m != 0 {
		p.acknowledges(nrcv+uint8(65-bits.LeadingZeros64(m)), side, 0)
	}
}

func (p *probe) keepAlive(id uint32, signed bool, side dissect.Dir) {
	switch {
	case p.strong && p.hasID && p.id == id:
		p.Add("session id echoed", bitsEcho)
	case p.hasID && p.id == id && !p.side[side].keepAlive:
		p.relate("KeepAlive with the other side's session id", bitsKeepAlive)
	case !p.hasID:
		p.id, p.hasID = id, true
	case p.id != id:
		p.old = true
	}
	p.side[side].keepAlive = true
	before := p.signed
	p.vote(signed)
	p.alive += p.signed - before
}

func (p *probe) vote(signed bool) {
	switch {
	case p.cut:
	case signed:
		p.signed++
	default:
		p.signed--
	}
}

func (p *probe) sack(d *dissect.Datagram, side dissect.Dir) {
	b := d.Payload
	flags := b[2]
	left := len(b) - 12 - 4*bits.OnesCount8(flags>>1&15)
	if flags > 0x1f || left != 0 && left != 8 || b[6]|b[7] != 0 {
		p.stranger()
		return
	}
	p.Add("SACK of exact length", bitsSACK)
	p.vote(left == 8)
	if s := &p.side[side]; s.hasSeq {
		switch ahead := int8(b[4] - s.seq - 1); {
		case ahead == 0:
			p.Add("SACK names the next sequence", bitsAckNext)
		case ahead > 4 && ahead <= dp8.WindowSize:
			p.Add("SACK skips sequences", -bitsNext)
		case ahead > dp8.WindowSize || ahead < -16:
			p.Add("SACK names a sequence far away", bitsContradict)
		}
		if ahead := int8(b[4] - s.seq - 1); ahead > 0 && ahead <= dp8.WindowSize {
			s.seq = b[4] - 1
		}
	} else {
		s.seq, s.hasSeq = b[4]-1, true
	}
	p.acknowledges(b[5], side, bitsSACKAck)
	p.mask(b[5], b[12:], flags&dp8.SACKMask1 != 0, flags&dp8.SACKMask2 != 0, side)
	p.ticks(d, binary.LittleEndian.Uint32(b[8:]), side)
}

// ticks judges the millisecond tick of a SACK against the capture's time.
func (p *probe) ticks(d *dissect.Datagram, tick uint32, side dissect.Dir) {
	s := &p.side[side]
	if !d.HasTime {
		return
	}
	if s.hasTick {
		off := int64(int32(tick-s.tick)) - (d.Time-s.tickTime)/1e6
		if off > -100 && off < 100 {
			p.Add("tick follows the clock", bitsTick)
		}
	}
	s.tick, s.tickTime, s.hasTick = tick, d.Time, true
}

func (p *probe) handshake(b []byte) {
	want := 16
	switch b[1] {
	case dp8.OpConnectedSigned:
		want = 48
	case dp8.OpHardDisconnect:
		if len(b) == 24 {
			want = 24
		}
	}
	version := binary.LittleEndian.Uint32(b[4:])
	if len(b) != want || version>>16 != 1 || version&0xffff > 16 || b[1] == dp8.OpConnect && b[3] != 0 {
		p.stranger()
		return
	}
	switch b[1] {
	case dp8.OpConnected:
		p.signed -= handshakeVote
	case dp8.OpConnectedSigned:
		p.signed += handshakeVote
	}
	p.AddOpening("handshake frame", bitsHandshake)
	id := binary.LittleEndian.Uint32(b[8:])
	if p.hasID && p.id == id {
		p.Add("session id echoed", bitsEcho)
		p.strong = true
	}
	p.id, p.hasID = id, true
}

// neighbour implements session.Protocol.Neighbour.
func neighbour(d *dissect.Datagram, s session.Standing) *dissect.Protocol {
	if len(d.Payload) == 0 || d.Payload[0] != 0 {
		return nil
	}
	ports := [2]uint16{d.Src.Port, d.Dst.Port}
	n, _ := dp8.Neighbour(d.Payload, ports)
	if n == nil && s == session.Ours {
		n, _ = dp8.Neighbour(d.Payload, [2]uint16{dp8.EnumerationPort, d.Dst.Port}) // the pair speaks DirectPlay: that is hint enough
	}
	return n
}
