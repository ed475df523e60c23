package knet_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/internal/testbed/pcaps"
	"github.com/dpdissect/dpdissect/knet"
)

// A sharkRow is a datagram as Wireshark's knet dissector sees it.
type sharkRow struct{ packetID, inOrder, reliable, base, acks, bits, pings string }

func tshark(t *testing.T, file string, port uint16) map[uint64]sharkRow {
	t.Helper()
	bin, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed")
	}
	args := []string{"-n", "-r", file, "-d", fmt.Sprintf("udp.port==%d,knet", port), "-E", "occurrence=a", "-E", "separator=|", "-T", "fields"}
	for _, f := range []string{"frame.number", "knet.datagram.packetid", "knet.datagram.inorder", "knet.datagram.reliable", "knet.datagram.rmib",
		"knet.payload.packetack", "knet.payload.seqnumber", "knet.payload.pingid"} {
		args = append(args, "-e", f)
	}
	out, err := exec.Command(bin, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[uint64]sharkRow{}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		if n, err := strconv.ParseUint(f[0], 10, 64); err == nil && f[1] != "" {
			rows[n] = sharkRow{f[1], f[2], f[3], f[4], f[5], f[6], f[7]}
		}
	}
	return rows
}

// readable reports a datagram whose messages Wireshark reads: no fragments, small
// numbers, ids of one byte or those it knows.
func readable(d *knet.Datagram) bool {
	for i := range d.Messages {
		m := &d.Messages[i]
		if m.IsFragment() || m.Delta.Size > 1 || m.ID.Size > 1 && m.ID.Value < knet.IDConnectAck || m.Kind == knet.FlowControlRequest {
			return false
		}
	}
	return true
}

// TestTshark: on every datagram of the library, Wireshark's dissector and this one
// agree on PacketID and flags, on bases of two bytes, and on PacketAcks and pings.
func TestTshark(t *testing.T) {
	compared, acks, pings := 0, 0, 0
	for _, file := range pcaps.Files(t, "knet/*") {
		all := captured.Whole(t, file)
		rows := tshark(t, file, all[0].Dst.Port)
		opened := map[dissect.Endpoint]bool{}
		for i := range all {
			u := &all[i]
			if u.Dst == all[0].Dst && !opened[u.Src] {
				opened[u.Src] = true // the connect datagram: Wireshark reads it as another
				continue
			}
			var d knet.Datagram
			if err := d.Decode(u.Payload, knet.Params{Dialect: knet.Reference, IDs: knet.IDsFromOne}, nil); err != nil {
				continue // garbage that one of the programs sends on purpose
			}
			want, ok := rows[u.Frame]
			if !ok {
				t.Errorf("%s: frame %d is no datagram to tshark", filepath.Base(file), u.Frame)
				continue
			}
			got := rowOf(&d)
			if d.Base.Size > 2 {
				got.base, want.base = "", ""
			}
			if !readable(&d) {
				got.acks, got.bits, got.pings, want.acks, want.bits, want.pings = "", "", "", "", "", ""
			}
			if got != want {
				t.Errorf("%s: frame %d: %+v, tshark %+v", filepath.Base(file), u.Frame, got, want)
			}
			compared++
			if got.acks != "" {
				acks++
			}
			if got.pings != "" {
				pings++
			}
		}
	}
	t.Logf("%d datagrams, %d with PacketAcks, %d with pings", compared, acks, pings)
	if compared < 1000 || acks < 100 || pings < 50 {
		t.Error("too few to prove anything")
	}
}

func rowOf(d *knet.Datagram) (r sharkRow) {
	r.packetID, r.inOrder, r.reliable = fmt.Sprint(d.PacketID), "0", "0"
	if d.InOrder {
		r.inOrder = "1"
	}
	if d.Reliable {
		r.reliable, r.base = "1", fmt.Sprint(d.Base.Value)
	}
	var acks, bits, pings []string
	for i := range d.Messages {
		switch m := &d.Messages[i]; m.Kind {
		case knet.PacketAck:
			acks, bits = append(acks, fmt.Sprint(m.Ack.PacketID)), append(bits, fmt.Sprint(m.Ack.Bits))
		case knet.PingRequest, knet.PingReply:
			pings = append(pings, fmt.Sprint(m.PingID))
		}
	}
	r.acks, r.bits, r.pings = strings.Join(acks, ","), strings.Join(bits, ","), strings.Join(pings, ",")
	return r
}
