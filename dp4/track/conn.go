package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A conn is one connection of two players: what the text says, on top of
// the engine's counters.
type conn struct {
	c        *session.Conn
	flow     *session.Flow
	wants    *session.Config
	side     [2]side
	life     lifecycle
	finished bool // settled: further frames are only counted
	again    bool // it followed another one of the same players

	Event // the frame at hand
	judge Judge
	ack   seq.Acknowledgement
}

// A side is what is remembered of one sender.
type side struct {
	// What most frames touch comes first, so that it lies in few cache lines.
	dir       dissect.Dir
	out       *seq.Direction // what it sends
	seq, msg  seq.Serial
	history   history
	asm       assembler
	aheadThen int     // bytes.ahead, when it was last captured
	total     int64   // bytes of data frames captured, those to be ignored and copies included
	sure      seq.Num // numbers above were sent after the capture began
	hasSure   bool
	early     bool // the peer acknowledged up to earlyTo before a frame was captured
	earlyTo   uint8
	hasTick   bool
	tick      uint32     // latest of its acknowledgements
	bytes     byteCounts // of what it sent, by the other side's counts
	last      lastAck
}

// A lastAck is what an acknowledgement said, to recognise repetitions.
type lastAck struct {
	typ  dp4.Type
	next seq.Num
	mask uint32
}

// limits of what is believed of sequences at once: nearer than what a sender usually has in
// flight. Of those that a lossy capture holds after a gap, one in 48 confirms another.
var limits = seq.Limits{Reach: 64, Step: 48}
