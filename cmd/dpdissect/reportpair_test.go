package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/testbed/chromium"
)

// TestReportOfPair: the page holds the analysis of the first capture byte for byte, and of both captures what compare says:
// its document, but for what lies in intervals (pictures.md 3, two-points.md 5).
func TestReportOfPair(t *testing.T) {
	for name, make := range comparePairs {
		first, second := make(t)
		html := reportOf(t, "--point", "player="+first, "--point", "server="+second)
		if embedded(t, html, "analysis") != output(t, "analyze", "--format", "json", first) {
			t.Errorf("%s: the analysis is not that of the first capture", name)
		}
		var in, alone map[string]any
		for doc, v := range map[string]*map[string]any{embedded(t, html, "compare"): &in, output(t, "compare", "--format", "json", "--point", "player="+first, "--point", "server="+second): &alone} {
			if err := json.Unmarshal([]byte(doc), v); err != nil {
				t.Fatal(err)
			}
		}
		intervals := 0
		for _, c := range in["connections"].([]any) {
			for _, d := range c.(map[string]any)["directions"].(map[string]any) {
				if list, ok := d.(map[string]any)["intervals"].([]any); ok {
					intervals += len(list)
				}
				delete(d.(map[string]any), "intervals")
			}
		}
		if x, y := jsonOf(in), jsonOf(alone); string(x) != string(y) {
			t.Errorf("%s: the document is\n%s\nand that of compare\n%s", name, x, y)
		}
		if intervals == 0 {
			t.Errorf("%s: nothing over time", name)
		}
		if err := schema(t, "compare").Validate(records(t, embedded(t, html, "compare"))[0]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReportOfPairRefuses: what a page of two captures cannot be is said.
func TestReportOfPairRefuses(t *testing.T) {
	first, second := comparePairs["outage"](t)
	for _, args := range [][]string{{"--redact", first, second}, {"--connection", "9", first, second}, {"--point", "a=" + first}} {
		if _, errs, code := call(t, append([]string{"report"}, args...)...); code != exit.Usage || errs == "" {
			t.Errorf("%q: exit code %d, %q", args, code, errs)
		}
	}
	if html := reportOf(t, "--connection", "0", second, first); !strings.Contains(html, `id="pair"`) {
		t.Error("of a connection there is nothing of both captures")
	}
	if html := reportOf(t, "--same-session", "merge", second, first); strings.Contains(html, `id="pair"`) {
		t.Error("merged captures are compared")
	}
}

// TestReportPairInBrowser: the page draws what the document says: a row a connection, the times of both directions, each
// loss of a moment as a broken arrow, nothing wider than the window, in light and dark.
func TestReportPairInBrowser(t *testing.T) {
	b := chromium.Start(t)
	first, second := comparePairs["outage"](t)
	_, doc := compared(t, first, second)
	p := shown(t, b, reportOf(t, first, second))
	lost := ask[[]int](t, p, `[...document.querySelectorAll("[data-both]")].map((e) => +e.dataset.lost)`)
	if len(lost) != len(doc.Connections) {
		t.Fatalf("%d rows of %d connections", len(lost), len(doc.Connections))
	}
	for i, c := range doc.Connections {
		if want := c.Directions["a"].Fates["lost_between"] + c.Directions["b"].Fates["lost_between"]; lost[i] != want {
			t.Errorf("#%d: %d lost, want %d", c.ID, lost[i], want)
		}
	}
	if n := ask[int](t, p, `[...document.querySelectorAll('[data-chart="way"][data-connection="0"]')].filter((e) => e.querySelector("canvas") && +e.dataset.points > 20).length`); n != 2 {
		t.Errorf("one way times of %d directions are drawn", n)
	}
	type moment struct{ Arrows, Lost, Crosses, Errors int }
	moments := ask[[]moment](t, p, `[...document.querySelectorAll("[data-moment]")].map((e) => ({ arrows: e.querySelectorAll("[data-fate]").length, lost: e.querySelectorAll('[data-fate="lost_between"]').length, crosses: e.querySelectorAll(".cross").length, errors: e.querySelectorAll("parsererror").length }))`)
	if len(moments) == 0 || moments[0].Lost == 0 {
		t.Errorf("moments: %+v", moments)
	}
	for _, m := range moments {
		if m.Arrows == 0 || m.Lost != m.Crosses || m.Errors > 0 {
			t.Errorf("moment %+v", m)
		}
	}
	for _, width := range []int{360, 1280, 2560} {
		resize(p, width, 900)
		ask[int](t, p, openAll)
		if all := ask[[]string](t, p, wider); len(all) > 0 {
			t.Errorf("at %d pixels: too wide are %q", width, all)
		}
		if n := ask[int](t, p, `document.documentElement.scrollWidth - innerWidth`); n > 0 {
			t.Errorf("at %d pixels: the page is %d wider", width, n)
		}
	}
	light := ask[string](t, p, `getComputedStyle(document.querySelector("svg.pair .life")).stroke`)
	scheme(p, "dark")
	if dark := ask[string](t, p, `getComputedStyle(document.querySelector("svg.pair .life")).stroke`); dark == light {
		t.Error("moments are the same in the dark")
	}
	quiet(t, p)
}
