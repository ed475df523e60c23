package compare

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// Points are the two captures of a session.
const (
	Point1 = iota
	Point2
)

// A datagram is one UDP datagram of a capture, in 32 bytes: there may be millions.
type datagram struct {
	hash   uint64 // of length and payload
	time   int64  // ns since 1970, as the capture gives it
	frame  uint32
	flow   uint32 // index in Capture.flows
	length uint16
	ipid   uint16
	ttl    uint8
	part   uint8 // among those its packet was taken apart into
	bits   bits
}

// bits are what is known of a datagram beside its numbers.
type bits uint16

const (
	timed      bits = 1 << iota
	shortened       // the capture holds less than the datagram had
	fragmented      // it came in fragments
	again           // the analysis says that it was sent before
	copied          // a further frame of a datagram: its mate is the first frame, in the same capture
	anchor          // it is paired, and nothing else at either point has its payload
	altered         // it is paired, and its bytes were changed between the points
	reordered       // at the second point it is after one that passed the first point later
	acked           // its receiver acknowledged it …
	sole            // … and it is the only transmission that can have been meant
	slow            // … but that took long: for a transmission that was not captured, it may be
	skippable       // an acknowledgement may pass over it
	final           // its sender does not send it again, whether it is acknowledged or not
	missing         // its receiver reports it missing, for good
)

// none stands for no index.
const none = -1

// A flow is what one side of an address pair sends, as far as it is of one connection.
type flow struct {
	src, dst dissect.Endpoint
	conn     int32 // index in Capture.Conns, none for plain UDP
	dir      dissect.Dir
	pair     int32 // index in Capture.pairs
	back     bool  // it is sent by the upper endpoint of the pair
}

// A pair is two endpoints that exchange datagrams, the lower one first.
type pair struct{ lo, hi dissect.Endpoint }

// pairOf gives the pair of two endpoints, and whether src is the upper one.
func pairOf(src, dst dissect.Endpoint) (p pair, back bool) {
	if below(&dst, &src) {
		return pair{dst, src}, true
	}
	return pair{src, dst}, false
}

func below(a, b *dissect.Endpoint) bool {
	for i := range a.IP {
		if a.IP[i] != b.IP[i] {
			return a.IP[i] < b.IP[i]
		}
	}
	return a.Port < b.Port
}

// A link is a frame and a later one that has to do with it.
type link struct{ frame, by uint32 }

// A notice is an ICMP notice that a datagram was not delivered.
type notice struct {
	frame    uint32
	time     int64
	src, dst dissect.Endpoint // of the datagram
	ipid     uint16           // likewise
	length   int              // likewise, 0 where the notice does not quote so much
}

// A dropped is packets that a capture says it lost before a time.
type dropped struct {
	time int64
	n    uint64
}

// A part is a datagram of which the capture holds some fragments alone.
type part struct {
	time  int64
	frame uint32
	ipid  uint16
	came  int
}

// frameIndex finds the first datagram of a frame, none where there is none.
func (c *Capture) frameIndex(frame uint32) int {
	if frame == 0 || int(frame) >= len(c.upTo) || c.upTo[frame-1] == c.upTo[frame] {
		return none
	}
	return int(c.upTo[frame-1])
}

// connOf gives the connection of a flow, nil for none.
func (c *Capture) connOf(f *flow) *session.Conn {
	if f.conn == none {
		return nil
	}
	return c.Conns[f.conn]
}
