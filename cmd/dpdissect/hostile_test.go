package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestHostileReason checks that the text for which a server sends a player away reaches
// people without what would speak to a terminal, a page or a table.
func TestHostileReason(t *testing.T) {
	path := filepath.Join("..", "..", "testdata", "pcaps", "hazel", "kicked-hostile.pcap")
	for _, args := range [][]string{
		{"explain"}, {"explain", "--format", "json"}, {"explain", "--format", "markdown"}, {"explain", "--text", "\x1b[31m <script> You were kicked"},
		{"explain", "--format", "markdown", "--text", "\x1b[31m <script>alert(1)"}, {"analyze"}, {"analyze", "-V"}, {"analyze", "--format", "json"},
		{"decode"}, {"decode", "-V"}, {"decode", "-x"}, {"decode", "--format", "ndjson"}, {"decode", "-e", "frame.number", "-e", "hazel.data", "-E", "separator=,"},
		{"check"}, {"check", "--format", "github"}, {"check", "--format", "junit"}, {"timeline"}, {"messages"},
		{"ladder"}, {"ladder", "--all", "--ascii"}, {"ladder", "--format", "svg"}, {"ladder", "--format", "mermaid"}, {"ladder", "--format", "json"},
	} {
		out, _, _ := call(t, append(args, path)...)
		name := strings.Join(args, " ")
		bad := []string{"\x1b", "\x07", "\r", "\u202e", "\u2066", "\n::error"}
		if strings.Contains(name, "markdown") {
			bad = append(bad, "<script", "[link](", " | ", " `code")
		}
		for _, x := range bad {
			if strings.Contains(out, x) {
				t.Errorf("%s holds %q:\n%q", name, x, out)
			}
		}
		if args[0] == "explain" && !strings.Contains(out, "red") {
			t.Errorf("%s left the words out, too:\n%s", name, out)
		}
	}
}
