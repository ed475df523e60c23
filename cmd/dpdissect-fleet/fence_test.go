package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/dpdissect/dpdissect/internal/tables"
)

// TestFence: whatever an attempt did so far, from the moment on at which another one is begun none of its files gets its
// name, and none is begun; what the other one writes stands there, and nothing of places stays.
func TestFence(t *testing.T) {
	out := t.TempDir()
	c := &workCommand{}
	c.rows.Out = out
	begin := func(attempt int) (*fencedFolder, func()) {
		place, leave, err := c.fence(context.Background(), "p", "c/d", 3, attempt)
		if err != nil {
			t.Fatal(err)
		}
		return &fencedFolder{&tables.Folder{Path: out}, place}, leave
	}
	create := func(f *fencedFolder, text string) tables.Pending {
		p, err := f.Create("ends/x.ndjson")
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(p, text)
		return p
	}
	first, leaveFirst := begin(0)
	late := create(first, "late")
	second, leave := begin(1)
	if err := late.Commit(); err == nil {
		t.Error("a file of an attempt that was late has its name")
	}
	if _, err := first.Create("ends/y.ndjson"); err == nil {
		t.Error("an attempt that was late begins a file")
	}
	if err := create(second, "rows").Commit(); err != nil {
		t.Fatal(err)
	}
	create(second, "no rows").Abort()
	leaveFirst()
	leave()
	var files []string
	filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return nil
	})
	if text, _ := os.ReadFile(filepath.Join(out, "ends", "x.ndjson")); len(files) != 1 || string(text) != "rows" {
		t.Errorf("%q, %q", files, text)
	}
	if left, _ := os.ReadDir(filepath.Join(out, fencesBelow, "p")); len(left) > 0 {
		t.Errorf("%v stay", left)
	}
}
