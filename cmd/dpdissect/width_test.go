package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/terminal"
)

// TestTablesFit holds every table to the width that COLUMNS gives, and to the usual one
// where nothing does.
func TestTablesFit(t *testing.T) {
	pcaps := filepath.Join("..", "..", "testdata", "pcaps")
	commands := [][]string{
		{"protocols"}, {"interfaces"}, {"rules"}, {"fields"},
		{"analyze", "-q", filepath.Join(pcaps, "dp8", "full-signed-lossy.pcap")},
		{"analyze", "-q", filepath.Join(pcaps, "knet", "ipv6-reference.pcap")},
		{"messages", filepath.Join(pcaps, "dp8", "full-signed-lossy.pcap")},
		{"messages", "-t", "ad", filepath.Join(pcaps, "knet", "ipv6-reference.pcap")},
	}
	for _, width := range []int{80, 100, 120, 200} {
		t.Setenv("COLUMNS", fmt.Sprint(width))
		if width == terminal.DefaultWidth {
			t.Setenv("COLUMNS", "")
		}
		for _, args := range commands {
			out, _, _ := call(t, args...) // who may not capture is told so with another code
			table, _, _ := strings.Cut(out, "\n\n")
			for line := range strings.Lines(table) {
				if n := terminal.Width(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%q in %d columns has a line of %d: %s", args, width, n, line)
				}
			}
			if strings.Count(table, "\n") < 2 {
				t.Errorf("%q prints no table", args)
			}
		}
	}
}

// TestLeftOutIsNamed: what there is no room for stands below the table, with the width
// that shows it; at that width nothing is left out.
func TestLeftOutIsNamed(t *testing.T) {
	path := capturePath(t, "full-signed-lossy.pcap")
	t.Setenv("COLUMNS", "80")
	out := output(t, "analyze", "-q", path)
	_, needs, found := strings.Cut(strings.Join(strings.Fields(out), " "), "COLUMNS=")
	if !found || !strings.Contains(out, "Not shown for lack of width: ") {
		t.Fatalf("nothing is said to be left out:\n%s", out)
	}
	needs, _, _ = strings.Cut(needs, " ")
	t.Setenv("COLUMNS", needs)
	if out := output(t, "analyze", "-q", path); strings.Contains(out, "Not shown") || !strings.Contains(out, "Bytes") {
		t.Errorf("COLUMNS=%s:\n%s", needs, out)
	}
}
