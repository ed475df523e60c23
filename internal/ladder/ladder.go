// Package ladder draws a connection as a sequence diagram: two lifelines, and an arrow for
// each frame. One model of rows, made of what the tracker says of frames, feeds all formats;
// nothing is judged here.
package ladder

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Schema is the name of the document.
const Schema = "dpdissect/ladder/1"

// MaxFrames bounds the frames that a ladder holds, and how many lost numbers of its connection.
const MaxFrames = 100_000

// TooMany says that a selection has more frames than a ladder holds.
func TooMany() error {
	return fmt.Errorf("more than %d frames: narrow the ladder with --from and --to, --around or -Y", MaxFrames)
}

// A Kind is what a row shows.
type Kind string

const (
	Frame Kind = "frame" // one frame
	Run   Kind = "run"   // several like frames of one side, with nothing to say of any
	Loss  Kind = "loss"  // a transmission that is proven lost, or that the capture missed
	Pause Kind = "pause" // a time without a frame

	Passage Kind = "passage" // a datagram between two capture points
)

// A Row is one line of the ladder. The fields that do not belong to its kind are zero.
type Row struct {
	Kind      Kind
	Frames    []uint64    // those that it shows: one, those of a run, or none
	From      dissect.Dir // the side that sends: 0 for a, 1 for b
	Time      int64       // ns since 1970, of the first frame
	Until     int64       // of the last frame of a run, of the end of a pause
	HasTime   bool
	Clock     string // the time for people, as -t asks for it
	Type      string
	Number    uint64 // on the wire, of the first frame
	HasNumber bool
	Last      uint64 // on the wire, of the last frame of a run
	Label     string // one line for people, not yet escaped
	Length    int    // bytes of UDP payload
	Datagrams int    // that the capture shows in its frames
	Acked     int    // datagrams of which an acknowledgement was captured
	Awaits    int    // datagrams that ask for one
	Words     dissect.Words
	RetryOf   uint64   // an earlier frame of the same unit
	AckedIn   uint64   // the first captured frame that acknowledges it
	Acks      []uint64 // the frames that it acknowledges first
	Fault     string   // where decoding stopped, and why

	Members []Row // the rows that a run puts together

	Lost   seq.LostAt // where, of a loss
	Num    seq.Num    // the number lost, unwrapped
	Before uint64     // the frame at which it showed, of a loss that was not captured
	Again  uint64     // the frame that sent it again, of a loss that was not captured

	Findings []Finding
	Proof    []string // what explain takes its frames as proof of
	Notices  []Notice // that what was sent was not delivered
	Focus    bool     // it holds the frame of --around

	Way *Way // of a pair of captures: how it went from one point to the other, nil of one capture
}

// A Finding is a broken rule, told at its frame.
type Finding struct{ Rule, Severity, Message string }

// A Notice is an ICMP notice that a datagram was not delivered. It stands at the row before
// it.
type Notice struct {
	Frame   uint64
	Time    int64
	HasTime bool
	Label   string
	Proof   []string
}

// A Ladder is the rows of one connection, or of what was chosen of it.
type Ladder struct {
	Conn     *session.Conn
	Frames   int // in all rows
	Rows     []Row
	Story    *explain.Connection // nil when nothing is known of its end
	Filtered bool                // frames in between may have been left out
}

// HasRuns reports whether frames were put together.
func (l *Ladder) HasRuns() bool {
	for i := range l.Rows {
		if l.Rows[i].Kind == Run {
			return true
		}
	}
	return false
}

// Frame is the first frame of a row, 0 when it has none.
func (r *Row) Frame() uint64 {
	if len(r.Frames) == 0 {
		return 0
	}
	return r.Frames[0]
}
