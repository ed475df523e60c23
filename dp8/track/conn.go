package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A conn is one DirectPlay 8 connection: what the text says, on top of the
// engine's counters.
type conn struct {
	// What most frames touch comes first, so that it lies in few cache lines.
	c           *session.Conn
	*Event            // the frame at hand: one value for all connections of a table
	judge       Judge // nil for none
	wants       *session.Config
	flow        *session.Flow
	pair        *pair
	params      dp8.Params
	connector   dissect.Dir // direction of the connector, -1 when unknown
	mode        Mode
	finished    bool // settled: further frames are only counted
	blind       bool // the capture cut a handshake frame
	rivalOpen   bool // the handshake of rival was pending when this one began
	lengths     int  // SACKs and KeepAlives as long as signed ones, less those as long as unsigned ones
	strays      []*Stray
	numbered    [2]int64 // time of the latest numbered frame
	spoke       int64    // … or SACK, of either side
	confirmedAt [2]int64 // when the other side last acknowledged no more than was captured
	grain       int64    // of the capture's times, as far as can be told, ns
	trusted     int64    // since when numbers are beyond doubt
	prevTime    int64    // time of the frame before, ns
	life        lifecycle
	hs          Handshake
	side        [2]Side

	proof    proof
	alive    aliveState
	attempts [2]attempt
	signed   Signed
	rival    *conn // another connection of the pair when this one began, until it is answered
}

// A Side is what is remembered of one sender.
//
// How far it has come is known in three ways: to the engine (seq.Window.Highest: all that was
// believed), to retries (History.Top: what is remembered, frames behind END_STREAM too), and to
// rules (Numbers.TopFirst: first transmissions; TopSeen: all captured; both without a frame that
// proved out of place, and forgotten by forgetNumbers). bNRcv is read against the first for the
// engine (Event.AckedTo), and against TopSeen for rules (Said.Next).
type Side struct {
	// What most frames touch comes first, so that it lies in few cache lines.
	seq      seq.Serial
	Ended    bool // END_STREAM was captured
	Beyond   bool // it sent frames behind that
	early    bool // the peer acknowledged up to earlyTo before a frame was captured
	earlyTo  uint8
	acked    bool
	Restless bool // its latest SACK is one that a side repeats by itself
	EndSeq   seq.Num
	sendMask uint64 // latest send mask: bit i is maskBase-1-i
	maskBase seq.Num
	refused  []Refusal // frames the peer must not accept
	Ticks    Ticks
	Numbers  Numbers
	History  History
	asm      assembler
	keys     keyring

	nseq     seq.Serial // what its SACKs say it will send next
	lengths  int32      // conn.lengths of this side alone
	Version  uint32     // reported in the handshake, 0 when not seen
	fast     fastKey
	next     latestNext
	EndAt    int64   // when that was captured, ns
	GaveUp   seq.Num // it gave up only numbers below
	ackNext  seq.Num // last pure acknowledgement, to recognise repetitions
	ackMask  uint64
	unjudged []unjudged  // frames that came before the secret
	doubts   *doubtWatch // nil while no signature was in doubt
}

// sending describes the frame at hand to the engine.
func (c *conn) sending(num seq.Num, mark seq.Mark) *seq.Sending {
	return c.Sent.Of(c.Frame.Datagram, num, mark)
}
