package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// goldenLines is how many lines of `decode` a golden file keeps.
const goldenLines = 30

// worthATree are filters whose first frame a golden file shows with -V.
var worthATree = []string{"frame.number == 1", "retry", "duplicate", "gap", "dp8.sack_mask", "dp8.send_mask", "dp8.payloads",
	"close", "bad_signature", "unverified_signature", "malformed", "note"}

// TestGolden compares what people see of each capture with <capture>.txtar beside
// it. -update writes these files.
func TestGolden(t *testing.T) {
	t.Setenv("TZ", "UTC")
	for _, path := range captures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			golden := strings.TrimSuffix(path, filepath.Ext(path)) + ".txtar"
			got := txtar.Format(goldenOf(t, path))
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
		})
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
			{Name: "analyze", Data: []byte(output(t, "analyze", name))},
			{Name: "decode", Data: []byte(strings.Join(lines[:min(len(lines), goldenLines)], ""))},
			{Name: "decode -V", Data: []byte(output(t, "decode", "-V", "-Y", selected(t, name), name))},
		},
	}
}

// selected is a filter for the first frame of each filter in worthATree.
func selected(t *testing.T, name string) string {
	t.Helper()
	var numbers []string
	for _, filter := range worthATree {
		first, _, _ := strings.Cut(output(t, "decode", "-e", "frame.number", "-Y", filter, name), "\n")
		if first != "" {
			numbers = append(numbers, first)
		}
	}
	return "frame.number in {" + strings.Join(numbers, ", ") + "}"
}
