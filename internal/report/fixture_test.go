package report

import (
	"crypto/sha256"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

const (
	start = int64(1795600800123456789)
	ms    = int64(time.Millisecond)
)

func endpoint(s string) dissect.Endpoint { return dissect.MakeEndpoint(netip.MustParseAddrPort(s)) }

func protocol(name string) *dissect.Protocol { return &dissect.Protocol{Name: name} }

// signedConn is a DP8 connection with a bit of everything that goes wrong on a
// network; its windows are driven as a protocol package drives them.
func signedConn() *session.Conn {
	c := &session.Conn{
		Dir: new([2]seq.Direction),
		ID:  -1, Protocol: protocol("dp8"), DetectedBy: session.ByHandshake, Bits: 191.9609375,
		A: endpoint("10.0.0.1:2302"), B: endpoint("192.168.100.200:6073"), Roles: [2]string{"connector", "listener"},
		FirstFrame: 1, LastFrame: 4711, FirstTime: start, LastTime: start + 62_412*ms + 7, FirstStamp: start, LastStamp: start + 62_412*ms + 7, HasTime: true,
		Complete: true, State: session.Closed, ClosedBy: session.SideA,
		SessionID: 0x79c9aec6, HasSessionID: true, Version: 1<<16 | 6, Signing: "full",
		Inferred: []string{"version", "signing"}, Findings: [3]uint64{3, 1, 0},
	}
	a, b := &c.Dir[0], &c.Dir[1]
	for n := range int64(40) {
		at := start + n*10*ms
		if n == 7 || n == 20 { // not captured
			continue
		}
		a.Send(&seq.Sending{Num: seq.Num(n), Mark: seq.MarkFirst, Hash: uint64(n), IPID: uint16(n + 1), Frame: uint64(2*n + 3), Time: at, HasTime: true})
		a.Acknowledge(&seq.Acknowledgement{Next: seq.Num(n) + 1, Frame: uint64(2*n + 4), Time: at + 11*ms + n*ms/3, HasTime: true}, func(seq.Position) {})
	}
	a.Send(&seq.Sending{Num: 39, Mark: seq.MarkRetry, Hash: 39, IPID: 99, Frame: 90, Time: start + 500*ms, HasTime: true})
	for n := range int64(5) {
		b.Send(&seq.Sending{Num: seq.Num(n), Mark: seq.MarkFirst, Hash: uint64(n), Frame: uint64(100 + n), Time: start + n*ms, HasTime: true})
	}
	a.Close()
	b.Close()
	a.Frames, a.Bytes, a.DataFrames, a.Acks, a.KeepAlives = 2312, 1234567, 40, 812, 12
	a.Duplicates, a.Messages, a.MessageBytes, a.IncompleteMessages = 2, 36, 98765, 1
	a.Signatures, a.HasSignatures = seq.Signatures{Valid: 2310, Invalid: 1, Unverifiable: 1}, true
	b.Frames, b.Bytes, b.DataFrames, b.Acks, b.Messages, b.MessageBytes = 2398, 812, 5, 2300, 5, 500
	b.Signatures, b.HasSignatures = seq.Signatures{Valid: 2398}, true
	return c
}

// bareConn is one of which hardly anything is known, without times.
func bareConn() *session.Conn {
	c := &session.Conn{
		Dir: new([2]seq.Direction),
		ID:  -1, Protocol: protocol("hazel"), Dialect: "dtls", Bits: 70.05,
		A: endpoint("[fe80::1]:22023"), B: endpoint("[2001:db8::abcd:1]:50000"),
		FirstFrame: 17, LastFrame: 18,
	}
	c.Dir[0].Frames, c.Dir[0].Bytes, c.Dir[0].Dialect = 2, 99, "dtls"
	return c
}

// forcedConn is one that timed out.
func forcedConn() *session.Conn {
	c := &session.Conn{
		Dir: new([2]seq.Direction),
		ID:  -1, Protocol: protocol("knet"), Dialect: "reference", DetectedBy: session.ByDecodeAs,
		A: endpoint("10.0.0.7:2345"), B: endpoint("10.0.0.8:2345"), Roles: [2]string{"client", "server"},
		FirstFrame: 9, LastFrame: 2000, FirstTime: start, LastTime: start + 3723_000*ms, FirstStamp: start, LastStamp: start + 3723_000*ms, HasTime: true,
		State: session.TimedOut, Inferred: []string{"roles"},
	}
	c.Dir[0].Frames, c.Dir[0].Bytes, c.Dir[0].DataFrames, c.Dir[0].Messages = 1000, 1999999, 800, 2500
	return c
}

func findings(c, d *session.Conn) []session.Finding {
	poll := session.Finding{
		Rule: &conform.Rule{ID: "DP8-2.2.1.2-POLL-LISTENER", Clause: "MC-DPL8R 2.2.1.2"}, Severity: conform.Error, Conn: c, Dir: session.SideB,
		Frame: 40, Frames: []uint64{12, 40}, Time: start + 5*ms, HasTime: true, Message: "listener sent \x1b[31mPOLL",
	}
	early, other := poll, poll
	early.Frame, early.Frames = 12, []uint64{12}
	other.Conn, other.Dir, other.Frame, other.HasTime = d, session.SideA, 300, false
	return []session.Finding{
		{Rule: &conform.Rule{ID: "CAP-DROPS"}, Severity: conform.Note, Frame: 7, Message: "the capture lost frames"},
		other, poll, early,
		{Rule: &conform.Rule{ID: "KNET-2.1", Clause: "kNet page 2.1"}, Severity: conform.Warn, Conn: d, Dir: session.BothSides, Frame: 12, Frames: []uint64{12, 13}, Message: "both sides"},
	}
}

func fixture() *Analysis {
	a := &Analysis{
		Captures: []capture.Info{
			{Path: "game.pcapng.gz", Format: "pcapng", Compression: "gzip", LinkTypes: []string{"ethernet", "raw"}, Packets: 4800, Bytes: 2345678,
				HasTime: true, FirstTime: start, LastTime: start + 3723_000*ms, HasDropped: true, Dropped: 3},
			{Path: "bad\x1b]0;x\x07\u202e.pcap", Format: "pcap", LinkTypes: []string{}, Packets: 1, Bytes: 60, CutShort: true, Failed: true,
				Problem: "cut short at offset 1234: packet of 60 bytes, 17 are there"},
			{Path: "-", Problem: "no capture", Failed: true},
			{Path: "eth0\x1b", Live: true, LinkTypes: []string{"ethernet"}, Packets: 70, Bytes: 7000, HasDropped: true, Dropped: 12, Received: 82},
		},
		Conns: []*session.Conn{bareConn(), forcedConn(), signedConn()},
	}
	a.Totals.Totals = capture.Totals{Packets: 4801, UDPDatagrams: 4799, NotUDP: 1, IPFragments: 2, BadChecksums: 1}
	a.Totals.AddTable(4712, 2, 80)
	a.Totals.AddTable(6, 0, 1)
	a.Totals.LeftOut = 7
	session.Number(a.Conns)
	a.Findings = findings(a.Conns[0], a.Conns[1])
	SortFindings(a.Findings)
	return a
}

func messages() []*session.Message {
	text := []byte("Hello, \x1bworld! This is more than a preview can show.")
	binary := []byte{0, 1, 2, 3, 0xff, 0xfe, 'x'}
	return []*session.Message{
		{Index: 0, FirstFrame: 12, LastFrame: 14, Time: start + 7*ms, HasTime: true, Frames: 3, Number: 4, Reliable: true, Ordered: true, Complete: true,
			Size: len(text), SHA256: sha256.Sum256(text), Payload: text},
		{Dir: 1, Index: 12345, FirstFrame: 99, LastFrame: 99, Frames: 1, Number: 70000, Complete: true, Size: len(binary), SHA256: sha256.Sum256(binary), Payload: binary},
		{Index: 1, FirstFrame: 1000000, LastFrame: 1000000, Time: start + 9*ms, HasTime: true, Frames: 1, Number: -2, Reliable: true, Size: 1200},
		{Index: 2, FirstFrame: 15, LastFrame: 15, Time: start + 9*ms, HasTime: true, Frames: 1, Number: 5, Complete: true, SHA256: sha256.Sum256(nil)},
	}
}

func TestFixtureHasAll(t *testing.T) {
	c := signedConn()
	d := &c.Dir[0]
	if d.Missing() != 2 || d.Retries != 1 || d.UnneededRetries != 1 || d.Gaps != 2 || d.RTT().Samples == 0 || d.Lost().NotCaptured != 2 {
		t.Fatalf("missing %d, rtt %+v, lost %+v, %+v", d.Missing(), d.RTT(), d.Lost(), d)
	}
	if strings.Join(inferred(c), " ") != "signing version" || c.Inferred[0] != "version" {
		t.Error("inferred is not a sorted copy")
	}
}
