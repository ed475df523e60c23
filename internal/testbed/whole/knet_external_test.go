package whole

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
)

// knetTruth is what the programs that made a capture of the kNet library logged.
type knetTruth struct {
	CapturePoint string `json:"capture_point"`
	Server       struct {
		Port uint16 `json:"udp_port"`
	} `json:"server"`
	Connections []knetTruthConn `json:"connections"`
}

type knetTruthConn struct {
	Port      uint16         `json:"client_udp_port"`
	Connects  int            `json:"connect_datagrams_sent"`
	ToServer  knetTruthSide  `json:"client_to_server"`
	ToClient  knetTruthSide  `json:"server_to_client"`
	ClientApp knetTruthApp   `json:"client_app"`
	ServerApp []knetTruthApp `json:"server_app"`
}

type knetTruthApp struct {
	Sent     int            `json:"sent_count"`
	Received int            `json:"received_count"`
	SentByID map[string]int `json:"sent_by_id"`
	Final    string         `json:"final_state"`
}

type knetTruthSide struct {
	Wire struct {
		Datagrams int               `json:"datagrams_sent"`
		Bytes     uint64            `json:"udp_payload_bytes"`
		Resends   uint64            `json:"reliable_message_resends"`
		ByID      map[string]uint64 `json:"messages_by_id_excluding_nonfirst_fragments"`
	} `json:"wire_tx"`
	Bodies []struct {
		SHA256 string `json:"sha256"`
		Size   int    `json:"body_size"`
	} `json:"fragmented_message_bodies"`
	Noticed   uint64  `json:"duplicate_datagrams_noticed_by_this_side"`
	Completed int     `json:"transfers_completed_at_this_side"`
	Rows      [][]any `json:"datagrams"`
}

// TestKNetCaptures compares captures of the kNet library with what its programs
// logged before anything happened to their datagrams. Where the library made a
// further server connection of a late datagram of the client, the log counts it
// with the first, and so does this test.
func TestKNetCaptures(t *testing.T) {
	eachTruth(t, "knet/*", func(t *testing.T, _, pcap string, truth *knetTruth) {
		a := analyse(t, pcap, protocols.Options{})
		rows := knetRows(t, pcap, truth.Server.Port)
		for i := range truth.Connections {
			compareKNet(t, &a, truth, &truth.Connections[i], rows)
		}
		endpointFault := func(f session.Finding) bool { return f.Rule.EndpointFault() }
		if a.totals.UDPDatagrams == 0 || slices.ContainsFunc(a.findings, endpointFault) {
			t.Errorf("%d datagrams, %d findings", a.totals.UDPDatagrams, len(a.findings))
		}
	})
}

// knetSum adds the directions of the connections between a client port and the
// server that are sent by a port.
type knetSum struct {
	frames, bytes, retries, duplicates, messages, incomplete, keepAlives, notCaptured uint64
	missing                                                                           uint64
	digests                                                                           map[string]bool
}

func sumKNet(a *analysed, client, sender uint16) (s knetSum) {
	s.digests = map[string]bool{}
	for _, c := range a.conns {
		if c.A.Port != client && c.B.Port != client {
			continue
		}
		dir := dissect.Dir(0)
		if c.B.Port == sender {
			dir = 1
		}
		d := &c.Dir[dir]
		s.frames, s.bytes, s.retries, s.duplicates = s.frames+d.Frames, s.bytes+d.Bytes, s.retries+d.Retries, s.duplicates+d.Duplicates
		s.messages, s.incomplete, s.keepAlives = s.messages+d.Messages, s.incomplete+d.IncompleteMessages, s.keepAlives+d.KeepAlives
		s.notCaptured += d.Lost().NotCaptured
		s.missing += d.Missing()
		for _, m := range a.messages {
			if m.Conn == c && m.Dir == dir && m.Complete {
				s.digests[hex.EncodeToString(m.SHA256[:])] = true
			}
		}
	}
	return s
}

