package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/exit"
)

// TestChangedBetweenReadings: a capture that was removed, replaced or written on between the
// two readings of a report is noticed.
func TestChangedBetweenReadings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "game.pcap")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, change := range map[string]func(){
		"removed":  func() { os.Remove(path) },
		"replaced": func() { os.Rename(path, path+".old"); write("one") },
		"longer":   func() { write("one and more") },
		"touched":  func() { os.Chtimes(path, time.Time{}, time.Unix(1, 0)) },
	} {
		write("one")
		before := stampsOf([]string{path})
		if !before[0].same(stampsOf([]string{path})[0]) {
			t.Errorf("%s: it changed before it did", name)
		}
		if change(); before[0].same(stampsOf([]string{path})[0]) {
			t.Errorf("%s: nobody noticed", name)
		}
	}
}

// TestPointsChangedBetweenReadings: so is one of two captures of one session that changes
// after it was recognised as such.
func TestPointsChangedBetweenReadings(t *testing.T) {
	dir := t.TempDir()
	near, far := filepath.Join(dir, "near.pcap"), filepath.Join(dir, "far.pcap")
	whole, err := os.ReadFile(filepath.Join("..", "..", "testdata", "pcaps", "dp8", "unsigned-lossy.pcap"))
	if err == nil {
		err = os.WriteFile(near, whole, 0o600)
	}
	if err == nil {
		err = secondPoint(near, far)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, changes := range []bool{false, true} {
		var in input
		cmd := &cobra.Command{Use: "any"}
		var said bytes.Buffer
		cmd.SetErr(&said)
		in.add(cmd)
		in.output = filepath.Join(dir, "out.txt")
		runs := 0
		done, err := in.apart(cmd, []string{near, far}, func(*cobra.Command, []string) error {
			if runs++; changes && runs == 2 {
				return os.Chtimes(near, time.Time{}, time.Unix(1, 0))
			}
			return nil
		})
		if !done || runs != 2 {
			t.Fatalf("done %v after %d runs: %v", done, runs, err)
		}
		if told := strings.Contains(said.String(), "near.pcap: changed while it was read more than once"); told != changes || (err == exit.ErrInput) != changes {
			t.Errorf("changes %v: %v, stderr %q", changes, err, said.String())
		}
	}
}
