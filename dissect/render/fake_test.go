package render

import (
	"net/netip"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
)

// The fake protocol has a field of every kind and base.
const (
	fOpcode = iota
	fControl
	fSeq
	fSession
	fMask
	fSacked
	fVersion
	fDelay
	fSignature
	fHeader
	fReliable
	fName
	fItems
	fItemSize
	fItemCommand
	fItemData
	fPayload
	fWide
	fOther
	fCFControl
)

var fakeFields = [...]dissect.Field{
	fOpcode: {Name: "fake.opcode", Label: "Opcode", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Clause: "FAKE 1.1", Doc: "what is asked",
		Values: []dissect.Value{{Value: 1, Name: "CONNECT"}, {Value: 2, Name: "DATA|MORE"}}},
	fControl: {Name: "fake.control", Label: "Control", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Clause: "FAKE 1.2", Doc: "bControl",
		Bits: []dissect.Bit{{Mask: 1, Name: "retry", Label: "Retry", Doc: "sent before"}, {Mask: 2, Name: "keepalive", Label: "Keep-alive"},
			{Mask: 0x10, Name: "sack1", Label: "SACK mask, low half"}, {Mask: 0x80, Name: "send2"}}},
	fSeq:         {Name: "fake.seq", Label: "Sequence", Kind: dissect.Uint, Size: 1},
	fSession:     {Name: "fake.session_id", Label: "Session ID", Kind: dissect.Uint, Base: dissect.ID32, Size: 4},
	fMask:        {Name: "fake.sack_mask", Label: "SACK mask", Kind: dissect.Uint, Base: dissect.Mask64, Clause: "FAKE 2"},
	fSacked:      {Name: "fake.sacked", Label: "Selectively acknowledged", Kind: dissect.IDs},
	fVersion:     {Name: "fake.version", Label: "Version", Kind: dissect.Uint, Base: dissect.Version, Size: 4},
	fDelay:       {Name: "fake.delay", Label: "Delay", Kind: dissect.Uint, Size: 2, Unit: "ms"},
	fSignature:   {Name: "fake.signature", Label: "Signature", Kind: dissect.Bytes, Size: 8},
	fHeader:      {Name: "fake.header", Label: "Header", Kind: dissect.Group},
	fReliable:    {Name: "fake.header.reliable", Label: "Reliable", Kind: dissect.Bool},
	fName:        {Name: "fake.header.name", Label: "Message name", Kind: dissect.Text},
	fItems:       {Name: "fake.items", Label: "Item", Kind: dissect.Array},
	fItemSize:    {Name: "fake.items.size", Label: "Size", Kind: dissect.Uint, Size: 1, Unit: "bytes"},
	fItemCommand: {Name: "fake.items.command", Label: "Command", Kind: dissect.Uint, Base: dissect.Hex, Size: 2, Bits: []dissect.Bit{{Mask: 0x100, Name: "end", Label: "End"}}},
	fItemData:    {Name: "fake.items.data", Label: "Data", Kind: dissect.Bytes},
	fPayload:     {Name: "fake.payload", Label: "Payload", Kind: dissect.Bytes},
	fWide:        {Name: "fake.wide", Label: "Wide", Kind: dissect.Uint},
	fOther:       {Name: "fake.header.seq", Label: "Sequence again", Kind: dissect.Uint},
	fCFControl:   {Name: "fake.control", Label: "Control", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Bits: []dissect.Bit{{Mask: 0x40, Name: "poll"}}},
}

var fakeProtocol = func() *dissect.Protocol {
	p := &dissect.Protocol{Name: "fake", Title: "Fake Reliable Protocol", Texts: []string{"FAKE v1"}}
	for i := range fakeFields {
		p.Fields = append(p.Fields, &fakeFields[i])
	}
	return p
}()

var fakeProtocols = []*dissect.Protocol{fakeProtocol}

const (
	second    = int64(time.Second)
	firstTime = 1700000000*second + 999999999
)

func fakePayload() []byte {
	b := make([]byte, 75)
	copy(b[23:], "Hello, \x1bworld! This is more text than a preview can show")
	for i := range 8 {
		b[i] = byte(0xf8 + i)
	}
	return b
}

func fakeTree() *dissect.Tree {
	t := &dissect.Tree{}
	t.Reset(fakePayload())
	f := &fakeFields
	t.Add(&f[fOpcode], 0, 1, 1)
	t.Add(&f[fControl], 1, 1, 0x11)
	t.Add(&f[fSeq], 2, 1, 5)
	t.Add(&f[fSession], 3, 4, 0x79c9aec6)
	t.Add(&f[fMask], 7, 4, 0x1d)
	t.AddIDs(&f[fSacked], 7, []int64{6, 8, 9, 10, 11})
	t.Add(&f[fVersion], 11, 4, 1<<16|6)
	t.Add(&f[fDelay], 15, 2, 1234)
	t.Add(&f[fSignature], 0, 8, 0)
	t.Open(&f[fHeader], 17, 6)
	t.Add(&f[fReliable], 17, 0, 1)
	t.AddText(&f[fName], 17, "CHAT \u202e\"x\"")
	t.Close()
	for i := range 2 {
		t.Open(&f[fItems], 17+3*i, 3)
		t.Add(&f[fItemSize], 17+3*i, 1, uint64(i+1))
		t.Add(&f[fItemCommand], 17+3*i+1, 2, 0x101)
		t.Add(&f[fItemData], 19, 0, 0)
		t.Close()
	}
	t.Add(&f[fPayload], 23, 50, 0)
	t.Add(&dissect.Undecoded, 73, 2, 0)
	return t
}

func endpoint(s string) dissect.Endpoint { return dissect.MakeEndpoint(netip.MustParseAddrPort(s)) }

func fakeDatagram() *dissect.Datagram {
	return &dissect.Datagram{
		Frame: 12, Time: firstTime, HasTime: true, Src: endpoint("10.0.0.1:2302"), Dst: endpoint("192.168.100.200:6073"),
		Payload: fakePayload(), Length: 75, IPID: 0x1234, TTL: 64, CapLen: 117, WireLen: 117,
	}
}

func fakeFrame() *dissect.Frame {
	return &dissect.Frame{
		Datagram: fakeDatagram(), Protocol: "fake", Connection: 3, Direction: 'a', Type: "DFRAME",
		Summary: []byte("DFRAME seq 5 nrcv 7 RELIABLE, 50 bytes \x1b[31m"), Tree: fakeTree(),
		Words: dissect.Retry | dissect.OutOfOrder | dissect.Handshake, RetryOf: 7, AckedIn: 20, Acks: []uint64{3, 4}, AckRTT: 40_300_000,
		Notes: []dissect.Note{{Rule: "FAKE-1.2", Severity: "error", Message: "MUST not\n"}, {Rule: "FAKE-2", Severity: "note", Message: "odd"}},
		Err:   &dissect.Error{Field: &fakeFields[fMask], Offset: 73, Reason: "truncated: want 4 bytes, have 2"},
	}
}

// plainFrame is a datagram nothing is known of.
func plainFrame() *dissect.Frame {
	d := fakeDatagram()
	d.HasTime, d.Frame, d.File = false, 13, 1
	d.Src, d.Dst, d.IPv6 = endpoint("[fe80::1]:5000"), endpoint("[fe80::2]:65535"), true
	d.Payload, d.Fragments, d.BadChecksum = d.Payload[:20], 2, true
	return &dissect.Frame{Datagram: d, Protocol: "udp", Connection: -1, Summary: []byte("5000 → 65535 75 bytes")}
}
