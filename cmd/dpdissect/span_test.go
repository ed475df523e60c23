package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"testing"
)

// analysisOf is what analyze says of a capture, without the inputs and the round trips that
// spans leave out.
func analysisOf(t *testing.T, args ...string) map[string]any {
	t.Helper()
	out, _, _ := call(t, append([]string{"analyze", "--format", "json"}, args...)...)
	var doc map[string]any
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	delete(doc, "captures")
	for _, d := range directionsIn(doc) {
		delete(d, "ping_rtt")
		delete(d, "paired_rtt")
	}
	return doc
}

// directionsIn are the directions of an analysis, by "connection direction".
func directionsIn(doc map[string]any) map[string]map[string]any {
	all := map[string]map[string]any{}
	for _, c := range doc["connections"].([]any) {
		c := c.(map[string]any)
		for side, d := range c["directions"].(map[string]any) {
			all[fmt.Sprint(c["id"], side)] = d.(map[string]any)
		}
	}
	return all
}

// added are the numbers of both, which are not negative.
func added(a, b map[string]any) map[string]any {
	sum := map[string]any{}
	maps.Copy(sum, a)
	for k, v := range b {
		if n, ok := v.(float64); ok {
			m, _ := sum[k].(float64)
			sum[k] = m + n
		}
	}
	return sum
}

// TestSpanOfAll checks that a span with all of a capture in it changes nothing.
func TestSpanOfAll(t *testing.T) {
	t.Parallel()
	for _, path := range captures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			want, got := analysisOf(t, path), analysisOf(t, "--from", "0", path)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("have %v\nwant %v", got, want)
			}
		})
	}
}

// spanSums are the numbers of a direction that are the sums of those of its spans.
var spanSums = []string{"frames", "bytes", "data_frames", "acks", "retries", "duplicates", "out_of_order", "gaps", "messages", "message_bytes", "incomplete_messages", "keepalives"}

// TestSpansAdd checks that what is counted before a moment and from it on are the numbers of
// the whole, of connections and of the capture, for any number of workers.
func TestSpansAdd(t *testing.T) {
	t.Parallel()
	for _, path := range captures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			half := fmt.Sprintf("%.3f", halfOf(t, path))
			all := analysisOf(t, path)
			before, after := analysisOf(t, "--to", half, path), analysisOf(t, "--from", half, "--workers", "3", path)
			if sum := added(before["totals"].(map[string]any), after["totals"].(map[string]any)); !reflect.DeepEqual(sum, all["totals"]) {
				t.Errorf("totals: %v, want %v", sum, all["totals"])
			}
			x, y := directionsIn(before), directionsIn(after)
			for name, d := range directionsIn(all) {
				sum := added(x[name], y[name])
				for _, key := range spanSums {
					if n, _ := sum[key].(float64); n != d[key].(float64) {
						t.Errorf("%s %s: %v, want %v", name, key, sum[key], d[key])
					}
				}
				checkLostAdds(t, name, x[name], y[name], d)
			}
			if n := len(before["findings"].([]any)) + len(after["findings"].([]any)); n != len(all["findings"].([]any)) {
				t.Errorf("%d findings, want %d", n, len(all["findings"].([]any)))
			}
		})
	}
}

// checkLostAdds checks that the losses of two spans are those of the whole.
func checkLostAdds(t *testing.T, name string, x, y, all map[string]any) {
	t.Helper()
	lost := func(d map[string]any, key string) float64 {
		l, _ := d["lost"].(map[string]any)
		n, _ := l[key].(float64)
		return n
	}
	for _, key := range []string{"before_capture", "after_capture", "not_captured"} {
		if sum := lost(x, key) + lost(y, key); sum != lost(all, key) {
			t.Errorf("%s lost.%s: %v, want %v", name, key, sum, lost(all, key))
		}
	}
}

// TestSpanOfTooManyLosses leaves out losses where more numbers may be lost than can be
// placed in time, and counts all else.
func TestSpanOfTooManyLosses(t *testing.T) {
	path := filepath.Join(root(t), "testdata", "pcaps", "dp8", "full-signed-lossy.pcap")
	defer func(n int) { lossesPlaced = n }(lossesPlaced)
	lossesPlaced = 1
	all, got := directionsIn(analysisOf(t, path))["0a"], directionsIn(analysisOf(t, "--from", "0", path))["0a"]
	if lost := got["lost"].(map[string]any); len(lost) != 0 || len(all["lost"].(map[string]any)) == 0 {
		t.Errorf("losses %v, of all %v", lost, all["lost"])
	}
	if got["retries"] != all["retries"] || got["frames"] != all["frames"] {
		t.Errorf("have %v\nwant %v", got, all)
	}
}

// halfOf is half of the length of a capture in seconds.
func halfOf(t *testing.T, path string) float64 {
	t.Helper()
	all := packets(t, path)
	return float64(all[len(all)-1].Time-all[0].Time) / 2e9
}
