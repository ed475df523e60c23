package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
)

// TestReportGroups: what several connections share stands in the report as explain has it.
func TestReportGroups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "together.pcapng")
	if err := os.WriteFile(path, excerpt.AsFile(together(t, "cable-cut.pcap", 4)), 0o600); err != nil {
		t.Fatal(err)
	}
	got, want := embedded(t, reportOf(t, path), "explain"), inElement.Replace(output(t, "explain", "--format", "json", path))
	if got != want {
		t.Errorf("what explain says differs at line %s", difference(got, want))
	}
	if !strings.Contains(got, `"groups"`) {
		t.Error("no group is in it")
	}
}

// together is a capture in which what happened to the one player of another happened to so
// many, whose ports differ.
func together(t *testing.T, name string, players int) (all []excerpt.Packet) {
	packets := excerpt.Read(t, filepath.Join("..", "..", "testdata", "pcaps", "ends", name))
	player := []byte{192, 0, 2, 10}
	for _, first := range packets {
		for n := range players {
			if first.Payload < 28 {
				continue // it is not UDP
			}
			p := first
			p.Data = slices.Clone(first.Data)
			ip, udp := p.Payload-28, p.Payload-8
			port := p.Data[udp+2:]
			if bytes.Equal(p.Data[ip+12:ip+16], player) {
				port = p.Data[udp:]
			}
			binary.BigEndian.PutUint16(port, binary.BigEndian.Uint16(port)+uint16(n))
			binary.BigEndian.PutUint16(p.Data[udp+6:], 0) // no checksum: the port is another one
			all = append(all, p)
		}
	}
	return all
}
