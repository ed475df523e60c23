package session

import (
	"github.com/dpdissect/dpdissect/dissect"
)

// flowKey is an address pair, lower endpoint first.
type flowKey struct{ lo, hi dissect.Endpoint }

func keyOf(a, b *dissect.Endpoint) flowKey {
	if less(b, a) {
		return flowKey{*b, *a}
	}
	return flowKey{*a, *b}
}

// sideOf reports whether a datagram is of the pair, and of which side of it. Ports are compared
// first: they tell the direction at once, nearly always.
func (k *flowKey) sideOf(d *dissect.Datagram) (side dissect.Dir, is bool) {
	if k.lo.Port == d.Src.Port && k.lo.IP == d.Src.IP {
		return 0, k.hi == d.Dst
	}
	return 1, k.hi.Port == d.Src.Port && k.hi.IP == d.Src.IP && k.lo == d.Dst
}

func less(a, b *dissect.Endpoint) bool {
	for i := range a.IP {
		if a.IP[i] != b.IP[i] {
			return a.IP[i] < b.IP[i]
		}
	}
	return a.Port < b.Port
}

// A Flow is one address pair.
type Flow struct {
	// What most frames touch comes first, so that it lies in few cache lines.
	table    *Table
	key      flowKey
	protocol *Protocol // nil until recognised
	leads    *leads    // of its neighbours, or of those of the one it is forced to
	session  Session
	latest   uint64 // its latest frame
	at       *Conn  // the latest that a frame was counted in, or that was finished
	offload  offload
	class    class // of what is not recognised
	sides    uint8 // that sent something while it was not: bits
	hopeless bool  // all probes say that it is not their protocol
	summedUp bool  // its connections were summed up: see Table.relieve
	up       bool  // the upper endpoint sent its first frame
	compact  bool  // it was made small, and nothing came since

	seq        uint64 // order of creation
	bits       float64
	detectedBy Detection
	dialect    string
	probes     []Probe   // nil before they are needed
	scores     []float64 // latest of each probe, when it is to be explained
	story      *Story
	force      *Force // nil for flows that are recognised
	held       []held
	possible   string  // protocol with the most evidence that counts, if any has enough to tell
	looked     int     // datagrams its probes looked at without finding anything
	rest       int     // datagrams they do not look at yet
	rested     bool    // they did so before
	released   bool    // too much was held: shown as plain UDP since
	leftOut    bool    // some of its datagrams were, for lack of room
	crowdedOut uint32  // number of them
	first      uint64  // its first frame
	last       int64   // time of it
	seen       int64   // when the latest datagram came, by Table.now; of a run without end
	open       int     // connections that are not closed
	closed     []*Conn // not packed yet, where Config.Pack asks for it
}

// Dialect is the dialect a flow was forced to, or "".
func (f *Flow) Dialect() string { return f.dialect }

// half is 0 for datagrams of the lower endpoint, 1 for those of the upper: no direction of a
// connection, whose side a may be either (Conn.flip).
func (f *Flow) half(d *dissect.Datagram) dissect.Dir {
	if d.Src == f.key.lo {
		return 0
	}
	return 1
}

// Wants says what the outputs need.
func (f *Flow) Wants() *Config { return &f.table.cfg }
