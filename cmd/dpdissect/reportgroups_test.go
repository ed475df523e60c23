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

// TestReportGroups: what several connections share stands in the report as explain has it, be it
// how they ended or what troubled them, and explain tells it in place of each of them.
func TestReportGroups(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"cable-cut.pcap":           "were cut off",
		"killed-process.pcap":      "were cut off",
		"nat-expired-outside.pcap": "were cut off",
		"window-stalled.pcap":      "were in trouble at 12:00:04–12:00:05 UTC: what the players sent was answered late, after up to 1.2 s",
		"late-answers.pcap":        "were in trouble",
		"outage.pcap":              "were in trouble",
	} {
		path := filepath.Join(t.TempDir(), "together.pcapng")
		if err := os.WriteFile(path, excerpt.AsFile(together(t, name, 84)), 0o600); err != nil {
			t.Fatal(err)
		}
		got, doc := embedded(t, reportOf(t, path), "explain"), inElement.Replace(output(t, "explain", "--format", "json", path))
		if got != doc {
			t.Errorf("%s: what explain says differs at line %s", name, difference(got, doc))
		}
		if !strings.Contains(got, `"groups"`) {
			t.Errorf("%s: no group is in it", name)
		}
		text := strings.Join(strings.Fields(output(t, "explain", path)), " ")
		if !strings.Contains(text, "84 connections with") || !strings.Contains(text, want) || strings.Contains(text, "↔") {
			t.Errorf("%s: explain says %q", name, text)
		}
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
