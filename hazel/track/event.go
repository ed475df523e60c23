package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session/seq"
)

// An event is the frame at hand, and what is known of it when it is judged. input fills it
// in; judges read it.
type event struct {
	fr   *dissect.Frame // nil when none is at hand
	f    *hazel.Frame
	now  uint64 // its number
	sent seq.Sending
}
