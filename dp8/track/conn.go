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
	c     *session.Conn
	flow  *session.Flow
	wants *session.Config
	pair  *pair

	params    dp8.Params
	connector dissect.Dir // direction of the connector, -1 when unknown
	mode      Mode
	lengths   int // SACKs and KeepAlives as long as signed ones, less those as long as unsigned ones
	proof     proof
	side      [2]Side
	alive     aliveState
	hs        Handshake
	life      lifecycle
	finished  bool  // settled: further frames are only counted
	judge     Judge // nil for none
	attempts  [2]attempt
	strays    []*Stray
	signed    Signed
	blind     bool  // the capture cut a handshake frame
	rival     *conn // another connection of the pair when this one began, until it is answered
	rivalOpen bool  // its handshake was pending then

	Event // the frame at hand
	ack   seq.Acknowledgement

	numbered [2]int64 // time of the latest numbered frame
	spoke    int64    // … or SACK, of either side
	vouched  [2]int64 // when the other side last acknowledged no more than was captured
	grain    int64    // of the capture's times, as far as can be told, ns
	trusted  int64    // since when numbers are beyond doubt

	prevTime int64 // time of the frame before, ns
}

// A Side is what is remembered of one sender.
//
// How far it has come is known in three ways: to the engine (seq.Window.Highest: all that was
// believed), to retries (History.Top: what is remembered, frames behind END_STREAM too), and to
// rules (Numbers.TopFirst: first transmissions; TopSeen: all captured; both without a frame that
// proved out of place, and forgotten by forgetNumbers). bNRcv is read against the first for the
// engine (Event.AckedTo), and against TopSeen for rules (Said.Next).
type Side struct {
	seq      seq.Serial
	nseq     seq.Serial // what its SACKs say it will send next
	lengths  int        // conn.lengths of this side alone
	Version  uint32     // reported in the handshake, 0 when not seen
	fast     fastKey
	keys     keyring
	asm      assembler
	History  History
	Numbers  Numbers
	next     latestNext
	Ended    bool // END_STREAM was captured
	EndSeq   seq.Num
	EndAt    int64  // when that was captured, ns
	Beyond   bool   // it sent frames behind that
	sendMask uint64 // latest send mask: bit i is maskBase-1-i
	maskBase seq.Num
	GaveUp   seq.Num // it gave up only numbers below
	ackNext  seq.Num // last pure acknowledgement, to recognise repetitions
	ackMask  uint64
	acked    bool
	Restless bool        // its latest SACK is one that a side repeats by itself
	refused  []Refusal   // frames the peer must not accept
	unjudged []unjudged  // frames that came before the secret
	doubts   *doubtWatch // nil while no signature was in doubt
	early    bool        // the peer acknowledged up to earlyTo before a frame was captured
	earlyTo  uint8
	Ticks    Ticks
}

// sending describes the frame at hand to the engine.
func (c *conn) sending(num seq.Num, mark seq.Mark) *seq.Sending {
	return c.Sent.Of(c.Frame.Datagram, num, mark)
}
