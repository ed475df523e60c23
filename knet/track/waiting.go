package track

import (
	"bytes"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// MaxWaiting is how many messages of a side wait for others; with more, the
// oldest is delivered as it is.
const MaxWaiting = 256

// A dependency is a message that must be delivered before another.
type dependency struct {
	packet seq.Num // PacketID, unwrapped
	place  int     // which message of that datagram
}

// waiting are the messages of one side of Spec that are held back until those
// they depend on were delivered (kNet page, InOrder Datagrams and Messages).
type waiting struct {
	conn *conn
	dir  dissect.Dir
	list []*waiter
	here map[dependency]int // what is in the list, by where it was
}

type waiter struct {
	msg     session.Message
	at      dependency   // where it was
	depends []dependency // those not known to be delivered
	listed  bool
}

func (w *waiting) some() bool { return len(w.list) > 0 }

// hold keeps a message when it must wait.
func (w *waiting) hold(m *session.Message, packet seq.Num, place int, depends []dependency) bool {
	x := &waiter{at: dependency{packet, place}, depends: depends}
	if w.met(x) {
		return false
	}
	if len(w.list) >= MaxWaiting {
		w.emit(0)
	}
	if w.here == nil {
		w.here = make(map[dependency]int)
	}
	x.msg, x.listed = *m, true
	x.msg.Payload = bytes.Clone(m.Payload)
	w.list = append(w.list, x)
	w.here[x.at]++
	return true
}

// release delivers what waits no longer.
func (w *waiting) release() {
	for again := true; again; {
		again = false
		for i := 0; i < len(w.list); {
			if w.met(w.list[i]) {
				w.emit(i)
				again = true
			} else {
				i++
			}
		}
	}
}

func (w *waiting) emit(i int) {
	x := w.list[i]
	w.list = slices.Delete(w.list, i, i+1)
	if w.here[x.at]--; w.here[x.at] == 0 {
		delete(w.here, x.at)
	}
	x.msg.At = w.conn.now
	w.conn.c.Deliver(&x.msg)
}

// flush delivers everything, in the order of capture.
func (w *waiting) flush() {
	for len(w.list) > 0 {
		w.emit(0)
	}
	w.list = nil
}

// met reports whether all that a message depends on was delivered. What was is not
// asked for again.
func (w *waiting) met(x *waiter) bool {
	for len(x.depends) > 0 {
		if !w.delivered(&x.depends[0], x) {
			return false
		}
		x.depends = x.depends[1:]
	}
	return true
}

// delivered reports whether a message was delivered, or never will be here: it
// was sent before the capture began, or the capture alone missed it.
func (w *waiting) delivered(x *dependency, of *waiter) bool {
	c := w.conn
	seen, remembered := c.c.Dir[w.dir].Captured(x.packet)
	switch {
	case !remembered:
		return !c.c.Complete || !w.ahead(x.packet)
	case !seen:
		return c.side[w.dir].uncaptured(x.packet)
	}
	others := w.here[*x]
	if of.listed && of.at == *x {
		others--
	}
	if others > 0 {
		return false
	}
	return !c.side[w.dir].transfers.lacks(x.packet, x.place)
}

// ahead reports a PacketID that is not below what is remembered.
func (w *waiting) ahead(packet seq.Num) bool {
	high, ok := w.conn.c.Dir[w.dir].Window().Highest()
	return !ok || packet >= high-seq.Num(resendMemory)
}
