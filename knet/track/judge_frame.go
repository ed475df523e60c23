package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/knet"
)

// Bounds of what is recommended (kNet page, Characteristic Values; kNet 715850d,
// Network.cpp 48, MessageConnection.cpp 681-688). The page says "about 1,400 bytes";
// what fits an Ethernet frame is let pass.
const (
	maxDatagram     = 1472
	maxFragment     = 470
	maxFragmentLib  = 318
	maxDupdepLooked = 64
)

// inspectHeader looks at what stands before the messages, and at the datagram as a
// whole.
func (c frameJudge) inspectHeader() {
	d := c.d
	if len(d.Messages) == 0 {
		c.accuse(rDgEmpty, "the datagram has no messages")
	}
	if n := c.fr.Length; n > maxDatagram || c.fr.Fragments > 0 {
		c.accuse(rDgSize, fmt.Sprintf("the datagram has %d bytes in %d IP fragments", n, max(c.fr.Fragments, 1)))
	}
	if d.Base.Size == 4 && d.Base.Value <= knet.Max15 {
		c.longer("ReliableBase", d.Base)
	}
	if d.Dialect == knet.Spec {
		c.inspectOrder()
	}
}

// longer: a number has a longer form than it needs.
func (c frameJudge) longer(what string, v knet.VLE) {
	c.accuse(rDgVleMin, fmt.Sprintf("%s %d takes %d bytes, which fits in fewer", what, v.Value, v.Size))
}

// inspectOrder compares the InOrder flag with the dependencies and the codes
// (kNet page, InOrder Datagrams and Messages).
func (c frameJudge) inspectOrder() {
	d := c.d
	codes, ends, code := false, false, uint16(0)
	for i := range d.Messages {
		m := &d.Messages[i]
		if m.Code() != 0 {
			codes, code = true, m.Code()
		}
		ends = ends || m.Kind == knet.Disconnect || m.Kind == knet.DisconnectAck
	}
	switch {
	case !d.InOrder && codes:
		c.accuse(rDgInorderNeed, fmt.Sprintf("a message has the InOrder code %d, but the InOrder flag is clear", code))
	case d.InOrder && !ends:
		if d.Depends == 0 {
			c.accuse(rDgIodzero, "the InOrder flag is set, but InOrderDeltaCount is 0")
		}
		if !codes {
			c.accuse(rDgInorderIdle, "the InOrder flag is set, but no message has an InOrder code")
		}
	}
	for i := range d.Depends {
		c.inspectDependency(i)
	}
}

// inspectDependency looks at one of the dependencies.
func (c frameJudge) inspectDependency(i int) {
	d := c.d
	x := &d.Dependencies[i]
	if x.DeltaSize == 2 && x.Delta < 1<<7 {
		c.longer("InOrder delta", knet.VLE{Value: uint32(x.Delta), Size: 2})
	}
	if x.IndexSize == 2 && x.Index < 1<<7 {
		c.longer("message index", knet.VLE{Value: uint32(x.Index), Size: 2})
	}
	for _, y := range d.Dependencies[:min(i, maxDupdepLooked)] {
		if y.Delta == x.Delta && y.Index == x.Index {
			c.accuse(rIoDupdep, fmt.Sprintf("message %d of PacketID %d is listed twice", x.Index, x.PacketID(d.PacketID)))
			return
		}
	}
}

// inspectMessage looks at one message.
func (c frameJudge) inspectMessage(m *knet.Message) {
	if m.ID.Size > 1 && int(m.ID.Size) > knet.Shortest30(m.ID.Value) {
		c.longer("MessageID", m.ID)
	}
	if m.Delta.Size == 2 && m.Delta.Value < 1<<7 {
		c.longer("ReliableDelta", m.Delta)
	}
	if c.d.Dialect == knet.Spec && m.Code() != 0 && c.d.InOrder {
		c.inspectCode(m)
	}
	if m.IsFragment() {
		c.inspectFragment(m)
	} else if m.Kind != knet.Application {
		c.contents().inspectControl(m)
	} else if m.ID.Value == 4 {
		c.contents().inspectMap(m)
	}
}

