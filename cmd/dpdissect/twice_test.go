package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
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