func compareKNet(t *testing.T, a *analysed, truth *knetTruth, want *knetTruthConn, rows map[knetKey][]string) {
	server := truth.Server.Port
	first := knetFirst(a, want.Port)
	if first == nil || !first.Complete || first.Dialect != "reference" || first.DetectedBy != session.ByHandshake || first.Roles != [2]string{"client", "server"} {
		t.Fatalf("port %d: %+v", want.Port, first)
	}
	if closed := want.ClientApp.Final == "ConnectionClosed" && want.ToServer.Wire.ByID["1073741823"]+want.ToClient.Wire.ByID["1073741823"] > 0; closed != (first.State == session.Closed) {
		t.Errorf("port %d: %v", want.Port, first.State)
	}
	up, down := sumKNet(a, want.Port, want.Port), sumKNet(a, want.Port, server)
	clean, dirty, sent, other := &up, &down, &want.ToServer, &want.ToClient
	connects := uint64(want.Connects)
	if strings.HasPrefix(truth.CapturePoint, "server") {
		clean, dirty, sent, other, connects = &down, &up, &want.ToClient, &want.ToServer, 0
	}
	// One direction was captured where it was sent: every number must agree.
	if clean.frames != uint64(sent.Wire.Datagrams)+connects || clean.retries != sent.Wire.Resends || clean.keepAlives != sent.Wire.ByID["1"] ||
		clean.missing != 0 || clean.duplicates != 0 || connects == 0 && clean.bytes != sent.Wire.Bytes || clean.incomplete != 0 {
		t.Errorf("port %d: %+v, want %+v", want.Port, clean, sent.Wire)
	}
	// The other one where it was received.
	if dirty.retries > other.Wire.Resends || dirty.keepAlives > other.Wire.ByID["1"]+dirty.duplicates || dirty.notCaptured != 0 || dirty.missing > uint64(other.Wire.Datagrams)-dirty.frames+dirty.duplicates+1 {
		t.Errorf("port %d: %+v, want at most %+v", want.Port, dirty, other.Wire)
	}
	for _, x := range []struct {
		sum  *knetSum
		from *knetTruthSide
	}{{clean, sent}, {dirty, other}} {
		for _, b := range x.from.Bodies {
			if !x.sum.digests[b.SHA256] {
				t.Errorf("port %d: no message has digest %s", want.Port, b.SHA256)
			}
		}
	}
	compareKNetMessages(t, want, &up, &down, truth)
	compareKNetRows(t, rows[knetKey{want.Port, want.Port}], want.ToServer.Rows, clean == &up)
	compareKNetRows(t, rows[knetKey{want.Port, server}], want.ToClient.Rows, clean == &down)
}

func knetFirst(a *analysed, port uint16) *session.Conn {
	for _, c := range a.conns {
		if c.A.Port == port || c.B.Port == port {
			return c
		}
	}
	return nil
}

// compareKNetMessages compares with what the programs handed to the library, where
// it was captured, or got from it. The library counts a FlowControlRequest of the
// application, and loses transfers whose fragments come before their start.
func compareKNetMessages(t *testing.T, want *knetTruthConn, up, down *knetSum, truth *knetTruth) {
	if strings.HasPrefix(truth.CapturePoint, "client") {
		if n := uint64(want.ClientApp.Sent); up.messages != n {
			t.Errorf("port %d: %d messages of the client, want %d", want.Port, up.messages, n)
		}
		if n := uint64(want.ClientApp.Received); down.messages != n {
			t.Errorf("port %d: %d messages of the server, want %d", want.Port, down.messages, n)
		}
		return
	}
	sent, received := 0, 0
	for _, x := range want.ServerApp {
		sent, received = sent+x.Sent-x.SentByID["3"], received+x.Received
	}
	if up.messages != uint64(received) || down.messages != uint64(sent) {
		t.Errorf("port %d: %d messages of the client and %d of the server, want %d and %d", want.Port, up.messages, down.messages, received, sent)
	}
}

