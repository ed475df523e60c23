package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestCSVReadsBack: what -E separator=, prints is CSV to a strict reader, and says what
// the records say.
func TestCSVReadsBack(t *testing.T) {
	for i, path := range captures(t) {
		if i%8 != 0 {
			continue
		}
		name := filepath.Base(path)
		text := output(t, "decode", "-T", "fields", "-E", "separator=,", "-E", "header=y", "-e", "frame.number", "-e", "summary", "-e", "acks",
			"-e", "analysis", "-e", "note.message", "-e", "error", "-e", "udp.payload", "-r", path)
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		records := strings.Split(strings.TrimSpace(output(t, "decode", "--format", "ndjson", path)), "\n")
		if len(rows) != len(records)+1 || rows[0][4] != "note.message" {
			t.Fatalf("%s: %d rows of %d records, headed %q", name, len(rows), len(records), rows[0])
		}
		for i, line := range records {
			var r struct {
				Frame    int
				Acks     []int
				Analysis []string
			}
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			want := []string{fmt.Sprint(r.Frame), strings.ReplaceAll(strings.Trim(fmt.Sprint(r.Acks), "[]"), " ", ","), strings.Join(r.Analysis, ",")}
			if row := rows[i+1]; row[0] != want[0] || row[2] != want[1] || row[3] != want[2] {
				t.Fatalf("%s: row %q of record %s", name, row, line)
			}
		}
	}
}
