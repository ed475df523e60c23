package track

import (
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
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

	event // the frame at hand
	ack   seq.Acknowledgement
	link  func(seq.Position)
}

// A side is what is remembered of one sender.
type side struct {
	seq, msg  seq.Serial
	history   history
	asm       assembler
	bytes     byteCounts // of what it sent, by the other side's counts
	aheadThen int        // bytes.ahead, when it was last captured
	sure      int64      // numbers above were sent after the capture began
	hasSure   bool
	early     bool // the peer acknowledged up to earlyTo before a frame was captured
	earlyTo   uint8

	tick    uint32 // latest of its acknowledgements
	hasTick bool
	last    lastAck

	// What rules remember.
	packets  packets
	facts    facts
	hearing  hearing
	count    count
	shunned  shunned
	total    int64                  // bytes of data frames captured, those to be ignored and copies included
	claims   conform.Pending[claim] // about packets it did not send yet
	odd      [8]oddity
	odds     int
	heardTo  int64 // highest number its peer named, believed or not, in epoch heardIn
	heardIn  uint32
	duties   [numAnswers]conform.Sample // answers that were asked for; bad when there was none
	answers  int                        // acknowledgements by its peer of packets that asked for them
	nacks    bool                       // it sends NACKs
	answered int64                      // these are of packets below it
	excess   excess
	product  product
	started  bool          // judged as the beginning
	initial  *conform.Case // its first packet was sent again too soon, if the next one was not sent before
	retries  int           // whose time was judged
}

// A lastAck is what an acknowledgement said, to recognise repetitions.
type lastAck struct {
	typ  dp4.Type
	next int64
	mask uint32
}

// limits of what is believed of sequences at once: nearer than what a sender usually has in
// flight. Of those that a lossy capture holds behind a gap, one in 48 confirms another.
var limits = seq.Limits{Reach: 64, Step: 48}
