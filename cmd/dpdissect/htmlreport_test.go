package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/exit"
)

// reportOf writes the report of a capture and reads it.
func reportOf(t testing.TB, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	output(t, append([]string{"report", "-o", file}, args...)...)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// embedded is the document of a report with an id, as it stands there.
func embedded(t *testing.T, html, id string) string {
	t.Helper()
	m := regexp.MustCompile(`(?s)<script type="application/json" id="`+id+`">(.*?)</script>`).FindAllStringSubmatch(html, -1)
	if len(m) != 1 {
		t.Fatalf("%d documents %q", len(m), id)
	}
	return m[0][1]
}

// inElement writes a document as it stands in an element: nothing in it can end that.
var inElement = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`)

// drawings are the pictures of a report.
type drawings struct {
	Connections []struct {
		ID         int `json:"id"`
		Directions map[string]struct {
			T      []float64  `json:"t"`
			Sent   []*float64 `json:"sent_max"`
			Bytes  []*float64 `json:"bytes"`
			Marks  [][]any    `json:"marks"`
			Losses [][]any    `json:"losses"`
		} `json:"directions"`
	} `json:"connections"`
}

// drawingsOf reads the pictures of a report.
func drawingsOf(t *testing.T, html string) (d drawings) {
	t.Helper()
	if err := json.Unmarshal([]byte(embedded(t, html, "pictures")), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// counted are the retries and the proven losses that pictures draw of each direction, by
// "connection direction".
func (d drawings) counted() map[string][2]float64 {
	all := map[string][2]float64{}
	for _, c := range d.Connections {
		for side, x := range c.Directions {
			var n [2]float64
			for _, m := range x.Marks {
				if m[4] != "closing" {
					n[0] += m[3].(float64)
				}
			}
			for _, l := range x.Losses {
				if l[3] != "not-captured" {
					n[1]++
				}
			}
			all[fmt.Sprint(c.ID, side)] = n
		}
	}
	return all
}

// countedBy are the same numbers of an analysis.
func countedBy(t *testing.T, doc string) map[string][2]float64 {
	t.Helper()
	all := map[string][2]float64{}
	for key, d := range directionsOf(t, doc) {
		lost, _ := d["lost"].(map[string]any)
		before, _ := lost["before_capture"].(float64)
		after, _ := lost["after_capture"].(float64)
		all[key] = [2]float64{d["retries"].(float64), before + after}
	}
	return all
}

// TestReportNumbers checks of every capture that the report holds the documents of analyze
// and explain byte for byte, that its pictures draw as many retries and losses as these
// count and all bytes, and of one in four that it is the same for any number of workers.
func TestReportNumbers(t *testing.T) {
	t.Parallel()
	for turn, path := range captures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			html := reportOf(t, path)
			if hasTurn(turn, 4) && reportOf(t, "--workers", "3", path) != html {
				t.Error("differs with workers")
			}
			analysis := printed(t, "analyze", "--format", "json", path)
			if got, want := embedded(t, html, "analysis"), inElement.Replace(analysis); got != want {
				t.Errorf("the analysis differs at line %s", difference(got, want))
			}
			if got, want := embedded(t, html, "explain"), inElement.Replace(output(t, "explain", "--format", "json", path)); got != want {
				t.Errorf("what explain says differs at line %s", difference(got, want))
			}
			drawn, want := drawingsOf(t, html), countedBy(t, analysis)
			for key, n := range drawn.counted() {
				if w, ok := want[key]; ok && n != w {
					t.Errorf("%s: %v retries and losses are drawn, the analysis has %v", key, n, w)
				}
			}
			checkBytes(t, drawn, directionsOf(t, analysis))
		})
	}
}

// checkBytes checks that the rates of pictures add up to all bytes.
func checkBytes(t *testing.T, drawn drawings, want map[string]map[string]any) {
	t.Helper()
	for _, c := range drawn.Connections {
		for side, x := range c.Directions {
			sum := 0.0
			for _, b := range x.Bytes {
				if b != nil {
					sum += *b
				}
			}
			if w := want[fmt.Sprint(c.ID, side)]; w != nil && sum != w["bytes"] {
				t.Errorf("%d %s: %v bytes are drawn, the analysis has %v", c.ID, side, sum, w["bytes"])
			}
		}
	}
}

// TestLargePage tells of a page that browsers open slowly, unless it is to be quiet.
func TestLargePage(t *testing.T) {
	defer func(n int64) { largePage = n }(largePage)
	path, out := filepath.Join(root(t), "testdata", "pcaps", "ends", "outage.pcap"), filepath.Join(t.TempDir(), "page.html")
	whole := int64(len(reportOf(t, path))) // plots, frames one by one and the page's own code are part of it
	for _, x := range []struct {
		large int64
		args  []string
		want  string
	}{
		{largePage, nil, ""},
		{1000, nil, "dpdissect: note: the page has more than 0 MB, which browsers open slowly: --connection and -Y choose connections\n"},
		{1000, []string{"-q"}, ""},
		{whole - 1, nil, "dpdissect: note: the page has more than 0 MB, which browsers open slowly: --connection and -Y choose connections\n"},
		{whole, nil, ""},
	} {
		largePage = x.large
		if _, errs, code := call(t, append([]string{"report", "-o", out, path}, x.args...)...); errs != x.want || code != exit.OK {
			t.Errorf("%v: exit code %d, %q, want %q", x, code, errs, x.want)
		}
	}
}
