package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/knet"
)

// minRate is MinDatagramRate, a second (kNet page, Characteristic Values).
const minRate = 5

// Rules of the lengths of control messages, from PingRequest on; -1 for those of
// any length.
var lengthRule = [...]int{rRmPingLen, rRmPongLen, rRmFlowLen, rRmAckLen, rRmDiscLen, rRmDiscackLen, -1, -1, rRmConnackLen}

// sizeOf is the size of a control message's body.
var sizeOf = [...]int{1, 1, 2, knet.AckSize, 0, 0, -1, -1, 0}

// inspectControl looks at a control message (kNet page, Reserved Messages).
func (c messageJudge) inspectControl(m *knet.Message) {
	if m.Kind < knet.Disconnect && c.pair.idsOpen() && knet.BodySize[m.Kind] != len(m.Body) {
		return // the ids may mean something else
	}
	at := m.Kind - knet.PingRequest
	if m.Kind == knet.FlowControlRequest && len(m.Body) == knet.AckSize && c.acksLately(m) {
		c.frames().accuse(rRmIdmap, "a PacketAck has the id 3, but others have 4")
		return
	}
	if rule, want := lengthRule[at], sizeOf[at]; rule >= 0 && len(m.Body) != want {
		c.inspectSize(m, rule, want)
		return
	}
	if c.d.Dialect == knet.Spec {
		c.inspectPageControl(m)
	} else {
		c.inspectLibraryControl(m)
	}
	if m.Kind == knet.FlowControlRequest && m.Rate < minRate {
		c.frames().accuse(rFcRange, fmt.Sprintf("the requested rate is %d; %d datagrams a second are always allowed", m.Rate, minRate))
	}
}

func (c messageJudge) inspectSize(m *knet.Message, rule, want int) {
	c.frames().accuse(rule, fmt.Sprintf("the %s has %d bytes, not %d", m.Kind, len(m.Body), want))
}

// inspectLibraryControl: with Reference each message says itself whether it is
// reliable, and the order means nothing.
func (c messageJudge) inspectLibraryControl(m *knet.Message) {
	switch rel := m.IsReliable(); {
	case m.Kind == knet.PingRequest && rel:
		c.frames().accuse(rRmPingRel, "the PingRequest is reliable")
	case m.Kind == knet.PingReply && rel:
		c.frames().accuse(rRmPongRel, "the PingReply is reliable")
	case m.Kind == knet.PacketAck && rel:
		c.frames().accuse(rRmAckRel, "the PacketAck is reliable")
	case m.Kind == knet.FlowControlRequest && !rel:
		c.frames().accuseAs(rRmFlowRel, remark, "the FlowControlRequest is unreliable")
	}
	if m.Kind == knet.PacketAck && m.Ack.PacketID > knet.PacketIDMask {
		c.frames().accuse(rRdAckSpan, fmt.Sprintf("bits 22 and 23 of the acknowledged PacketID are not clear: %#06x", m.Ack.PacketID))
	}
}

// inspectPageControl: with Spec the datagram says whether it is reliable.
func (c messageJudge) inspectPageControl(m *knet.Message) {
	rel := c.d.Reliable
	switch m.Kind {
	case knet.PingRequest, knet.PingReply:
		if rel {
			c.frames().accuse(rRmPingRel+int(m.Kind-knet.PingRequest), "the "+m.Kind.String()+" is in a reliable datagram")
		}
	case knet.PacketAck:
		c.inspectAckRel(rel)
	case knet.FlowControlRequest:
		if !rel {
			c.frames().accuse(rRmFlowRel, "the FlowControlRequest is in an unreliable datagram")
		}
	case knet.ConnectAck:
		if !rel {
			c.frames().accuse(rRmConnackRel, "the ConnectAck is in an unreliable datagram")
		}
	case knet.ConnectSyn, knet.ConnectSynAck:
		if rel {
			c.frames().accuse(rRmSynRel, "the "+m.Kind.String()+" is in a reliable datagram")
		}
	case knet.Disconnect, knet.DisconnectAck:
		c.inspectEnd(m, rel)
		return
	}
	if m.Code() != 0 {
		c.frames().accuse(rRmPlainOrder, fmt.Sprintf("the %s has the InOrder code %d", m.Kind, m.Code()))
	}
}

func (c messageJudge) inspectEnd(m *knet.Message, rel bool) {
	if rel {
		c.frames().accuse(rRmDiscRel, "the "+m.Kind.String()+" is in a reliable datagram")
	}
	if !c.d.InOrder {
		c.frames().accuse(rRmDiscOrder, "the InOrder flag of the "+m.Kind.String()+" is clear")
	}
}

// inspectAckRel: acknowledgements may ride in a reliable datagram with others; one
// of nothing but acknowledgements would be acknowledged itself.
func (c messageJudge) inspectAckRel(rel bool) {
	if !rel {
		return
	}
	for i := range c.d.Messages {
		if c.d.Messages[i].Kind != knet.PacketAck {
			c.frames().accuseAs(rRmAckRel, remark, "the PacketAck is in a reliable datagram with other messages")
			return
		}
	}
	c.frames().accuse(rRmAckRel, "a reliable datagram contains nothing but acknowledgements")
}

// inspectMap looks at a message of the application that would be a PacketAck by the
// other map of ids.
func (c messageJudge) inspectMap(m *knet.Message) {
	if m.ID.Value == 4 && len(m.Body) == knet.AckSize && c.pair.params.IDs == knet.IDsFromZero && !c.pair.idsOpen() && c.acksLately(m) {
		c.frames().accuse(rRmIdmap, "a PacketAck has the id 4, but others have 3")
	}
}

// acksLately reports a body that is a PacketAck of datagrams sent lately, and of
// nothing else.
func (c messageJudge) acksLately(m *knet.Message) bool {
	dir := c.c.DirOf(c.fr.Datagram)
	r, a := &c.side[1-dir].datagrams, knet.AckOf(m.Body, c.d.Dialect)
	if c.side[dir].bits.wordFirst {
		a = a.Other()
	}
	var ids [knet.MaxAcked]int64
	list := a.AppendIDs(ids[:0])
	for _, id := range list {
		x := r.at(r.unwrapped(uint32(id)))
		if x == nil || !x.reliable || x.suspect || c.fr.Time-x.time > staleTime {
			return false
		}
	}
	return len(list) > 0
}
