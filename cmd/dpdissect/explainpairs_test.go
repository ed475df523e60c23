package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestExplainMovedPair: where a connection most likely goes on from another address, that
// address is not one that nobody knows: the connection tells of it, and its record names it.
func TestExplainMovedPair(t *testing.T) {
	path := filepath.Join("..", "..", "testdata", "pcaps", "ends", "nat-expired-outside.pcap")
	for _, format := range []string{"text", "markdown"} {
		if text := strings.Join(strings.Fields(output(t, "explain", "--format", format, path)), " "); strings.Contains(text, "Not recognised") || !strings.Contains(text, "it continues from 192.0.2.10:5414") {
			t.Errorf("%s: %q", format, text)
		}
	}
	if doc := output(t, "explain", "--format", "json", path); !strings.Contains(doc, `"continues": 0`) || !strings.Contains(doc, "Most likely #0 goes on here: 192.0.2.10:5414 sent what looks like hazel") {
		t.Errorf("the record is %s", doc)
	}
}
