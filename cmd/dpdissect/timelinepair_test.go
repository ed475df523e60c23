package main

import (
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

// TestTimelineOfPair: of two captures each counter summed over a direction's intervals is that of compare, records are as the
// schema says, and csv has the same by JSON path (pictures.md 1, two-points.md 5).
func TestTimelineOfPair(t *testing.T) {
	one := schema(t, "interval")
	for name, make := range comparePairs {
		first, second := make(t)
		args := []string{"timeline", "--point", "a=" + first, "--point", "b=" + second, "--interval", "250ms", "--format"}
		_, doc := compared(t, "--point", "a="+first, "--point", "b="+second)
		type sums struct{ sent, delivered, lost, reordered, samples int }
		got, fromCSV := map[string]sums{}, map[string]sums{}
		for _, v := range records(t, output(t, append(args, "ndjson")...)) {
			if err := one.Validate(v); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var r struct {
				Connection      int
				Direction       string
				Sent, Delivered int
				Lost            int `json:"lost_between"`
				Reordered       int
				OneWay          struct{ Samples int } `json:"one_way_ms"`
			}
			if err := json.Unmarshal(jsonOf(v), &r); err != nil {
				t.Fatal(err)
			}
			k := strconv.Itoa(r.Connection) + r.Direction
			s := got[k]
			got[k] = sums{s.sent + r.Sent, s.delivered + r.Delivered, s.lost + r.Lost, s.reordered + r.Reordered, s.samples + r.OneWay.Samples}
		}
		rows, err := csv.NewReader(strings.NewReader(output(t, append(args, "csv")...))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			number := func(column string) int {
				for i, name := range rows[0] {
					if name == column {
						n, _ := strconv.Atoi(row[i])
						return n
					}
				}
				t.Fatalf("no column %s in %q", column, rows[0])
				return 0
			}
			k := row[0] + row[1]
			s := fromCSV[k]
			fromCSV[k] = sums{s.sent + number("sent"), s.delivered + number("delivered"), s.lost + number("lost_between"), s.reordered + number("reordered"), s.samples + number("one_way_ms_samples")}
		}
		for _, c := range doc.Connections {
			for side, d := range c.Directions {
				want := sums{delivered: d.Fates["delivered"], lost: d.Fates["lost_between"], reordered: d.Reordered}
				for _, n := range d.Fates {
					want.sent += n
				}
				if d.OneWay != nil {
					want.samples = d.OneWay.Samples
				}
				if k := strconv.Itoa(c.ID) + side; got[k] != want || fromCSV[k] != want {
					t.Errorf("%s #%s: %+v, as csv %+v, want %+v", name, k, got[k], fromCSV[k], want)
				}
			}
		}
		if text := output(t, append(args, "text")...); name == "outage" && !strings.Contains(text, "lost between") || !strings.Contains(text, "one way max") {
			t.Errorf("%s:\n%s", name, text)
		}
		output(t, append(args, "json")...)
	}
	first, second := comparePairs["outage"](t)
	plots := output(t, "timeline", "--plot", first, second)
	for _, want := range []string{"a sent: sum ", "a lost between: sum ", "a one way max: longest of each column, most ", "b queue max: "} {
		if !strings.Contains(plots, want) {
			t.Errorf("--plot lacks %q:\n%s", want, plots)
		}
	}
}
