package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// lifecycle is how far the connection has come.
type lifecycle struct {
	state   session.State
	closer  session.Side // whose Disconnect came first
	closeAt int64
	spoke   [2]bool // something was captured of the side
	dead    [2]bool // its host said that nobody listens there
	before  session.State

	noticed   seq.Sign    // the latest notice of that
	noticedBy dissect.Dir // side that it was sent to

	bye [2]Bye
}

// A Bye is what was captured of the Disconnects of a side.
type Bye struct {
	Times int   // without copies
	At    int64 // when the first was captured, ns
	Frame uint64
	IPID  uint16
	Top   seq.Num // the highest number of the side then
	Last  int64   // when the last one was captured, ns
}

// gone reports whether a Disconnect of a side was captured.
func (l *lifecycle) gone(dir dissect.Dir) bool { return l.bye[dir].Times > 0 }

// heard notes that a side is there. A host whose port was unreachable, but that
// sends on, was not the end of the connection.
func (l *lifecycle) heard(dir dissect.Dir) {
	l.spoke[dir] = true
	if l.dead[dir] {
		l.dead[dir] = false
		if l.state == session.Reset || l.state == session.Refused {
			l.state = l.before
		}
	}
}

// over reports whether the connection came to an end that was captured.
func (l *lifecycle) over() bool { return l.state > session.Closing }

// An opening is the Hello that started the connection.
type opening struct {
	known bool
	id    uint16
	hash  uint64
	ipid  uint16
	last  int64 // when it was captured last
	gap   int64 // the longest time between two of its transmissions
	bare  bool  // its id is no usual first one: it may be a keepalive
	moved bool  // its sender has sent other ids since
	since int64 // when the first of those was captured
}
