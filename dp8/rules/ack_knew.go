package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// knowledge is how far back carriers are looked at.
const knowledge = 16

// knew reports whether a side that acknowledges all below received knew that its
// own number num was acknowledged: a reliable frame below received, of which the
// first sending was captured, said so. No mask can have passed over that one. at is its
// number.
func (j ackJudge) knew(dir dissect.Dir, received, num seq.Num) (by track.Record, at seq.Num, selectively bool) {
	for q := received - 1; q >= received-knowledge; q-- {
		k := j.Carried(dir.Other(), q)
		if !k.IsKnown() || k.Command&dp8.Reliable == 0 || k.Next() == 0 {
			continue
		}
		if k.Next() > num {
			return k, q, false
		}
		if i := num - k.Next() - 1; i >= 0 && i < 63 && j.side[dir.Other()].History.Sacks(k)>>uint(i)&1 != 0 {
			return k, q, true
		}
	}
	return track.Record{}, 0, false
}

// judgeNeed judges a retry by what its side knew: what is acknowledged is not sent
// again (MC-DPL8R 3.1.5.2.2, 3.1.5.2.3). The header of the retry shows what had
// been received when it was sent.
func (j ackJudge) judgeNeed(dir dissect.Dir, num seq.Num, d *dp8.DFrame) {
	rules := &j.c.Rules
	received, ok := j.Received(dir, d.NRcv)
	if !ok || !j.Frame.HasTime {
		return
	}
	switch by, _, selectively := j.knew(dir, received, num); {
	case !by.IsKnown() && j.Prior.Known && j.Prior.Look.Acked:
		rule := r31522Ackedretry
		if cum, ok := j.c.Dir[dir].Window().Cumulative(); ok && num >= cum {
			rule = r31523Noretry
		}
		rules.Unclear(rule, conform.GuardKnew, "retried after its acknowledgement was captured")
	case !by.IsKnown():
		rules.Pass(r31522Ackedretry)
		rules.Pass(r31523Noretry)
	case selectively && j.side[dir.Other()].sequence.odd:
		rules.Unclear(r31523Noretry, conform.GuardKnew, "the masks of the other side may count from another number", by.Frame())
	case selectively:
		rules.Broken(r31523Noretry, fmt.Sprintf("%d is retried, although the side had received bSeq %d, whose SACK mask acknowledged it", uint8(num), by.Seq()), by.Frame())
	default:
		rules.Broken(r31522Ackedretry, fmt.Sprintf("%d is retried, although the side had received bSeq %d, which carried bNRcv %d", uint8(num), by.Seq(), uint8(by.Next())), by.Frame())
	}
}
