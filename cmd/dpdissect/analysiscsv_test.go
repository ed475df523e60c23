package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/report"
)

// TestAnalysisCSV reads the CSV of every capture back and compares each value with the
// JSON: nothing is missing, nothing more.
func TestAnalysisCSV(t *testing.T) {
	for _, path := range captures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			rows, err := csv.NewReader(strings.NewReader(output(t, "analyze", "--format", "csv", path))).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			var doc struct {
				Connections []map[string]any `json:"connections"`
			}
			d := json.NewDecoder(strings.NewReader(printed(t, "analyze", "--format", "json", path)))
			d.UseNumber()
			if err := d.Decode(&doc); err != nil {
				t.Fatal(err)
			}
			if len(rows) != 1+2*len(doc.Connections) {
				t.Fatalf("%d lines for %d connections", len(rows), len(doc.Connections))
			}
			for i, row := range rows[1:] {
				compareRow(t, rows[0], row, doc.Connections[i/2], "ab"[i%2:i%2+1])
			}
		})
	}
}

// unquoted are the names that SQL takes unquoted.
var unquoted = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// compareRow compares a line of CSV with the connection in JSON.
func compareRow(t *testing.T, head, row []string, conn map[string]any, side string) {
	t.Helper()
	all, want := map[string]string{}, map[string]string{"direction": side}
	paths(all, "", conn)
	for k, v := range all {
		rest, ok := strings.CutPrefix(k, "directions.")
		if !ok {
			want[k] = v
			continue
		}
		if rest, ok = strings.CutPrefix(rest, side+"."); ok {
			if rest == "dialect" {
				rest = "directions.dialect"
			}
			want[rest] = v
		}
	}
	if columns := report.ColumnNames(report.AnalysisColumns); !slices.Equal(head, columns) || head[0] != "connection" {
		t.Fatalf("columns %q", head)
	}
	for i, name := range report.AnalysisColumns {
		if !unquoted.MatchString(head[i]) {
			t.Errorf("SQL does not take %s unquoted", head[i])
		}
		if got, text := row[i], string(render.AppendEscaped(nil, want[name])); got != text {
			t.Errorf("%s is %q, JSON says %q", name, got, text)
		}
		delete(want, name)
	}
	for k, v := range want {
		t.Errorf("no column has %s, which is %q", k, v)
	}
}

// paths enters the values of a JSON value by their paths.
func paths(into map[string]string, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			paths(into, strings.TrimPrefix(at+"."+k, "."), e)
		}
	case []any:
		var texts []string
		gap := " "
		for _, e := range v {
			texts = append(texts, fmt.Sprint(e))
		}
		if slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, " ") }) {
			gap = "; "
		}
		into[at] = strings.Join(texts, gap)
	default:
		into[at] = fmt.Sprint(v)
	}
}
