package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// An event is the frame at hand, and what is known of it when it is judged. input fills it
// in, from top to bottom; judges read it.
type event struct {
	fr        *dissect.Frame // nil when none is at hand
	f         *dp8.Frame
	now       uint64 // its number
	sent      seq.Sending
	horizon   int64  // of reordering, before it, ns
	stamp     stamp  // what places it among the frames of its side
	prior     prior  // what was known of its number before it
	said      saying // of the other side's numbers
	placed    placing
	reading   reading
	giving    giving
	announced announcement // of a SACK
	answered  answering    // of a CONNECTED or CONNECTED_SIGNED
}
