package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/exit"
)

// TestReportOfTheWorst: a page holds the worst connections where there are too many, and says
// how many it leaves out.
func TestReportOfTheWorst(t *testing.T) {
	defer func(n int) { mostListed = n }(mostListed)
	mostListed = 1
	path, page := filepath.Join(root(t), "testdata", "pcaps", "dp8", "two-clients.pcap"), filepath.Join(t.TempDir(), "page.html")
	if _, errs, code := call(t, "report", "-o", page, path); code != exit.OK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"unlisted":1`, `"connections_left_out": 1`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := strings.Count(string(text), `"detected_by"`); n != 1 {
		t.Errorf("%d connections are in the page, want 1", n)
	}
}
