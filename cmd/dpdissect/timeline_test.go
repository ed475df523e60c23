package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/session/seq"
)

// directionsOf reads the directions of an analysis, by "connection direction".
func directionsOf(t *testing.T, doc string) map[string]map[string]any {
	t.Helper()
	var a struct {
		Connections []struct {
			ID         int                       `json:"id"`
			FirstTime  string                    `json:"first_time"`
			Directions map[string]map[string]any `json:"directions"`
		} `json:"connections"`
	}
	if err := json.Unmarshal([]byte(doc), &a); err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]any{}
	for _, c := range a.Connections {
		for side, d := range c.Directions {
			if c.FirstTime != "" {
				all[fmt.Sprint(c.ID, side)] = d
			}
		}
	}
	return all
}

// TestTimelineSums checks of every capture that the intervals of a direction sum up to its
// numbers in the analysis, in order, without an empty one, and for any number of workers.
func TestTimelineSums(t *testing.T) {
	t.Parallel()
	record := schema(t, "interval")
	for i, path := range captures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			length := []string{"1", "100ms", "0.037"}[i%3]
			args := []string{"timeline", "--format", "ndjson", "--interval", length, path}
			out := output(t, args...)
			if more := output(t, append(args, "--workers", "3")...); more != out {
				t.Error("differs with workers")
			}
			want := directionsOf(t, printed(t, "analyze", "--format", "json", path))
			sums, last := map[string]map[string]float64{}, map[string]string{}
			for _, r := range records(t, out) {
				if err := record.Validate(r); err != nil {
					t.Fatal(err)
				}
				v := r.(map[string]any)
				key := fmt.Sprint(v["connection"], v["direction"])
				addInterval(t, sums, key, v)
				if from := v["from"].(string); from <= last[key] {
					t.Errorf("%s: interval from %s comes behind %s", key, from, last[key])
				} else {
					last[key] = from
				}
			}
			for key, d := range want {
				compareSums(t, key, sums[key], d)
			}
		})
	}
}

// number reads a number of a record.
func number(v any) float64 {
	switch n := v.(type) {
	case json.Number:
		f, _ := n.Float64()
		return f
	case float64:
		return n
	}
	return 0
}

// addInterval adds a record to the sums of its direction.
func addInterval(t *testing.T, sums map[string]map[string]float64, key string, v map[string]any) {
	t.Helper()
	s := sums[key]
	if s == nil {
		s = map[string]float64{}
		sums[key] = s
	}
	some := false
	for _, i := range measure.InInterval {
		name := measure.Table[i].Key
		s[name] += number(v[name])
		some = some || number(v[name]) > 0
	}
	for _, m := range seq.Measures {
		times, ok := v[m.Key].(map[string]any)
		if !ok {
			continue
		}
		some = true
		if least := number(times["min_ms"]); s[m.Key+".samples"] == 0 || least < s[m.Key+".min_ms"] {
			s[m.Key+".min_ms"] = least
		}
		s[m.Key+".samples"] += number(times["samples"])
		s[m.Key+".max_ms"] = max(s[m.Key+".max_ms"], number(times["max_ms"]))
	}
	if !some {
		t.Errorf("%s: nothing happened from %v", key, v["from"])
	}
}

func compareSums(t *testing.T, key string, got map[string]float64, want map[string]any) {
	t.Helper()
	for _, i := range measure.InInterval {
		name := measure.Table[i].Key
		if got[name] != number(want[name]) {
			t.Errorf("%s: %s sums up to %v, the analysis says %v", key, name, got[name], want[name])
		}
	}
	for _, m := range seq.Measures {
		times, _ := want[m.Key].(map[string]any)
		for _, name := range []string{"samples", "min_ms", "max_ms"} {
			if got := got[m.Key+"."+name]; got != number(times[name]) {
				t.Errorf("%s: %s.%s is %v over all intervals, the analysis says %v", key, m.Key, name, got, times[name])
			}
		}
	}
}
