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
	faults     []fault // rules that it breaks by itself
	doubtful   bool    // … so that it may not be meant as it is
	suspect    bool    // it has such a fault, and changes nothing that rules remember
	jump       bool    // its PacketID is not the next one
	broken     bool    // a fragment of it is proven wrong
	suspicions int     // against it
	named      int     // PacketIDs that it acknowledges
}
