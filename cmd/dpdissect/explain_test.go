package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestExplainAgrees checks of every capture that what explain says is what its schema
// promises, for any number of workers, and that analyze gives the same verdicts.
func TestExplainAgrees(t *testing.T) {
	t.Parallel()
	doc := schema(t, "explain")
	for _, path := range captures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			out := printed(t, "explain", "--format", "json", path)
			if more := output(t, "explain", "--format", "json", "--workers", "3", path); more != out {
				t.Error("differs with workers")
			}
			for _, v := range records(t, out) {
				if err := doc.Validate(v); err != nil {
					t.Error(err)
				}
			}
			told, ends := verdictsIn(t, out, "verdict"), verdictsIn(t, printed(t, "analyze", "--format", "json", path), "end")
			if !reflect.DeepEqual(told, ends) {
				t.Errorf("explain: %v\nanalyze: %v", told, ends)
			}
		})
	}
}

// verdictsIn are those of the connections of a document, by their numbers.
func verdictsIn(t *testing.T, out, key string) map[float64]any {
	t.Helper()
	var doc struct{ Connections []map[string]any }
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	all := map[float64]any{}
	for _, c := range doc.Connections {
		all[c["id"].(float64)] = c[key]
	}
	return all
}

// A ranked is what connections are sorted by, from the JSON of analyze.
type ranked struct {
	ID         int
	DurationMS float64 `json:"duration_ms"`
	Directions map[string]struct {
		Retries       float64
		Transmissions float64 `json:"sendings"`
		Lost          struct{ Before, After float64 }
		RTT           struct {
			P50 float64 `json:"p50_ms"`
		}
	}
}

// key is what --sort NAME sorts a connection by, the largest first.
func (r *ranked) key(name string) float64 {
	var retries, transmissions, ping float64
	for _, d := range r.Directions {
		retries, transmissions, ping = retries+d.Retries, transmissions+d.Transmissions, ping+d.RTT.P50
	}
	switch name {
	case "retries":
		return retries / max(transmissions, 1)
	case "ping":
		return ping
	case "duration":
		return r.DurationMS
	}
	return -float64(r.ID)
}

// tableRow begins a row of connections: the protocol is left out where all have the same.
var tableRow = regexp.MustCompile(`(?m)^ *(\d+)  (?:(?:dp4|dp8|knet|hazel) |\d+\.\d+\.|\[)`)

// TestOrders checks that --sort sorts the table of connections by what JSON says of them.
func TestOrders(t *testing.T) {
	seen := 0
	for _, path := range captures(t) {
		var doc struct{ Connections []ranked }
		if err := json.Unmarshal([]byte(printed(t, "analyze", "--format", "json", path)), &doc); err != nil {
			t.Fatal(err)
		}
		if len(doc.Connections) < 2 {
			continue
		}
		seen++
		byID := map[int]*ranked{}
		for i := range doc.Connections {
			byID[doc.Connections[i].ID] = &doc.Connections[i]
		}
		for _, order := range []string{"start", "retries", "ping", "duration"} {
			rows := tableRow.FindAllStringSubmatch(output(t, "analyze", "-q", "--sort", order, path), -1)
			if len(rows) != len(byID) {
				t.Errorf("%s: %d rows, want %d", filepath.Base(path), len(rows), len(byID))
			}
			for i := 1; i < len(rows); i++ {
				x, y := byID[rowID(rows[i-1][1])], byID[rowID(rows[i][1])]
				if x.key(order) < y.key(order) {
					t.Errorf("%s --sort %s: #%d with %v stands before #%d with %v", filepath.Base(path), order, x.ID, x.key(order), y.ID, y.key(order))
				}
			}
		}
	}
	if seen < 3 {
		t.Errorf("%d captures with several connections", seen)
	}
}

func rowID(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// TestTop checks that --top N tells of so many problems, the worst first, and counts the rest.
func TestTop(t *testing.T) {
	var paths []string
	for _, name := range []string{"kicked", "cable-cut", "no-server-icmp", "secrets-differ"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "testdata", "pcaps", "ends", name+"*.pcap"))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	all := problemsIn(output(t, append([]string{"analyze"}, paths...)...))
	if len(all) < 3 {
		t.Fatalf("%d problems: %q", len(all), all)
	}
	for n := 1; n < len(all); n++ {
		got := problemsIn(output(t, append([]string{"analyze", "--top", fmt.Sprint(n)}, paths...)...))
		if !reflect.DeepEqual(got, all[:n]) {
			t.Errorf("--top %d: %q, want %q", n, got, all[:n])
		}
	}
}

var problemRow = regexp.MustCompile(`^ *\d+  \S+ `)

// problemsIn are the lines of "Problems, worst first".
func problemsIn(text string) (rows []string) {
	_, text, _ = strings.Cut(text, "Problems, worst first")
	for _, line := range strings.Split(text, "\n")[1:] {
		switch {
		case problemRow.MatchString(line):
			rows = append(rows, strings.Join(strings.Fields(line), " "))
		case line == "":
			return rows
		}
	}
	return rows
}
