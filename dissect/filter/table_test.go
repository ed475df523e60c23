package filter

import (
	"net/netip"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
)

// The fields of a small protocol that has one of everything.
var (
	fSeq     = dissect.Field{Name: "tp.seq", Kind: dissect.Uint, Size: 1}
	fCommand = dissect.Field{Name: "tp.command", Kind: dissect.Uint, Base: dissect.Hex, Size: 1,
		Bits: []dissect.Bit{{Mask: 1, Name: "data"}, {Mask: 8, Name: "poll"}}}
	fCframe = dissect.Field{Name: "tp.command", Kind: dissect.Uint, Base: dissect.Hex, Size: 1,
		Bits: []dissect.Bit{{Mask: 8, Name: "poll"}, {Mask: 0x80, Name: "cframe"}}}
	fOpcode = dissect.Field{Name: "tp.opcode", Kind: dissect.Uint, Size: 1,
		Values: []dissect.Value{{Value: 1, Name: "CONNECT"}, {Value: 2, Name: "CONNECTED"}, {Value: 6, Name: "SACK"}}}
	fSession  = dissect.Field{Name: "tp.session_id", Kind: dissect.Uint, Base: dissect.ID32, Size: 4}
	fVersion  = dissect.Field{Name: "tp.version", Kind: dissect.Uint, Base: dissect.Version, Size: 4}
	fMask     = dissect.Field{Name: "tp.mask", Kind: dissect.Uint, Base: dissect.Mask64}
	fPayloads = dissect.Field{Name: "tp.payloads", Kind: dissect.Array}
	fSize     = dissect.Field{Name: "tp.payloads.size", Kind: dissect.Uint, Size: 2}
	fData     = dissect.Field{Name: "tp.payloads.data", Kind: dissect.Bytes}
	fBody     = dissect.Field{Name: "tp.body", Kind: dissect.Bytes}
	fName     = dissect.Field{Name: "tp.name", Kind: dissect.Text}
	fSacked   = dissect.Field{Name: "tp.sacked", Kind: dissect.IDs}
	fOrdered  = dissect.Field{Name: "tp.ordered", Kind: dissect.Bool}
	fAbsent   = dissect.Field{Name: "tp.absent", Kind: dissect.Uint, Size: 2}
	fNoBytes  = dissect.Field{Name: "tp.no_bytes", Kind: dissect.Bytes}
)

var testProtocol = &dissect.Protocol{Name: "tp", Title: "Test Protocol", Fields: []*dissect.Field{
	&fSeq, &fCommand, &fCframe, &fOpcode, &fSession, &fVersion, &fMask, &fPayloads, &fSize, &fData, &fBody,
	&fName, &fSacked, &fOrdered, &fAbsent, &fNoBytes,
}}

var testSet = NewSet([]*dissect.Protocol{testProtocol, {Name: "other"}}, "other-lan")

// testTimes go with testFrame: 1.5 s after the first packet, 0.25 s after the last.
var testTimes = Times{Relative: 1_500_000_000, Delta: 250_000_000}

// testFrame is the frame that most tests look at.
func testFrame() *dissect.Frame {
	payload := []byte{7, 0x09, 1, 'H', 'e', 'l', 'l', 'o', 0xff, 0x00}
	return &dissect.Frame{
		Datagram: &dissect.Datagram{
			Frame: 12, Time: time.Date(2026, 1, 31, 12, 0, 0, 5e8, time.UTC).UnixNano(), HasTime: true,
			Src:     dissect.MakeEndpoint(netip.MustParseAddrPort("10.0.0.1:2302")),
			Dst:     dissect.MakeEndpoint(netip.MustParseAddrPort("192.168.7.9:6073")),
			Payload: payload, Length: 10, IPID: 0x1234, TTL: 64, CapLen: 52, WireLen: 60,
		},
		Protocol: "tp", Connection: -1, Direction: 'a', Type: "SACK", Summary: []byte("SACK 7, Hello"),
		Tree: testTree(payload), Words: dissect.Retry | dissect.UnneededRetry,
		Notes: []dissect.Note{{Rule: "TP-1", Severity: "error", Message: "bad"}, {Rule: "TP-2", Severity: "note"}},
	}
}

func testTree(payload []byte) *dissect.Tree {
	t := new(dissect.Tree)
	t.Reset(payload)
	t.Add(&fSeq, 0, 1, 7)
	t.Add(&fCommand, 1, 1, 9)
	t.Add(&fOpcode, 2, 1, 1)
	t.Add(&fSession, 0, 0, 0x79c9aec6)
	t.Add(&fVersion, 0, 0, 1<<16|6)
	t.Add(&fMask, 0, 0, 1<<63|5)
	t.Add(&fBody, 3, 5, 0)
	t.AddText(&fName, 0, "Alice")
	t.AddIDs(&fSacked, 0, nil)
	t.AddIDs(&fSacked, 0, []int64{8, 9, 12})
	t.Add(&fOrdered, 0, 0, 0)
	for i, size := range []uint64{10, 20, 30} {
		t.Open(&fPayloads, 3, 2)
		t.Add(&fSize, 3, 0, size)
		t.Add(&fData, 3+i, 1, 0)
		t.Close()
	}
	return t
}

// compile fails the test when an expression is rejected.
func compile(t testing.TB, expr string) *Filter {
	t.Helper()
	f, err := Compile(expr, testSet)
	if err != nil {
		t.Fatalf("Compile(%q):\n%v", expr, err)
	}
	return f
}
