package pipeline

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// turns keep the messages of a side in order. A message whose frame is printed already stands at
// a later frame, and no message after it may stand before that one. It happens when a pair is
// recognised: of what was held of it, some frames are printed by then. Only sides to which it
// happened have an entry: the frame at which their latest message stands.
type turns struct {
	frames map[sender]uint64
	most   int // entries at which those without use are dropped
}

// A sender is one side of a connection.
type sender struct {
	conn *session.Conn
	dir  dissect.Dir
}

// leastTurns is the number of entries up to which none is dropped.
const leastTurns = 64

// turn gives the slot a message stands in: that of the frame during which it was
// delivered, or, when that one is printed already, of the packet at hand. Messages
// of one side stand in the order of their indices. nil is after all packets; that
// is so in a run without end only while time passes without packets, and nothing is tracked.
func (k *shardSink) turn(m *session.Message) *Slot {
	who := sender{m.Conn, m.Dir}
	if s := k.slot(max(m.At, k.turns.frames[who])); s != nil {
		return s
	}
	s := k.slot(k.now)
	if s == nil && k.q.endless {
		s = k.q.newest() // no packet is at hand: time passed
	}
	if s != nil {
		k.keepTurn(who, s.Datagram.Frame)
	}
	return s
}

// keepTurn notes after which frame the next message must stand.
func (k *shardSink) keepTurn(who sender, frame uint64) {
	t := &k.turns
	if t.frames == nil {
		t.frames, t.most = map[sender]uint64{}, leastTurns
	}
	t.frames[who] = frame
	if len(t.frames) < t.most {
		return
	}
	for who, frame := range t.frames {
		if s, _ := k.held(frame); s == nil {
			delete(t.frames, who) // it is printed, and so are all before it
		}
	}
	t.most = max(leastTurns, 2*len(t.frames))
}

// forget drops connections.
func (t *turns) forget(gone map[*session.Conn]bool) {
	for c := range gone {
		delete(t.frames, sender{c, 0})
		delete(t.frames, sender{c, 1})
	}
}

// newest is the slot of the latest packet, nil when it is printed.
func (q *Queue) newest() *Slot {
	if q.head > q.last.Load() {
		return nil
	}
	return q.at(q.last.Load()).slot
}
