package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Bounds of what is kept of messages of one side.
const (
	maxParts   = 8192     // packets of one message
	maxKept    = 16 << 20 // bytes of messages that lack a part or wait
	maxWaiting = 256      // messages that wait for an earlier one
)

// A piece is what one data frame contributes to the application's messages.
type piece struct {
	num, msg seq.Num
	flags    dp4.Flags
	size     int // of the data, whatever the capture cut off
	data     []byte
	fr       *dissect.Frame
}

// An assembler puts the messages of one side together and delivers them: what
// is reliable in the order of its messages, everything else when complete
// (MC-DPL4R 3.1.5.2). Whether a message that was not captured is to be waited
// for is not known until it comes, is acknowledged, or is out of the window.
type assembler struct {
	conn *conn
	dir  dissect.Dir

	started  bool
	floor    seq.Num // messages below are settled
	top      seq.Num // one above the highest message seen
	states   [64]state
	ackedMsg seq.Num // all messages below are acknowledged
	hasAcked bool

	partials []*partial // by message: at most as many as there are states
	free     *partial   `state:"-"` // for the next one
	waiting  []*waiting // complete, in the order of completion
	kept     int        // bytes held by both
}

// state is what is known of a message.
type state uint8

const (
	unseen  state = iota // no part was captured
	open                 // reliable, a part was captured
	ready                // reliable and complete, but not delivered
	settled              // delivered, not reliable, or not waited for
)

// start tells the first message that may come.
func (a *assembler) start(first seq.Num) {
	a.started, a.floor, a.top = true, first, first
}

// acked is the first message that is not known to be acknowledged.
func (a *assembler) acked() (seq.Num, bool) { return a.ackedMsg, a.hasAcked }

// see notes that a message was sent; what is out of its window is not waited
// for any longer.
func (a *assembler) see(msg seq.Num) {
	if msg < a.top {
		return
	}
	for n := max(a.top, msg-seq.Num(len(a.states))+1); n <= msg; n++ {
		a.states[n&63] = unseen
	}
	a.top = msg + 1
	if first := msg - dp4.MessageWindow + 1; first > a.floor {
		a.settleBelow(first)
	}
}

// state gives that of a message at or above the floor.
func (a *assembler) state(msg seq.Num) *state { return &a.states[msg&63] }

// pass notes that the peer has all messages before msg, or does without them.
func (a *assembler) pass(msg seq.Num) {
	if !a.started {
		return
	}
	if !a.hasAcked || msg > a.ackedMsg {
		a.ackedMsg, a.hasAcked = msg, true
	}
	if msg > a.floor {
		a.settleBelow(min(msg, a.top))
		a.drain()
	}
}

// settleBelow stops waiting for messages below first that are not complete.
func (a *assembler) settleBelow(first seq.Num) {
	if len(a.waiting) == 0 {
		a.floor = max(a.floor, first)
		return
	}
	a.floor = max(a.floor, a.top-seq.Num(len(a.states)))
	for n := a.floor; n < first; n++ {
		if s := a.state(n); *s != ready {
			*s = settled
		}
	}
	a.lift()
}

// lift raises the floor over what is settled.
func (a *assembler) lift() {
	for a.floor < a.top && *a.state(a.floor) == settled {
		a.floor++
	}
}

// add takes the first captured copy of a data frame.
func (a *assembler) add(p *piece) {
	a.see(p.msg)
	reliable := p.flags&dp4.RLY != 0
	if p.msg >= a.floor {
		if s := a.state(p.msg); !reliable {
			*s = settled
		} else if *s == unseen {
			*s = open
		}
	}
	if p.flags&dp4.WholeMessage == dp4.WholeMessage {
		a.complete(a.single(p))
		a.drain()
		return
	}
	m := a.partial(p)
	m.extend(p)
	if a.kept += m.keep(p, a.conn.wants.Messages); m.complete() {
		a.take(m)
		a.complete(m.message(a.conn.wants.Messages))
		a.recycle(m)
	}
	for len(a.partials) > 0 && (a.kept > maxKept || a.partials[0].msg.Number < a.top-seq.Num(len(a.states))) {
		a.abandon(a.partials[0])
	}
	a.drain()
}

// drain delivers what waits for nothing any more.
func (a *assembler) drain() {
	a.lift()
	for len(a.waiting) > 0 {
		w := a.waiting[0]
		if before, blocked := a.before(w); blocked && before < 0 {
			if len(a.waiting) <= maxWaiting && a.kept <= maxKept {
				return
			}
			a.settleBelow(w.msg.Number)
			continue
		} else if blocked { // it comes after a message that was completed later
			copy(a.waiting, a.waiting[1:before+1])
			a.waiting[before] = w
			continue
		}
		copy(a.waiting, a.waiting[1:])
		a.waiting = a.waiting[:len(a.waiting)-1]
		a.kept -= len(w.msg.Payload)
		a.deliver(&w.msg)
	}
}

// before tells whether a message has to wait: for one of those waiting, whose
// place is given, or, with a negative place, for one that is not complete.
func (a *assembler) before(w *waiting) (place int, blocked bool) {
	if !w.msg.Reliable {
		return 0, false
	}
	for n := a.floor; n < min(w.msg.Number, a.top); n++ {
		switch *a.state(n) {
		case unseen, open:
			return -1, true
		case ready:
			for i, x := range a.waiting {
				if x.msg.Number == n {
					return i, true
				}
			}
		}
	}
	return 0, false
}

// complete takes a whole message.
func (a *assembler) complete(m *session.Message) {
	inOrder := m.Number >= a.floor && m.Reliable
	if inOrder {
		*a.state(m.Number) = ready
	}
	w := waiting{*m}
	if _, blocked := a.before(&w); len(a.waiting) == 0 && !blocked || a.conn.wants.Messages == session.CountMessages {
		a.deliver(m)
		return
	}
	w.msg.Payload = append([]byte(nil), m.Payload...)
	a.kept += len(w.msg.Payload)
	a.waiting = append(a.waiting, &w)
}

// A waiting message is complete and may have to be delivered after others.
type waiting struct{ msg session.Message }

func (a *assembler) deliver(m *session.Message) {
	if m.Reliable && m.Number >= a.floor {
		*a.state(m.Number) = settled
		a.lift()
	}
	m.Dir, m.At = a.dir, a.conn.now
	a.conn.c.Deliver(m)
}

// close delivers what is still there and counts what stays incomplete.
func (a *assembler) close() {
	a.settleBelow(a.top)
	a.drain()
	for len(a.partials) > 0 {
		a.abandon(a.partials[0])
	}
	a.free = nil
}