// inspectCode looks at what a message of Spec depends on.
func (c frameJudge) inspectCode(m *knet.Message) {
	switch n := c.d.Depends; m.Code() {
	default:
		if at := int(m.Code()) - 1; at >= n {
			c.accuse(rMbCode15, fmt.Sprintf("the InOrder code %d names dependency %d of %d", m.Code(), at+1, n))
		}
	case 6:
		at := int(m.Indexes[0])
		switch {
		case at >= n:
			c.accuse(rMbSingle, fmt.Sprintf("SingleInOrderIndex is %d, but InOrderDeltaCount is %d", at, n))
		case at < 5:
			c.accuse(rMbSingleShort, fmt.Sprintf("SingleInOrderIndex is %d, which code %d expresses as well", at, at+1))
		}
	case 7:
		c.inspectIndexes(m.Indexes, n)
	}
}

func (c frameJudge) inspectIndexes(list []byte, n int) {
	switch len(list) {
	case 0:
		c.accuse(rMbMultiCount, "the InOrder code is 7, but MultiInOrderIndexCount is 0")
	case 1:
		c.accuseAs(rMbMultiCount, remark, "the InOrder code is 7, but MultiInOrderIndexCount is 1")
	}
	var seen [256]bool
	for _, at := range list {
		switch {
		case int(at) >= n:
			c.accuse(rMbMulti, fmt.Sprintf("MultiInOrderIndexArray contains %d, but InOrderDeltaCount is %d", at, n))
			return
		case seen[at]:
			c.accuse(rMbMultiDup, fmt.Sprintf("MultiInOrderIndexArray contains %d twice", at))
			return
		}
		seen[at] = true
	}
}

// inspectFragment looks at a fragment (kNet page, Fragmented Transfers).
func (c frameJudge) inspectFragment(m *knet.Message) {
	spec := c.d.Dialect == knet.Spec
	if m.IsStart() {
		c.inspectStart(m)
	} else {
		c.inspectLater(m, spec)
	}
	if !c.d.Reliable || !spec && !m.IsReliable() {
		c.accuse(rFrReliable, fmt.Sprintf("a fragment of transfer %d is not reliable", m.TransferID))
	}
	switch body := len(m.Body); {
	case spec && m.Length > maxFragment:
		c.accuse(rMbFragsize, fmt.Sprintf("the fragment has %d bytes of content, more than %d", m.Length, maxFragment))
	case !spec && body > maxFragmentLib:
		c.accuse(rMbFragsize, fmt.Sprintf("the fragment has %d bytes, more than %d", body, maxFragmentLib))
	}
}

func (c frameJudge) inspectStart(m *knet.Message) {
	if m.Bits&knet.Fragment == 0 {
		c.accuse(rMbFstart, "FragmentStart is set without Fragment")
	}
	if n := m.FragmentCount; int(n.Size) > knet.Shortest30(n.Value) {
		c.longer("FragmentCount", n)
	}
	if m.FragmentCount.Value < 2 {
		c.accuseCount(m)
	}
	if k := knet.KindOf(m.ID.Value, len(m.Body), c.pair.params); k != knet.Application && (k >= knet.Disconnect || !c.pair.idsOpen()) {
		c.accuse(rRmNofrag, "a "+k.String()+" is sent as a fragmented transfer")
	}
}

// accuseCount: a transfer of one fragment is odd, of none impossible.
func (c frameJudge) accuseCount(m *knet.Message) {
	if m.FragmentCount.Value == 0 {
		c.accuse(rMbFragcount, "FragmentCount is 0")
		return
	}
	c.accuseAs(rMbFragcount, remark, "FragmentCount is 1: the message needs no fragments")
}

func (c frameJudge) inspectLater(m *knet.Message, spec bool) {
	if n := m.FragmentNumber; int(n.Size) > knet.Shortest30(n.Value) {
		c.longer("FragmentNumber", n)
	}
	if m.FragmentNumber.Value == 0 {
		c.accuseAs(rMbFragnum, milder, "a fragment without FragmentStart has the number 0")
	}
	if spec && m.Length == 0 {
		c.accuseAs(rMbLen0, milder, "the fragment has no content")
	}
	if spec && m.Code() != 0 {
		c.accuse(rFrOrder, fmt.Sprintf("fragment %d of transfer %d has the InOrder code %d", m.FragmentNumber.Value, m.TransferID, m.Code()))
	}
}
