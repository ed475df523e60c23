package main

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"testing"
)

// judged is what check counts of the rules of a capture.
func judged(t *testing.T, args ...string) map[string][4]float64 {
	t.Helper()
	out, _, _ := call(t, append([]string{"check", "--format", "json"}, args...)...)
	var doc struct {
		Rules []struct {
			Rule                                    string
			Opportunities, Pass, Fail, Inconclusive float64
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	all := map[string][4]float64{}
	for _, r := range doc.Rules {
		all[r.Rule] = [4]float64{r.Opportunities, r.Pass, r.Fail, r.Inconclusive}
	}
	return all
}

// TestRulesOfChosen checks that check counts the rules of all connections together as
// those of the capture, and of one connection and of the others as parts of them.
func TestRulesOfChosen(t *testing.T) {
	t.Parallel()
	for _, path := range captures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			all := judged(t, path)
			if got := judged(t, "--workers", "3", "-Y", "connection", path); !reflect.DeepEqual(got, all) {
				t.Errorf("-Y connection: %v\nwant %v", got, all)
			}
			if len(all) == 0 {
				return
			}
			sum := judged(t, "-Y", "connection > 0", path)
			for rule, n := range judged(t, "--connection", "0", path) {
				for i := range n {
					n[i] += sum[rule][i]
				}
				sum[rule] = n
			}
			if !reflect.DeepEqual(sum, all) {
				t.Errorf("--connection 0 and the others: %v\nwant %v", sum, all)
			}
		})
	}
}
