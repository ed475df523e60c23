package whole

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// hazelTruth is what the applications and the library said that made a capture.
type hazelTruth struct {
	Connections []struct {
		Client     string
		ClientSide hazelSide `json:"client_side"`
		ServerSide hazelSide `json:"server_side"`
	}
}

type hazelSide struct {
	Reliable        uint64 `json:"app_reliable_sent"`
	ReliableBytes   uint64 `json:"app_reliable_sent_bytes"`
	Unreliable      uint64 `json:"app_unreliable_sent"`
	UnreliableBytes uint64 `json:"app_unreliable_sent_bytes"`
	Fragmented      uint64 `json:"app_fragmented_sent"`
	FragmentedBytes uint64 `json:"app_fragmented_sent_bytes"`
	ClosedBy        string `json:"closed_by"`
	Statistics      struct {
		Resent uint64
	} `json:"library_statistics"`
	Sent [][3]any `json:"messages_sent_in_order"` // kind, size, CRC-32
}

// TestHazelCaptures compares captures of the real library with what its
// applications sent. The forwarder that lost datagrams stood after the client's
// capture point: what a client sent is captured whole there.
func TestHazelCaptures(t *testing.T) {
	eachTruth(t, "hazel/*", func(t *testing.T, name, pcap string, truth *hazelTruth) {
		a := analyse(t, pcap, protocols.Options{})
		compareHazel(t, &a, truth, strings.Contains(name, "lossy"))
	})
}

func compareHazel(t *testing.T, a *analysed, truth *hazelTruth, lossy bool) {
	if a.malformed != 0 {
		t.Errorf("%d malformed", a.malformed)
	}
	if len(a.conns) != len(truth.Connections) {
		t.Fatalf("%d connections, want %d", len(a.conns), len(truth.Connections))
	}
	for _, want := range truth.Connections {
		i := slices.IndexFunc(a.conns, func(c *session.Conn) bool { return c.A.String() == want.Client })
		if i < 0 {
			t.Errorf("%s: no connection", want.Client)
			continue
		}
		c := a.conns[i]
		if c.Roles != [2]string{"client", "server"} || !c.Complete || c.DetectedBy != session.ByHandshake {
			t.Errorf("%s: roles %v, complete %v, detected by %s", want.Client, c.Roles, c.Complete, c.DetectedBy)
		}
		compareHazelEnd(t, c, &want.ClientSide, &want.ServerSide)
		compareHazelSide(t, a, c, 0, &want.ClientSide, false)
		compareHazelSide(t, a, c, 1, &want.ServerSide, lossy)
	}
}

// compareHazelEnd compares how a connection ended. Before 2018-08 a Disconnect
// often does not reach the wire; none of those in the captures did.
func compareHazelEnd(t *testing.T, c *session.Conn, client, server *hazelSide) {
	state, by := session.Closed, session.NoSide
	switch {
	case client.ClosedBy == "process_killed":
		state = session.Reset // its host says so; the server's Disconnect, giving up, closes nothing
	case c.Dialect == "0.1":
		state = session.Established
	case client.ClosedBy == "client_app":
		by = session.SideA
	default:
		by = session.SideB
	}
	if c.State != state || c.ClosedBy != by {
		t.Errorf("%s: %s by %q, want %s by %q (client %q, server %q)", c.A, c.State, c.ClosedBy, state, by, client.ClosedBy, server.ClosedBy)
	}
}

func compareHazelSide(t *testing.T, a *analysed, c *session.Conn, dir dissect.Dir, want *hazelSide, afterLoss bool) {
	d := &c.Dir[dir]
	who := fmt.Sprintf("%s, direction %c", c.A, 'a'+dir)
	messages := want.Reliable + want.Unreliable + want.Fragmented
	size := want.ReliableBytes + want.UnreliableBytes + want.FragmentedBytes
	if afterLoss && want.Unreliable > 0 {
		return
	}
	if d.Messages != messages || d.MessageBytes != size || d.IncompleteMessages != 0 {
		t.Errorf("%s: %d messages of %d bytes, %d incomplete; want %d of %d", who, d.Messages, d.MessageBytes, d.IncompleteMessages, messages, size)
	}
	if got := d.Retries; got != want.Statistics.Resent && !(afterLoss && got < want.Statistics.Resent) {
		t.Errorf("%s: %d retries, the library sent %d again", who, got, want.Statistics.Resent)
	}
	if l := d.Lost(); l.NotCaptured != 0 || l != (seq.Lost{}) && !afterLoss && want.Statistics.Resent == 0 {
		t.Errorf("%s: lost %+v", who, l)
	}
	if want.Sent == nil {
		return
	}
	var got [][3]any
	for i := range a.messages {
		if m := &a.messages[i]; m.Conn == c && m.Dir == dir {
			got = append(got, [3]any{"", float64(m.Size), fmt.Sprintf("%08x", crc32.ChecksumIEEE(m.Payload))})
		}
	}
	for i := range want.Sent {
		want.Sent[i][0] = ""
	}
	if !slices.Equal(got, want.Sent) {
		t.Errorf("%s: messages\n%v\nwant\n%v", who, got, want.Sent)
	}
}
