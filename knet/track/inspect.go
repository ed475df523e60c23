package track

import "github.com/dpdissect/dpdissect/knet"

// Bounds of what is recommended (kNet page, Characteristic Values; kNet 715850d,
// Network.cpp 48, MessageConnection.cpp 681-688). The page says "about 1,400 bytes";
// what fits an Ethernet frame is let pass.
const (
	maxDatagram     = 1472
	MaxFragment     = 470 // bytes of content of a fragment of Spec
	MaxFragmentLib  = 318 // bytes of a fragment of Reference
	maxDupdepLooked = 64
)

// inspect is a quick look over the datagram at hand: it notes what is wrong with it.
// What has a fault is an exception, and is kept out of all state (quarantine).
func (c *conn) inspect() {
	if len(c.Faults) > 0 {
		c.Faults = c.Faults[:0]
	}
	if c.Datagram.Plain && c.Frame.Length <= maxDatagram && c.Frame.Fragments == 0 || c.Frame.Cut() {
		return
	}
	c.inspectHeader()
	for i := range c.Datagram.Messages {
		if len(c.Faults) >= maxFaults {
			return
		}
		c.inspectMessage(&c.Datagram.Messages[i])
	}
}

// inspectHeader looks at what stands before the messages, and at the datagram as a
// whole.
func (c *conn) inspectHeader() {
	d := c.Datagram
	if len(d.Messages) == 0 {
		c.noteFault(NoMessages, 0, nil)
	}
	if c.Frame.Length > maxDatagram || c.Frame.Fragments > 0 {
		c.noteFault(TooLong, c.Frame.Length, nil)
	}
	if d.Base.Size == 4 && d.Base.Value <= knet.Max15 {
		c.noteFault(LongBase, 0, nil)
	}
	if d.Dialect == knet.Spec {
		c.inspectOrder()
	}
}

// inspectOrder compares the InOrder flag with the dependencies and the codes
// (kNet page, InOrder Datagrams and Messages).
func (c *conn) inspectOrder() {
	d := c.Datagram
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
		c.noteFault(OrderIsClear, int(code), nil)
	case d.InOrder && !ends:
		if d.Depends == 0 {
			c.noteFault(NoDependencies, 0, nil)
		}
		if !codes {
			c.noteFault(NoCodes, 0, nil)
		}
	}
	for i := range d.Depends {
		c.inspectDependency(i)
	}
}

// inspectDependency looks at one of the dependencies.
func (c *conn) inspectDependency(i int) {
	d := c.Datagram
	x := &d.Dependencies[i]
	if x.DeltaSize == 2 && x.Delta < 1<<7 {
		c.noteFault(LongDelta, i, nil)
	}
	if x.IndexSize == 2 && x.Index < 1<<7 {
		c.noteFault(LongIndex, i, nil)
	}
	for _, y := range d.Dependencies[:min(i, maxDupdepLooked)] {
		if y.Delta == x.Delta && y.Index == x.Index {
			c.noteFault(DependencyTwice, i, nil)
			return
		}
	}
}

// inspectMessage looks at one message.
func (c *conn) inspectMessage(m *knet.Message) {
	if m.ID.Size > 1 && int(m.ID.Size) > knet.Shortest30(m.ID.Value) {
		c.noteFault(LongID, 0, m)
	}
	if m.Delta.Size == 2 && m.Delta.Value < 1<<7 {
		c.noteFault(LongReliable, 0, m)
	}
	if c.Datagram.Dialect == knet.Spec && m.Code() != 0 && c.Datagram.InOrder {
		c.inspectCode(m)
	}
	if m.IsFragment() {
		c.inspectFragment(m)
	} else if m.Kind != knet.Application {
		c.inspectControl(m)
	} else if m.ID.Value == 4 {
		c.inspectMap(m)
	}
}

// inspectCode looks at what a message of Spec depends on.
func (c *conn) inspectCode(m *knet.Message) {
	switch n := c.Datagram.Depends; m.Code() {
	default:
		if at := int(m.Code()) - 1; at >= n {
			c.noteFault(CodeBeyond, at, m)
		}
	case 6:
		at := int(m.Indexes[0])
		switch {
		case at >= n:
			c.noteFault(SingleBeyond, at, m)
		case at < 5:
			c.noteFault(IndexSpelledOut, at, m)
		}
	case 7:
		c.inspectIndexes(m, n)
	}
}

func (c *conn) inspectIndexes(m *knet.Message, n int) {
	switch len(m.Indexes) {
	case 0:
		c.noteFault(NoIndexes, 0, m)
	case 1:
		c.noteFault(OneIndex, 0, m)
	}
	var seen [256]bool
	for _, at := range m.Indexes {
		switch {
		case int(at) >= n:
			c.noteFault(IndexBeyond, int(at), m)
			return
		case seen[at]:
			c.noteFault(IndexTwice, int(at), m)
			return
		}
		seen[at] = true
	}
}

// inspectFragment looks at a fragment (kNet page, Fragmented Transfers).
func (c *conn) inspectFragment(m *knet.Message) {
	spec := c.Datagram.Dialect == knet.Spec
	if m.IsStart() {
		c.inspectStart(m)
	} else {
		c.inspectLater(m, spec)
	}
	if !c.Datagram.Reliable || !spec && !m.IsReliable() {
		c.noteFault(UnreliableParts, 0, m)
	}
	switch body := len(m.Body); {
	case spec && m.Length > MaxFragment:
		c.noteFault(LongFragment, m.Length, m)
	case !spec && body > MaxFragmentLib:
		c.noteFault(LongFragment, body, m)
	}
}

func (c *conn) inspectStart(m *knet.Message) {
	if m.Bits&knet.Fragment == 0 {
		c.noteFault(StartIsClear, 0, m)
	}
	if n := m.FragmentCount; int(n.Size) > knet.Shortest30(n.Value) {
		c.noteFault(LongCount, 0, m)
	}
	switch m.FragmentCount.Value {
	case 0:
		c.noteFault(NoFragments, 0, m)
	case 1:
		c.noteFault(OneFragment, 0, m)
	}
	if k := knet.KindOf(m.ID.Value, len(m.Body), c.pair.params); k != knet.Application && (k >= knet.Disconnect || !c.pair.idsOpen()) {
		c.noteFault(FragmentedKind, int(k), m)
	}
}

func (c *conn) inspectLater(m *knet.Message, spec bool) {
	if n := m.FragmentNumber; int(n.Size) > knet.Shortest30(n.Value) {
		c.noteFault(LongNumber, 0, m)
	}
	if m.FragmentNumber.Value == 0 {
		c.noteFault(ZeroNumber, 0, m)
	}
	if spec && m.Length == 0 {
		c.noteFault(EmptyFragment, 0, m)
	}
	if spec && m.Code() != 0 {
		c.noteFault(CodeOnFragment, 0, m)
	}
}
