package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// comparePairs are pairs of captures that golden files show: a path that was dead for a time, a side that fell silent,
// a machine that began again, and datagrams that arrive after later ones.
var comparePairs = map[string]func(t *testing.T) (a, b string){
	"outage": func(t *testing.T) (a, b string) {
		return ends(t, "h-outage-3s.client.pcap.gz"), ends(t, "h-outage-3s.server.pcap.gz")
	},
	"silent": func(t *testing.T) (a, b string) {
		return ends(t, "h-client-frozen.client.pcap.gz"), ends(t, "h-client-frozen.server.pcap.gz")
	},
	"restarted": func(t *testing.T) (a, b string) {
		x, y := tap(t, filepath.Join("..", "..", "testdata", "pcaps", "ends", "server-restarted.pcap"))
		return x.write("player.pcap"), y.each(func(_ int, r *capture.Record) { r.Time += 7e9 }).write("server.pcap")
	},
	"overtaken": func(t *testing.T) (a, b string) {
		x, y := tap(t, filepath.Join("..", "..", "testdata", "pcaps", "ends", "late-answers.pcap"))
		server := x.server()
		late := y.each(func(i int, r *capture.Record) {
			if i%9 == 4 && bytes.Equal(r.Data[30:34], server) {
				r.Time += 90e6
			}
		})
		late.sort()
		return x.write("player.pcap"), late.write("server.pcap")
	},
}

// TestCompareText compares the text with testdata/compare. -update writes these files.
func TestCompareText(t *testing.T) {
	t.Setenv("COLUMNS", "")
	for name, make := range comparePairs {
		t.Run(name, func(t *testing.T) {
			a, b := make(t)
			out := output(t, "compare", a, b)
			compareGolden(t, filepath.Join("testdata", "compare", name+".txtar"), &txtar.Archive{
				Comment: []byte("What dpdissect compare says of the pair " + name + "; make golden writes it.\n\n"),
				Files:   []txtar.File{{Name: "text", Data: []byte(out)}},
			})
		})
	}
}
