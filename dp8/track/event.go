package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Judge looks at one connection: it is told what the connection makes of each frame, step
// by step, reads what the View shows, and changes nothing of it.
type Judge interface {
	// Follow begins with a connection, which has taken nothing yet. The Event is always the frame at
	// hand.
	Follow(View, *Event)
	// Observe is told a step of it.
	Observe(Step)
	// Forget tells that numbers of a side have nothing to do with those before.
	Forget(dir dissect.Dir)
	// Refuted tells of frames that were kept aside and turned out to be out of place.
	Refuted(dir dissect.Dir, frames []seq.ProvisionalFrame)
	// Claim tells what became of an acknowledgement of a side that names numbers which were
	// not captured.
	Claim(dir dissect.Dir, k *Claim)
	// Stray tells what became of a frame that names another session. Of one that belongs to
	// another connection of the address pair it is told when it begins to wait, too.
	Stray(s *Stray)
	// Refusal tells what became of a frame of a side that its receiver must ignore.
	Refusal(dir dissect.Dir, r *Refusal)
	// End tells that nothing comes any more: what waits is settled, and it is known whether
	// the secrets of the latest epochs are.
	End(unproven [2]bool)
}

// An Event is the frame at hand and what is known of it. It is one value for all connections of a
// table, which takes one frame at a time: a field holds for the Steps named beside it, and is of an
// earlier frame before, maybe of another connection. (Zeroing all of it would cost more than
// decoding a frame, and a value for each connection would not stay in the cache.)
type Event struct {
	Frame  *dissect.Frame `state:"-"` // nil when none is at hand
	Packet *dp8.Frame     `state:"-"` // decoded
	Dir    dissect.Dir    // its sender
	Num    seq.Num        // its number; of a SACK and a HARD_DISCONNECT, the next one of its side
	toldIn uint64         // number of the frame in which rules are told of it: a later one where it was kept aside until then

	Sent    seq.Sending // what the engine is given of it
	Damaged bool        // of what cannot be read: its receiver never saw it

	// Of one whose signature is not right.
	Signature Signature
	Suspects  []Suspect // of Proven: the frames before it that no guess verified

	// Of a data frame.
	KeepAlive bool
	OtherID   OtherID // of Foreign
	Pause     int64   // of Woken: for how long nothing was captured of either side, ns
	Horizon   int64   // of reordering, before it, ns
	Stamp     Stamp   // what places it among the frames of its side
	Prior     Prior   // what was known of its number before it
	Verdict   seq.Verdict
	Placing   Placing
	Record    Record `state:"-"` // of Taken: what is remembered of its number since

	// Of what acknowledges.
	AckedTo seq.Num // the number of the other side that is expected next, as the engine is told
	Said    Saying  // of the other side's numbers
	Reading Reading
	Applied Applied
	ack     seq.Acknowledgement // what the engine is given
	Giving  Giving

	// Of command frames.
	Ticking   Ticking
	Announced Announcement // of a SACK
	Greeting  Greeting     // of the handshake
	Stray     *Stray       // where it names another session: what waits of it
}

// A Step is how far a connection has come with a frame.
type Step uint8

const (
	// What is not tracked, or not yet.
	Unread    Step = iota // it cannot be read to its end
	Untracked             // it is damaged, or cut before its header ends: nothing follows of it
	Verified              // its signature is right
	Unchecked             // … cannot be checked with any secret that is known
	Doubtful              // … is wrong, unless the capture missed what came before it
	Refused               // … is wrong or missing: nothing else follows of it
	Proven                // it proves the secret of a new epoch
	Foreign               // a KeepAlive of another session: nothing else follows of it
	BehindEnd             // a data frame behind the end of its side's stream: the same

	// Data frames, and SACKs.
	Woken        // it comes behind a pause of both sides; all before that is still known
	Placed       // a data frame that is no copy was counted, its number placed; it is not remembered
	PlacedUsual  // … that the short way takes (conn.usual)
	Announces    // a SACK that is no copy, about to be heeded or not
	Closes       // a side has ended its stream: what it acknowledges is about to be read; copies too
	Acknowledges // … was read, and is about to be applied; no copies
	GivesUp      // what was sent is given up: that was read, and is about to be applied; no copies
	Taken        // all is done: a data frame that is no copy is remembered; SACKs, copies too, were heeded

	// Other command frames.
	Greets      // of the handshake, about to be heeded or not; copies too
	Heeded      // … was heeded
	Resets      // a HARD_DISCONNECT that is no copy, before it closes the connection
	ResetsOther // … of another session
)

// tell tells the judge, where there is one, how far the connection has come.
func (c *conn) tell(dir dissect.Dir, s Step) {
	if c.judge != nil {
		c.Event.Dir = dir
		c.judge.Observe(s)
	}
}

// tellOf is tell, of a frame with a number.
func (c *conn) tellOf(dir dissect.Dir, num seq.Num, s Step) {
	c.Num = num
	c.tell(dir, s)
}

// refuted tells the judge of frames of a side whose numbers turned out to be out of place.
func (c *conn) refuted(dir dissect.Dir) {
	frames := c.c.Dir[dir].Provisionals().Refuted()
	if c.judge != nil && len(frames) > 0 {
		c.judge.Refuted(dir, frames)
	}
}
