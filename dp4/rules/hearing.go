package rules

import (
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/dp4/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A heard acknowledgement is what one says of the other side. The order of
// acknowledgements is that of their tick counts.
type heard struct {
	set    bool
	typ    dp4.Type
	hasNum bool
	again  bool // it names a packet before num, which came again
	ahead  bool // it counts more bytes than were sent
	msg    uint8
	serial uint8
	tick   uint32
	bytes  uint32
	epoch  uint32  // of the other side's numbers
	num    seq.Num // all up to it have arrived
	frame  uint64
	time   int64
	grew   int64
	sent   int64
}

// A hearing follows the acknowledgements of one side: counters that never go back
// (MC-DPL4R 2.2.4, 3.1.3, 3.1.5.4). When one does, the next acknowledgement tells
// which of the two is wrong.
type hearing struct {
	prior, base, doubt heard // in order of ticks; doubt contradicts base, or later
	later              heard // if set: what doubt contradicts, older than base
	past               past
	clock              clock
	mask               lastMask
	part               heardPart
}

// A heardPart is the part of a message not sent reliably that was acknowledged last: by
// that its receiver knows how the others are sent.
type heardPart struct {
	set   bool
	msg   seq.Num
	tick  uint32
	epoch uint32
}

// forget is after what silence two acknowledgements are not compared, in ns: the
// players may have begun again (guard LIFE).
const forget = 10e9

// goesOn reports that nothing goes back from x to y.
func (x *heard) goesOn(y *heard) bool {
	return int32(y.tick-x.tick) >= 0 && int32(y.bytes-x.bytes) >= 0 && !y.before(x)
}

// before reports that y covers less than x does.
func (y *heard) before(x *heard) bool {
	return x.hasNum && y.hasNum && x.epoch == y.epoch && y.num < x.num
}

// follows reports that x and y are ACKs, each of the latest packet that had arrived, and y
// is that of a later one.
func (y *heard) follows(x *heard) bool {
	acks := x.typ == dp4.TypeACK && y.typ == dp4.TypeACK && !x.again && !y.again
	return acks && x.hasNum && y.hasNum && x.epoch == y.epoch && y.num > x.num && y.num-x.num <= track.NearPackets
}

// A lastMask is what the latest NACK reported.
type lastMask struct {
	set   bool
	first seq.Num
	mask  uint32
	frame uint64
	epoch uint32
}

// An ignoredFrame is a data frame that its receiver must ignore. An acknowledgement
// of just its numbers, when none of another frame with them was captured and when the
// count of bytes received grew by just its size, is one of it.
type ignoredFrame struct {
	set     bool
	passed  bool // an acknowledgement of something else was seen
	rule    int  // that an acknowledgement of it breaks
	seq     uint8
	message uint8
	serial  uint8
	frame   uint64
	time    int64
	sum     int64 // bytes captured of its sender's data frames, this one included
	before  int64 // … and without it
	clean   bool  // the capture had missed nothing of its sender
	ext     int   // bytes of extended flags and mask
}

// A claim is an acknowledgement of a number above everything captured: the capture
// missed its packet, or it was never sent.
type claim struct {
	conform.Case
	num, top seq.Num
	ripe     int64 // from when on packets were sent later
	epoch    uint32
	shown    seq.Num // number whose first transmission seems to show that it is wrong, 0 for none
	ahead    int     // how often counts of bytes had been too high when top was captured
}

// An oddity is the sequence of a frame that was not tracked: what acknowledges it
// may be meant.
type oddity struct {
	seq  uint8
	time int64
}

// maxOddities bounds the oddities of a side that are remembered: the latest.
const maxOddities = 8
