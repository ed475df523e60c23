package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
)

// TestTablesFollowGoesOn: a run that follows a file and is started again with its state goes on after the packets that it
// had, in steps of its own, and the rows of all runs are those of one; a file that took the name meanwhile is
// read from its beginning.
func TestTablesFollowGoesOn(t *testing.T) {
	first := excerpt.Read(t, capturePath(t, "unsigned-lossy.pcap"))
	all := first
	for i := range uint64(3) {
		all = append(all, later(first, (i+1)*1000e9)...)
	}
	dir := t.TempDir()
	path, held, out := filepath.Join(dir, "grows.pcap"), filepath.Join(dir, "state"), filepath.Join(dir, "rows")
	steps := map[string]int{}
	run := func(packets []excerpt.Packet, args ...string) {
		t.Helper()
		if err := os.WriteFile(path, excerpt.AsFile(packets), 0o600); err != nil {
			t.Fatal(err)
		}
		output(t, append([]string{"tables", "--follow", "-a", "duration:0.2", "--out", out, path}, args...)...)
		for _, f := range filesBelow(t, out) {
			steps[f]++
		}
	}
	half := len(all)/2 + 7
	run(all[:half], "--state-out", held)
	had := len(steps)
	output(t, "tables", "--follow", "-a", "duration:0.00001", "--out", out, path, "--state-in", held, "--state-out", held) // ends at once
	run(all[:len(all)-3], "--state-in", held, "--state-out", held)
	if len(steps) == had {
		t.Error("the second run wrote no step of its own")
	}
	run(all, "--state-in", held)
	one := t.TempDir()
	output(t, "tables", "-q", "--out", one, captureFile(t, "grows.pcap", all))
	for _, table := range []string{"connections", "ends", "findings", "intervals", "rollup"} {
		sameRows(t, table, withoutStep(rowsIn(t, out, table)), withoutStep(rowsIn(t, one, table)))
	}

	out = filepath.Join(dir, "other")
	run(first, "--state-out", held)
	other := later(first, 5000e9)
	run(other, "--state-in", held)
	if n := len(rowsIn(t, out, "connections")); n != 2 {
		t.Errorf("%d connections of a file and another one of its name, want 2", n)
	}
}

func withoutStep(rows []ndRow) (list []ndRow) {
	for _, r := range rows {
		list = append(list, without(r))
	}
	return list
}

// TestTablesSnapshot: each step of a run that waits for packets leaves a state: who is killed after it goes on from there
// with the next step, after a gap.
func TestTablesSnapshot(t *testing.T) {
	first := excerpt.Read(t, capturePath(t, "unsigned-lossy.pcap"))
	all := append(first, later(first, 1000e9)...)
	all = append(all, later(first, 2000e9)...)
	all = append(all, later(first, 3000e9)...)
	dir := t.TempDir()
	path, held := captureFile(t, "grows.pcap", all), filepath.Join(dir, "state")
	ended := make(chan bool)
	go func() {
		call(t, "tables", "--follow", "-a", "duration:0.7", "--out", filepath.Join(dir, "rows"), "--state-out", held, path)
		close(ended)
	}()
	var snapshot []byte
	for snapshot == nil {
		select {
		case <-ended:
			t.Fatal("no step left a state")
		case <-time.After(time.Millisecond):
			snapshot, _ = os.ReadFile(held)
		}
	}
	<-ended
	if end, _ := os.ReadFile(held); bytes.Equal(end, snapshot) {
		t.Error("the state of the end is that of the step")
	}
	if err := os.WriteFile(held, snapshot, 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "more")
	output(t, "tables", "--follow", "-a", "duration:0.2", "--out", out, "--state-in", held, path)
	for _, r := range rowsIn(t, out, "connections") {
		if integer(r["step"]) == 0 {
			t.Errorf("a row of step 0, which was written before")
		}
	}
	if len(rowsIn(t, out, "connections")) == 0 {
		t.Error("no rows")
	}
}
