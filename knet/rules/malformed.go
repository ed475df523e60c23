package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/knet/track"
)

// judgeUnread judges a datagram that can't be read to its end: the error tells which rule it
// breaks.
func (c frameJudge) judgeUnread(dir dissect.Dir) {
	if c.mayConnect(dir) {
		return
	}
	if c.Sure() {
		c.reported = false
		if c.reportError(c.Frame.Err); !c.reported {
			c.passes(&c.c.Rules)
		}
	}
	c.contents().noteAsked(dir)               // what stands before the error may have been read
	c.side[dir].ask.lostAt = c.Frame.Time + 1 // and what is after it
}

// report judges the datagram at hand, which cannot be read to its end.
func (c frameJudge) report(rule int, message string) { c.reportAs(charge{rule, asIs, message}) }

func (c frameJudge) reportAs(x charge) {
	c.reported = true
	c.judgeCharge(x)
}

// reportError finds the rule that a decode error is about.
func (c frameJudge) reportError(err *dissect.Error) {
	left := len(c.Frame.Payload) - err.Offset
	switch err.Field {
	case &knet.Fields[knet.FPacketID]:
		c.report(rDgMinlen, fmt.Sprintf("the datagram has %d bytes, but its header needs 3", len(c.Frame.Payload)))
	case &knet.Fields[knet.FBase]:
		c.report(rDgVleFit, fmt.Sprintf("the smallest reliable message number runs past the datagram: %d bytes are left", left))
	case &knet.Fields[knet.FDependencyCount], &knet.Fields[knet.FDependencyDelta], &knet.Fields[knet.FDependencyMessage]:
		c.reportDependencies(err, left)
	case &knet.Fields[knet.FLength]:
		if err.Reason == knet.EmptyContent {
			c.report(rMbLen0, "the message has a ContentLength of 0")
			return
		}
		c.report(rDgFill, fmt.Sprintf("%d byte is left after the last message", left))
	case &knet.Fields[knet.FFragmentCount]:
		if err.Reason == knet.TooFewFragments {
			f := track.Fault{Kind: track.NoFragments, Message: c.last()}
			if f.Message.FragmentCount.Value == 1 {
				f.Kind = track.OneFragment
			}
			c.reportAs(c.chargeOf(&f))
			return
		}
		c.reportNumber(err, left)
	case &knet.Fields[knet.FDelta], &knet.Fields[knet.FFragmentNumber]:
		c.reportNumber(err, left)
	case &knet.Fields[knet.FID]:
		c.reportID(left)
	case &knet.Fields[knet.FAckPacketID]:
		c.reportAck(left)
	case &knet.Fields[knet.FIndex], &knet.Fields[knet.FIndexCount], &knet.Fields[knet.FIndexes], &knet.Fields[knet.FTransferID]:
		c.report(rDgFill, fmt.Sprintf("the last message ends within its header: %s needs more than the %d bytes left", err.Field.Label, left))
	default:
		c.reportLength(left)
	}
}

// last is the message that could not be read.
func (c frameJudge) last() *knet.Message {
	if n := len(c.Datagram.Messages); n > 0 {
		return &c.Datagram.Messages[n-1]
	}
	return &knet.Message{}
}

// reportDependencies: both arrays must fit; the last number of the second may fail
// by its own length alone.
func (c frameJudge) reportDependencies(err *dissect.Error, left int) {
	count := 0
	if at := 3; at < len(c.Frame.Payload) {
		count = int(c.Frame.Payload[at])
	}
	c.report(rDgIodfit, fmt.Sprintf("the %d dependencies do not fit: %d bytes are left at byte %d", count, left, err.Offset))
	if left == 1 && err.Field == &knet.Fields[knet.FDependencyMessage] && c.Datagram.Depends > 0 && len(c.Frame.Payload)-1 == err.Offset {
		c.report(rDgVleFit, "the last number of the dependencies runs past the datagram")
	}
}

// reportNumber: a number of variable length that is cut, or is not there at all.
func (c frameJudge) reportNumber(err *dissect.Error, left int) {
	if left > 0 {
		c.report(rDgVleFit, fmt.Sprintf("%s runs past the datagram: %d bytes are left", err.Field.Label, left))
		return
	}
	c.report(rDgFill, fmt.Sprintf("the last message ends within its header: %s is missing", err.Field.Label))
}

// reportID: the content is empty, or too short for the MessageID, or longer than
// the datagram.
func (c frameJudge) reportID(left int) {
	m := c.last()
	b := c.Frame.Payload[len(c.Frame.Payload)-left:]
	switch {
	case m.Length == 0:
		c.report(rMbLen0, "the message has a ContentLength of 0, but must contain a MessageID")
	case m.Length < knet.Size30(b[:min(len(b), m.Length, 2)]):
		c.report(rCtMsgid, fmt.Sprintf("the MessageID needs more than the ContentLength of %d", m.Length))
		c.report(rDgVleFit, fmt.Sprintf("the MessageID runs past its content of %d bytes", m.Length))
	default:
		c.reportLength(left)
	}
}

// reportLength: the content is longer than what is left of the datagram.
func (c frameJudge) reportLength(left int) {
	c.report(rMbLen, fmt.Sprintf("the ContentLength is %d, but the datagram ends %d bytes after the start of the content", c.last().Length, left))
}

// reportAck: a PacketAck of a wrong size.
func (c frameJudge) reportAck(left int) {
	m := c.last()
	size := m.Length - int(m.ID.Size)
	switch {
	case size > left:
		c.reportLength(left)
	case !c.IDsOpen():
		c.report(rRmAckLen, fmt.Sprintf("the PacketAck has %d bytes, not 7", size))
	}
}