// knetKey names a direction: the port of the client and that of the sender.
type knetKey struct{ client, sender uint16 }

// knetRows decodes a capture into rows like those of the logs, in the order of
// capture.
func knetRows(t *testing.T, pcap string, server uint16) map[knetKey][]string {
	t.Helper()
	rows := map[knetKey][]string{}
	opened := map[uint16]bool{}
	var d knet.Datagram
	for _, p := range captured.Datagrams(t, pcap) {
		client := max(p.Src.Port, p.Dst.Port)
		if client == server {
			client = min(p.Src.Port, p.Dst.Port)
		}
		if !opened[client] {
			opened[client] = true // the connect datagram
			continue
		}
		if err := d.Decode(p.Payload, knet.Params{Dialect: knet.Reference, IDs: knet.IDsFromOne}, nil); err == nil {
			rows[knetKey{client, p.Src.Port}] = append(rows[knetKey{client, p.Src.Port}], knetRow(&d, &p))
		}
	}
	return rows
}

// knetRow is a datagram as the logs have it. They know the id of a transfer and
// how many fragments it has of each of its fragments; here only the first has.
func knetRow(d *knet.Datagram, u *dissect.Datagram) string {
	base := "-"
	if d.Reliable {
		base = fmt.Sprint(d.Base.Value)
	}
	s := fmt.Sprintf("%d %v %v %s %d", d.PacketID, d.Reliable, d.InOrder, base, u.Length)
	for i := range d.Messages {
		m := &d.Messages[i]
		id, number, index, count := "?", "-", "-", "?"
		if m.HasID() {
			id, count = fmt.Sprint(m.ID.Value), fmt.Sprint(m.FragmentCount.Value)
		}
		if m.IsReliable() {
			number = fmt.Sprint(m.Number)
		}
		if m.IsFragment() {
			index = fmt.Sprint(m.FragmentNumber.Value)
		}
		s += fmt.Sprintf(" [%s %d %s %v %d %s %s]", id, len(m.Body), number, m.Bits&knet.MessageInOrder != 0, m.TransferID, index, count)
	}
	return s
}

// loggedRow is the same from a row of a log.
func loggedRow(row []any) string {
	base := "-"
	if row[3] != nil {
		base = fmt.Sprint(row[3])
	}
	s := fmt.Sprintf("%v %v %v %s %v", row[0], row[1] == 1.0, row[2] == 1.0, base, row[4])
	for _, x := range row[5].([]any) {
		m := x.([]any)
		id, number, index, count := fmt.Sprintf("%.0f", m[0]), "-", "-", fmt.Sprint(m[6])
		if m[2] != nil {
			number = fmt.Sprint(m[2])
		}
		if m[5] != nil {
			if index = fmt.Sprint(m[5]); index != "0" {
				id, count = "?", "?"
			}
		}
		s += fmt.Sprintf(" [%s %v %s %v %v %s %s]", id, m[1], number, m[3] == 1.0, m[4], index, count)
	}
	return s
}

// compareKNetRows compares datagrams with the log, row by row where they were
// captured as they were sent; elsewhere each captured one must have been logged.
func compareKNetRows(t *testing.T, got []string, logged [][]any, clean bool) {
	if len(logged) == 0 {
		return
	}
	if clean && len(got) != len(logged) {
		t.Errorf("%d datagrams captured, %d logged", len(got), len(logged))
	}
	known := map[string]bool{}
	for i, row := range logged {
		s := loggedRow(row)
		known[s] = true
		if clean && (i >= len(got) || got[i] != s) {
			t.Fatalf("datagram %d:\ngot  %s\nwant %s", i, got[min(i, len(got)-1)], s)
		}
	}
	for _, s := range got {
		if !known[s] {
			t.Fatalf("never sent: %s", s)
		}
	}
}
