package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/filter"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/protocols"
)

// TestOfferedFilters: every name and named value that is offered for -Y makes a filter.
func TestOfferedFilters(t *testing.T) {
	set := filter.NewSet(protocols.Tables())
	names, _ := completeFilter(nil, nil, "")
	if len(names) < 100 {
		t.Fatalf("only %d names are offered", len(names))
	}
	values := 0
	for _, n := range names {
		name, _, _ := strings.Cut(n, "\t")
		if name == "not" {
			continue
		}
		if _, err := filter.Compile(name, set); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		offers, _ := completeFilter(nil, nil, name+" == ")
		for _, o := range offers {
			values++
			if _, err := filter.Compile(o, set); err != nil {
				t.Errorf("%s: %v", o, err)
			}
		}
		operators, _ := completeFilter(nil, nil, name+" ")
		if len(operators) < len(joins) {
			t.Errorf("nothing may stand behind %s", name)
		}
	}
	if values < 50 {
		t.Errorf("only %d values are offered", values)
	}
}

// TestOfferedConnections reads them from the captures that the command line names.
func TestOfferedConnections(t *testing.T) {
	path := capturePath(t, "full-signed-lossy.pcap")
	all, _ := completeConnection(newAnalyze(), []string{path}, "")
	if len(all) != 1 || all[0] != "0\tdp8 1.6 192.0.2.10:2302 ↔ 198.51.100.20:2302 closed" {
		t.Errorf("%q", all)
	}
	cmd := newAnalyze()
	if err := cmd.Flags().Set("read-file", path); err != nil {
		t.Fatal(err)
	}
	if all, _ := completeConnection(cmd, nil, ""); len(all) != 1 {
		t.Errorf("with -r: %q", all)
	}
	for _, paths := range [][]string{nil, {"missing.pcap"}, {"-"}} {
		if all, _ := completeConnection(newAnalyze(), paths, ""); len(all) != 0 {
			t.Errorf("%q: %q", paths, all)
		}
	}
}

// TestConnectionsOfDirectoryAreOffered: a directory on the command line stands for its
// captures when connections are offered, too.
func TestConnectionsOfDirectoryAreOffered(t *testing.T) {
	dir := filepath.Join(root(t), "testdata", "captured", "knet")
	stdout, _, code := call(t, "__complete", "analyze", "-r", dir, "--connection", "")
	if code != exit.OK || !strings.HasPrefix(stdout, "0\tknet ") {
		t.Errorf("exit code %d, offers:\n%s", code, stdout)
	}
}
