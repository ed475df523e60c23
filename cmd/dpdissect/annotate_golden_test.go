package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/dpdissect/dpdissect/internal/testbed/ngtest"
)

// annotateGoldens are captures whose comments golden files show: each protocol, findings,
// words of nearly all kinds, fragments, packets that stand for several datagrams, neighbours.
var annotateGoldens = []struct {
	name, path string
	args       []string
}{
	{"dp8-lossy", "dp8/unsigned-lossy.pcap", []string{"--to", "1.2"}},
	{"dp8-pcapng", "dp8/pcapng.pcapng", []string{"--to", "1"}},
	{"dp8-fragmented", "dp8/fragmented.pcap", []string{"-c", "60"}},
	{"dp4-lossy", "dp4/windows-lossy.pcap", []string{"--to", "0.8"}},
	{"knet-lossy", "knet/lossy-reference.pcap", []string{"--to", "2"}},
	{"hazel-copies", "hazel/copies.pcap", []string{"--to", "0.4"}},
	{"hazel-hostile", "hazel/kicked-hostile.pcap", nil},
	{"chosen", "dp8/two-clients.pcap", []string{"--connection", "1", "-Y", "retry or gap"}},
}

// TestGoldenAnnotate compares comments with testdata/annotate. -update writes these files.
func TestGoldenAnnotate(t *testing.T) {
	for _, g := range annotateGoldens {
		t.Run(g.name, func(t *testing.T) {
			var text strings.Builder
			file := annotated(t, append([]string{filepath.Join("..", "..", "testdata", "pcaps", g.path)}, g.args...)...)
			for i, p := range ngtest.Packets(blocksOf(t, file)) {
				fmt.Fprintf(&text, "packet %d: %d bytes\n", i+1, len(p.Data))
				for _, c := range p.Comments() {
					fmt.Fprintf(&text, "\t%s\n", strings.ReplaceAll(c, "\n", "\n\t"))
				}
			}
			compareGolden(t, filepath.Join("testdata", "annotate", g.name+".txtar"), &txtar.Archive{
				Comment: []byte("The comments that dpdissect annotate puts on the packets of " + g.path + "; make golden writes it.\n\n"),
				Files:   []txtar.File{{Name: strings.Join(append([]string{"annotate"}, g.args...), " "), Data: []byte(text.String())}},
			})
		})
	}
}
