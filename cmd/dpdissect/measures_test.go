package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/session/seq"
)

// TestOneStore: the analysis, intervals, CSV, a page's plots and budgets say the same of how
// long acknowledgements take. In one interval that holds all of a capture they say all of it.
func TestOneStore(t *testing.T) {
	for _, name := range []string{"dp8/unsigned-lossy.pcap", "dp4/windows-lossy.pcap", "knet/lossy-reference.pcap", "hazel/lossy-current.pcap"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("..", "..", "testdata", "pcaps", filepath.FromSlash(name))
			want := directionsOf(t, printed(t, "analyze", "--format", "json", path))
			for _, r := range records(t, output(t, "timeline", "--format", "ndjson", "--interval", "1000h", path)) {
				v := r.(map[string]any)
				key := fmt.Sprint(v["connection"], v["direction"])
				for _, m := range seq.Measures {
					if got, want := fmt.Sprint(v[m.Key]), fmt.Sprint(want[key][m.Key]); got != want {
						t.Errorf("%s, %s: %s in an interval, %s in the analysis", key, m.Key, got, want)
					}
				}
			}
			rows, err := csv.NewReader(strings.NewReader(output(t, "analyze", "--format", "csv", path))).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			column := map[string]int{}
			for i, name := range rows[0] {
				column[name] = i
			}
			longest, waited := 0.0, false
			for _, row := range rows[1:] {
				wait, _ := want[row[0]+row[1]]["ack_wait"].(map[string]any)
				got := row[column["ack_wait_max_ms"]]
				if wait == nil {
					continue
				}
				waited = true
				longest = max(longest, number(wait["max_ms"]))
				if text := fmt.Sprint(wait["max_ms"]); got != text {
					t.Errorf("%s%s: %s in CSV, %s in the analysis", row[0], row[1], got, text)
				}
			}
			if !waited {
				t.Fatal("nothing waited")
			}
			file := filepath.Join(t.TempDir(), "page.html")
			output(t, "report", "-q", "-o", file, path)
			page, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			drawn := 0.0
			for _, list := range regexp.MustCompile(`"ack_wait_max_ms":(\[[^\]]*\])`).FindAllStringSubmatch(string(page), -1) {
				var values []*float64
				if err := json.Unmarshal([]byte(list[1]), &values); err != nil {
					t.Fatal(err)
				}
				for _, v := range values {
					if v != nil {
						drawn = max(drawn, *v)
					}
				}
			}
			if off := drawn - longest; off > 0.001 || off < -0.001 {
				t.Errorf("the page draws waits of up to %v ms, the analysis has %v", drawn, longest)
			}
		})
	}
}
