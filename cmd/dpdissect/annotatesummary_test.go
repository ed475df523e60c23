package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/testbed/ngtest"
)

// sectionComments are the comments of each section of a file.
func sectionComments(t *testing.T, file []byte) (all [][]string) {
	t.Helper()
	for _, b := range blocksOf(t, file) {
		if b.Type == ngtest.Section {
			all = append(all, b.Comments())
		}
	}
	return all
}

// wantedSummary is what the summary of captures is to be: counts of analyze, and how explain
// begins.
func wantedSummary(t *testing.T, paths ...string) (first, text string) {
	t.Helper()
	var a struct {
		Totals      struct{ Packets int }
		Connections []struct{ Findings map[string]int }
	}
	if err := json.Unmarshal([]byte(output(t, append([]string{"analyze", "--format", "json"}, paths...)...)), &a); err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for _, c := range a.Connections {
		for severity, k := range c.Findings {
			n[severity] += k
		}
	}
	t.Setenv("COLUMNS", "80")
	return fmt.Sprintf("dpd1 packets=%d connections=%d errors=%d warnings=%d notes=%d", a.Totals.Packets, len(a.Connections), n["error"], n["warn"], n["note"]),
		output(t, append([]string{"explain"}, paths...)...)
}

// TestAnnotateSummary: each section has one more comment, after those that were there: counts
// of the whole input, whatever is chosen of it, and the first screen of explain. Nothing else
// changes, and without --summary nothing does.
func TestAnnotateSummary(t *testing.T) {
	two := []string{capturePath(t, "two-clients.pcap")}
	ended := []string{filepath.Join("..", "..", "testdata", "pcaps", "ends", "bufferbloat.pcap")}
	for _, c := range []struct {
		paths, more []string
	}{
		{two, nil}, {two, []string{"-Y", "dp8.seq == 3"}}, {two, []string{"--plain", "--connection", "1"}}, {two, []string{"--from", "1", "--workers", "3"}},
		{ended, nil}, {[]string{capturePath(t, "fast-signed-forged.pcap")}, nil},
		{[]string{capturePath(t, "pcapng.pcapng")}, nil},
		{[]string{two[0], filepath.Join("..", "..", "testdata", "pcaps", "hazel", "copies.pcap")}, nil},
	} {
		first, text := wantedSummary(t, c.paths...)
		args := append(slices.Clone(c.paths), c.more...)
		plain := annotated(t, args...)
		file := annotated(t, append(args, "--summary")...)
		before, after := sectionComments(t, plain), sectionComments(t, file)
		if len(after) == 0 || len(before) != len(after) {
			t.Fatalf("%q: %d sections, without --summary %d", args, len(after), len(before))
		}
		for i := range after {
			had := before[i]
			if len(after[i]) != len(had)+1 || !slices.Equal(after[i][:len(had)], had) {
				t.Fatalf("%q: the comments %q became %q", args, had, after[i])
			}
			line, rest, _ := strings.Cut(after[i][len(had)], "\n")
			if line != first {
				t.Errorf("%q: %q, want %q", args, line, first)
			}
			if n := strings.Count(rest, "\n") + 1; !strings.HasPrefix(text, rest) || n > 23 || n < 20 && len(rest) < len(strings.TrimSpace(text)) && len(rest) < 3800 || len(after[i][len(had)]) > 4096 {
				t.Errorf("%q: %d lines\n%s\nwant the beginning of\n%s", args, n, rest, text)
			}
		}
		a, b := ngtest.Packets(blocksOf(t, plain)), ngtest.Packets(blocksOf(t, file))
		if len(a) != len(b) {
			t.Fatalf("%q: %d packets, without --summary %d", args, len(b), len(a))
		}
		for i := range a {
			if string(a[i].Body) != string(b[i].Body) {
				t.Fatalf("%q: packet %d differs", args, i+1)
			}
		}
	}
	for _, part := range splitInto(t, append(two, "--summary", "--split", "connection")...) {
		file, err := os.ReadFile(part)
		if err != nil {
			t.Fatal(err)
		}
		first, _ := wantedSummary(t, two...)
		if got := sectionComments(t, file); len(got) != 1 || len(got[0]) != 1 || !strings.HasPrefix(got[0][0], first+"\n") {
			t.Errorf("%s: %q", part, got)
		}
	}
}

// TestAnnotateSummaryRefused: what can't be read twice has no summary.
func TestAnnotateSummaryRefused(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.pcapng")
	for _, c := range []struct{ args, want string }{
		{"-i lo", "--summary is of captures that are complete, not live"},
		{"--follow " + capturePath(t, "two-clients.pcap"), "--summary is of captures that are complete, not live"},
		{"-", "--summary reads its captures twice: give files, not standard input or pipes"},
	} {
		_, errs, code := call(t, append([]string{"annotate", "--summary", "-w", out}, strings.Fields(c.args)...)...)
		if first, _, _ := strings.Cut(errs, "\n"); code != exit.Usage || first != "dpdissect: "+c.want {
			t.Errorf("%s: exit code %d: %s", c.args, code, errs)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file is there")
	}
}
