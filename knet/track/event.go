package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Judge looks at one connection: it is told of each datagram as the connection takes it,
// reads what the View shows, and changes nothing of it.
type Judge interface {
	// Follow begins with a connection, which has taken nothing yet.
	Follow(View)
	// Observe is told of a datagram. The event is valid until it returns.
	Observe(*Event)
	// Refuted tells of datagrams that were kept aside and turned out to be out of place.
	Refuted(dir dissect.Dir, frames []seq.ProvisionalFrame)
	// Forget tells that PacketIDs of a side have nothing to do with those before.
	Forget(dir dissect.Dir)
	// Compact tells that a connection that rests is to keep little.
	Compact()
	// End tells that nothing comes from a side any more; what is held is settled after it.
	End(dir dissect.Dir)
}

// An Event is the datagram at hand, and what is known of it. Of one that the connection takes
// there are two: one before its PacketID is counted, if that was not captured before, and one
// after it, before what its messages say is taken.
type Event struct {
	Frame    *dissect.Frame `state:"-"` // nil when none is at hand
	Datagram *knet.Datagram `state:"-"` // decoded, as far as it could be
	Sent     seq.Sending    // what the engine is given of it
	Dir      dissect.Dir    // its sender
	Step     Step
	Known    bool    // its PacketID was captured before
	Faults   []Fault `state:"-"` // what is wrong with it by itself
	Doubtful bool    // … so that it may not be meant as it is

	// Of a message that is sent again.
	Message *knet.Message    `state:"-"`
	Unit    *seq.UnitVerdict `state:"-"`

	now  uint64 // number of its frame; of another one where this one was kept aside until then
	pong pong   // the reply that it holds
}

// A Step is how far a connection has come with a datagram.
type Step uint8

const (
	Unread Step = iota // it cannot be read to its end
	Apart              // it is set apart: nothing else follows from it
	Aside              // its PacketID is far from those of its side: it is kept until it shows why
	Fresh              // its PacketID is new, and about to be counted
	Taken              // it was counted
	Resent             // so was a message of it that was sent before
)

// tell tells the judge, where there is one, of the datagram at hand.
func (c *conn) tell(s *side, step Step) {
	if c.judge != nil {
		c.Dir, c.Step = s.dir, step
		c.judge.Observe(&c.Event)
	}
}

// refuted tells the judge of datagrams of a side whose PacketIDs turned out to be out of
// place: the side went on before them.
func (c *conn) refuted(s *side) {
	p := s.out.Provisionals()
	frames := p.Refuted()
	for i := range frames {
		p.Disregard(frames[i].Num)
	}
	if c.judge != nil && len(frames) > 0 {
		c.judge.Refuted(s.dir, frames)
	}
}

// forget says that PacketIDs of a side have nothing to do with those before.
func (c *conn) forget(dir dissect.Dir) {
	c.side[dir].habits = 0
	if c.judge != nil {
		c.judge.Forget(dir)
	}
}
