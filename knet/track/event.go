package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session/seq"
)

// An event is the datagram at hand, and what is known of it when it is judged. input fills
// it in; judges read it.
type event struct {
	fr         *dissect.Frame // nil when none is at hand
	d          *knet.Datagram
	now        uint64 // number of its frame
	sent       seq.Sending
	pong       pong    // the reply that it holds
	faults     []Fault // what is wrong with it by itself
	doubtful   bool    // … so that it may not be meant as it is
	suspect    bool    // it has such a fault, and changes nothing that rules remember
	jump       bool    // its PacketID is not the next one
	accused    bool    // of something that it breaks, though it cannot be read
	broken     bool    // a fragment of it is proven wrong
	suspicions int     // against it
	named      int     // PacketIDs that it acknowledges
}
