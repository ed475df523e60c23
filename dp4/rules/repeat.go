package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/dp4/track"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeRepeat judges a further transmission of the same packet by its serial: an earlier
// one may come late, the same one does not come twice.
func (j *judge) judgeRepeat(dir dissect.Dir, u track.Record) {
	rules, f := &j.c.Rules, j.Packet
	if step := int8(f.Serial - u.High()); step > 0 {
		rules.PassSet(setRepeat)
		if f.Flags&dp4.WholeMessage == dp4.WholeMessage {
			rules.Pass(r222SerialSingle)
		}
		j.judgeRetryTime(dir, u)
		return
	}
	if j.Frame.IPID != 0 && j.Frame.IPID == u.IPID {
		return // a copy of the first transmission, however late (guard DUP)
	}
	if f.Flags&dp4.WholeMessage == dp4.WholeMessage && j.Fine() && j.Frame.Time-u.Last() > seq.CopyDoubt && (f.Serial == u.High() || f.Serial == 0 && u.Low == 0) {
		j.broken(r222SerialSingle, fmt.Sprintf("sequence %d is sent again with serial %d, which an earlier transmission already had", f.Sequence, f.Serial), u.Frame())
	}
}

// isRetry reports whether the frame at hand is a further transmission.
func (j *judge) isRetry() bool { return j.Frame.Words.Has(dissect.Retry) }
