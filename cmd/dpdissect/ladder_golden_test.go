package main

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
)

// ladderGoldens are what golden files show of captures: each protocol, losses on both sides
// of the capture point and in it, retries, copies, pauses, and ends of all kinds.
var ladderGoldens = []struct {
	name, path string
	args       []string
}{
	{"dp8-lossy", "dp8/full-signed-lossy.pcap", []string{"--to", "1.2"}},
	{"dp8-losses", "dp8/unsigned-lossy.pcap", []string{"--around", "52"}},
	{"dp8-pauses", "dp8/killed-peer.pcap", []string{"--from", "4.7", "--to", "7"}},
	{"dp8-second", "dp8/two-clients.pcap", []string{"--connection", "1", "-Y", "retry or gap"}},
	{"dp4-lossy", "dp4/windows-lossy.pcap", []string{"--to", "0.8"}},
	{"dp4-unreachable", "dp4/port-unreachable.pcap", []string{"--from", "1"}},
	{"knet-lossy", "knet/lossy-reference.pcap", []string{"--to", "2"}},
	{"knet-kicked", "knet/kicked-reference.pcap", nil},
	{"hazel-capture-loss", "hazel/capture-loss.pcap", []string{"--to", "0.6"}},
	{"hazel-copies", "hazel/copies.pcap", []string{"--all", "--to", "0.2"}},
	{"hazel-hostile", "hazel/kicked-hostile.pcap", nil},
	{"end-outage", "ends/outage.pcap", []string{"--from", "5", "--to", "7.9"}},
	{"end-cable-cut", "ends/cable-cut.pcap", []string{"--from", "8"}},
}

// TestGoldenLadder compares ladders with testdata/ladder. -update writes these files.
func TestGoldenLadder(t *testing.T) {
	t.Setenv("COLUMNS", "")
	t.Setenv("TZ", "UTC")
	for _, g := range ladderGoldens {
		t.Run(g.name, func(t *testing.T) {
			args := append([]string{"ladder", filepath.Join("..", "..", "testdata", "pcaps", g.path)}, g.args...)
			a := &txtar.Archive{Comment: []byte("What dpdissect ladder draws of " + g.path + "; make golden writes it.\n\n")}
			for _, more := range [][]string{{"text"}, {"text", "--ascii"}, {"svg"}, {"mermaid"}} {
				name := more[0]
				if len(more) > 1 {
					name = "ascii"
				}
				out := output(t, append(append(args[:len(args):len(args)], "--format"), more...)...)
				a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(out)})
			}
			compareGolden(t, filepath.Join("testdata", "ladder", g.name+".txtar"), a)
		})
	}
}
