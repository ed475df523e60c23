package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCSVIsSQL loads the CSV of all commands that write it into sqlite, which takes each name
// of a column unquoted.
func TestCSVIsSQL(t *testing.T) {
	sqlite, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("sqlite3 is not installed")
	}
	for _, command := range []string{"analyze", "timeline", "decode", "messages"} {
		text := output(t, command, "--format", "csv", capturePath(t, "full-signed-lossy.pcap"))
		file := filepath.Join(t.TempDir(), "table.csv")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(text, "\r\n")
		out, err := exec.Command(sqlite, ":memory:", "-cmd", ".import --csv "+file+" rows", "SELECT connection, "+head+" FROM rows LIMIT 1").CombinedOutput()
		if err != nil || len(out) == 0 {
			t.Errorf("%s: %v: %s", command, err, out)
		}
	}
}
