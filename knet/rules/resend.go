package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeResent judges a reliable message of Reference that is sent again in another
// datagram.
func (c numberJudge) judgeResent(dir dissect.Dir, m *knet.Message, v *seq.UnitVerdict) {
	rules := &c.c.Rules
	if v.Other {
		x := rules.Here(rDgIdUnique, fmt.Sprintf("the reliable message %d was sent earlier with different content", m.Number), v.RetryOf)
		x.Since = v.Before
		if c.Over() || c.side[dir].order.odd.runs > 0 || !c.intact(dir, v.Before) || !c.intact(dir.Other(), v.Before) {
			x.Blocked = conform.GuardLife // both may have begun again, unseen
		}
		rules.Judge(x)
		return // it is another message
	}
	if v.Words&dissect.UnneededRetry == 0 {
		rules.Pass(rRdNoresend)
		return
	}
	x, at := c.side[dir].datagrams.at(v.Acked), v.AckedAt
	known := x.isKnown() && !x.suspect && x.acks > 0
	if known {
		at = x.ackedAt()
	}
	msg := fmt.Sprintf("the reliable message %d is sent again, although it was acknowledged", m.Number)
	if at != 0 {
		msg = fmt.Sprintf("the reliable message %d is sent again, although PacketID %d, which carried it, was acknowledged %d ms ago", m.Number, v.Acked&knet.PacketIDMask, (c.Frame.Time-at)/1e6)
	}
	if known {
		c.judgeHeard(dir, x, msg)
	} else {
		rules.Unclear(rRdNoresend, conform.GuardKnew, msg, v.RetryOf)
	}
}

// judgeHeard judges a side that sends again what was acknowledged: it did receive the
// acknowledgement when it has acknowledged the datagram that held it, or replied to a
// PingRequest in it.
func (c numberJudge) judgeHeard(dir dissect.Dir, x sentDatagram, msg string) {
	rules := &c.c.Rules
	before := c.Frame.Time - c.horizon()
	peer := &c.c.Dir[dir.Other()]
	latest, _ := peer.Window().Highest()
	carrier := latest + seq.Num(int32(x.carrier-uint32(latest)))
	look, ok := peer.Look(carrier)
	y := c.side[dir.Other()].datagrams.at(carrier)
	told := x.acks > 0 && ok && y.isKnown() && y.Time() >= x.Time() && y.Time() <= x.ackedAt() // it is of this connection, and no other has its PacketID
	switch {
	case told && y.isReliable() && look.Acked && look.AckTimed && look.AckTime >= y.Time() && look.AckTime < before:
		rules.Broken(rRdNoresend, msg, x.Frame(), look.Frame)
	case told && c.RepliedTo(dir.Other(), carrier, y.Time(), before):
		rules.Broken(rRdNoresend, msg, x.Frame(), look.Frame)
	case x.acks >= manyAcks && c.Frame.Time-x.ackedAt() > longAfter && int(x.acks) >= c.neededHeard(dir, x):
		rules.Broken(rRdNoresend, msg, x.Frame())
	default:
		rules.Unclear(rRdNoresend, conform.GuardKnew, msg, x.Frame())
	}
}

// neededHeard is how many acknowledgements of a datagram it takes for its sender to have
// received one, by how many of those of other datagrams were lost after the capture
// point: these were sent again after an acknowledgement, and acknowledged again.
func (c numberJudge) neededHeard(dir dissect.Dir, x sentDatagram) int {
	s := &c.side[dir].datagrams
	lost, captured := uint64(0), uint64(0)
	for _, y := range s.latest {
		if y != x && y.acks > 0 {
			lost += uint64(min(y.Sends(), int(y.acks)) - 1)
			captured += uint64(y.acks)
		}
	}
	return conform.NeededOdds(lost, captured)
}
