package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// goldenLines keeps golden files short: so many lines of `decode` are enough to see a change.
const goldenLines = 30

// worthATree are words of the analysis and fields whose first frame a golden file
// shows with -V, after the first datagram.
var worthATree = []string{"retry", "duplicate", "gap", "dp8.sack_mask", "dp8.send_mask", "dp8.payloads",
	"close", "bad_signature", "unverified_signature", "malformed", "note"}

// TestGolden compares what people see of each capture with <capture>.txtar beside
// it. -update writes these files.
func TestGolden(t *testing.T) {
	t.Setenv("TZ", "UTC")
	for _, path := range captures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			golden := strings.TrimSuffix(path, filepath.Ext(path)) + ".txtar"
			compareGolden(t, golden, goldenOf(t, path))
		})
	}
}

// compareGolden compares an archive with its file, or writes it with -update.
func compareGolden(t *testing.T, golden string, a *txtar.Archive) {
	t.Helper()
	got := txtar.Format(a)
	if *update {
		if err := os.WriteFile(golden, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (make golden writes it anew) at line %s", golden, difference(string(got), string(want)))
	}
}

func goldenOf(t *testing.T, path string) *txtar.Archive {
	t.Helper()
	t.Chdir(filepath.Dir(path))
	name := filepath.Base(path)
	lines := strings.SplitAfterN(output(t, "decode", name), "\n", goldenLines+1)
	return &txtar.Archive{
		Comment: []byte("What dpdissect prints of " + name + "; make golden writes it.\n\n"),
		Files: []txtar.File{
			{Name: "explain", Data: []byte(output(t, "explain", name))},
			{Name: "analyze", Data: []byte(output(t, "analyze", name))},
			{Name: "decode", Data: []byte(strings.Join(lines[:min(len(lines), goldenLines)], ""))},
			{Name: "decode -V", Data: []byte(output(t, "decode", "-V", "-Y", selected(t, path), name))},
		},
	}
}

// selected is a filter for the first datagram and the first one that has each word
// of worthATree. The words themselves, as a filter, must select the same frames as
// the records name.
func selected(t *testing.T, path string) string {
	t.Helper()
	numbers, seen := []string{}, map[string]bool{}
	var worthy strings.Builder
	for line := range strings.Lines(printed(t, "decode", "--format", "ndjson", path)) {
		var r frameRecord
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		words := r.words()
		if len(words) > 0 {
			fmt.Fprintln(&worthy, r.Frame)
		}
		if r.Frame == 1 {
			numbers = append(numbers, "1")
		}
		for _, w := range words {
			if !seen[w] {
				seen[w] = true
				numbers = append(numbers, fmt.Sprint(r.Frame))
			}
		}
	}
	if got := output(t, "decode", "-e", "frame.number", "-Y", strings.Join(worthATree, " or "), path); got != worthy.String() {
		t.Errorf("a filter selects other frames than those that have its words: line %s", difference(got, worthy.String()))
	}
	return "frame.number in {" + strings.Join(numbers, ", ") + "}"
}

// A frameRecord is what selected looks at in what decode prints of a frame.
type frameRecord struct {
	Frame    int
	Analysis []string
	Notes    []json.RawMessage
	Fields   map[string]json.RawMessage
}

// words are those of worthATree that a frame has.
func (r *frameRecord) words() (all []string) {
	for _, w := range worthATree {
		field, isField := strings.CutPrefix(w, "dp8.")
		switch {
		case isField && r.Fields[field] != nil, w == "note" && len(r.Notes) > 0,
			slices.Contains(r.Analysis, strings.ReplaceAll(w, "_", "-")):
			all = append(all, w)
		}
	}
	return all
}
