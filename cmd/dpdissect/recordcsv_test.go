package main

import (
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/render"
)

// TestRecordsCSV reads the CSV of decode and messages back and compares each cell with the
// record: nothing is missing, nothing more.
func TestRecordsCSV(t *testing.T) {
	for i, path := range captures(t) {
		if i%9 != 0 {
			continue
		}
		for _, command := range [][]string{{"decode"}, {"messages", "--payload", "--incomplete"}} {
			args := append(command, path, "--format")
			rows, err := csv.NewReader(strings.NewReader(output(t, append(args, "csv")...))).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			all := records(t, output(t, append(args, "ndjson")...))
			name := command[0] + " " + filepath.Base(path)
			if len(rows) != len(all)+1 || rows[0][0] != "connection" {
				t.Fatalf("%s: %d lines of %d records, headed %q", name, len(rows), len(all), rows[0])
			}
			for i, record := range all {
				compareRecord(t, name, rows[0], rows[i+1], record.(map[string]any))
			}
		}
	}
}

// compareRecord compares a line with its record.
func compareRecord(t *testing.T, name string, head, row []string, record map[string]any) {
	t.Helper()
	left := len(record) - 1 // the schema
	for i, column := range head {
		column := strings.TrimSuffix(column, "_") // of a word of SQL
		key, part, nested := strings.Cut(column, "_")
		v, ok := record[column]
		if inner, is := record[key].(map[string]any); !ok && nested && is {
			if v, ok = inner[part]; ok && part == "field" {
				left--
			}
		} else if ok {
			left--
		}
		if !unquoted.MatchString(column) || ok != (row[i] != "") && v != "" && !isEmpty(v) {
			t.Fatalf("%s: column %s is %q, the record has %v", name, column, row[i], v)
		}
		switch v := v.(type) {
		case string:
			if text := string(render.Disarm(render.AppendEscaped(nil, v), 0)); row[i] != text {
				t.Fatalf("%s: column %s is %q, the record has %q", name, column, row[i], text)
			}
		case json.Number:
			if row[i] != v.String() {
				t.Fatalf("%s: column %s is %q, the record has %v", name, column, row[i], v)
			}
		}
	}
	if left != 0 {
		t.Fatalf("%s: %d keys have no column: %v", name, left, record)
	}
}

// isEmpty reports a list or an object without anything.
func isEmpty(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) == 0
}
