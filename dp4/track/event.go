package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/seq"
)

// An event is the frame at hand, and what is known of it when it is judged. input fills it
// in; judges read it.
type event struct {
	fr    *dissect.Frame // nil when none is at hand
	f     *dp4.Frame
	now   uint64 // its number
	shun  bool   // rules remember nothing of it
	sent  seq.Sending
	clean bool // the capture had missed nothing before it, valid for a new packet with another serial than 0
}
