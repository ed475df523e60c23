package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/chromium"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// resize makes the window of a page so many pixels wide and high.
func resize(p *chromium.Page, width, height int) {
	p.Do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
}

// scheme makes a page dark or light.
func scheme(p *chromium.Page, name string) {
	p.Do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": name}}})
}

// openAll opens all that a page has closed, and shows the views of plots one after the other.
const openAll = `(async () => {
	const wait = () => new Promise((done) => setTimeout(done, 60));
	for (let i = 0; i < 3; i++) { document.querySelectorAll("details").forEach((e) => { e.open = true; }); await wait(); }
	for (const g of page.groups.values()) for (const id of [...g.buttons.keys()].reverse()) { page.chooseView(g, id, true); }
	document.querySelectorAll("button.run").forEach((e, i) => { if (i < 3) e.click(); });
	await wait();
	return document.querySelectorAll("details:not([open])").length;
})()`

// wider are the elements that are wider than the window, or that scroll sideways.
const wider = `[...document.querySelectorAll("body, body *")].filter((e) => e.getClientRects().length && !e.closest("svg, .u-wrap, .visually-hidden, label") &&
	(e.getBoundingClientRect().right > innerWidth + 1 || ["auto", "scroll"].includes(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth))
	.map((e) => e.tagName + "." + e.className + " " + Math.round(e.getBoundingClientRect().right)).slice(0, 5)`

// TestReportWidths checks that nothing of a report is wider than the window, whatever is open,
// and that no part of it scrolls sideways.
func TestReportWidths(t *testing.T) {
	b := chromium.Start(t)
	pcaps := filepath.Join(root(t), "testdata", "pcaps")
	for _, name := range []string{"dp8/full-signed-lossy.pcap", "hazel/kicked-hostile.pcap", "dp4/player-pairs.pcap"} {
		p := shown(t, b, reportOf(t, filepath.Join(pcaps, name)))
		for _, width := range []int{360, 800, 1280, 2560} {
			resize(p, width, 900)
			if n := ask[int](t, p, openAll); n != 0 {
				t.Fatalf("%s: %d parts stay closed", name, n)
			}
			if all := ask[[]string](t, p, wider); len(all) > 0 {
				t.Errorf("%s at %d pixels: too wide are %q", name, width, all)
			}
			if n := ask[int](t, p, `document.documentElement.scrollWidth - innerWidth`); n > 0 {
				t.Errorf("%s at %d pixels: the page is %d wider", name, width, n)
			}
		}
	}
}

// checkOverview checks the lanes of a report: each connection has one, in its time, without
// an overlap; what ended in order is not cut off; and each cause that explain names has a band.
func checkOverview(t *testing.T, p *chromium.Page, analysis string) {
	t.Helper()
	type piece struct{ Connection, Health, From, To string }
	pieces := ask[[]piece](t, p, `[...document.querySelectorAll("[data-lane]")].map((e) => ({ connection: e.dataset.connection, health: e.dataset.health, from: e.dataset.from, to: e.dataset.to }))`)
	var doc struct {
		Connections []struct {
			ID                           int
			First_time, Last_time, State string
		}
	}
	if err := json.Unmarshal([]byte(analysis), &doc); err != nil {
		t.Fatal(err)
	}
	step := ask[float64](t, p, `page.lanes.step_ms`)
	for _, c := range doc.Connections {
		if c.First_time == "" {
			continue
		}
		last := ""
		n := 0
		for _, x := range pieces {
			if x.Connection != fmt.Sprint(c.ID) {
				continue
			}
			if n++; x.From < last || x.To <= x.From || !slices.Contains([]string{"quiet", "waits", "losses", "cut-off"}, x.Health) {
				t.Errorf("connection %d: %+v after %s", c.ID, x, last)
			}
			if n == 1 && beyond(t, x.From, c.First_time, step) {
				t.Errorf("connection %d begins at %s, its lane at %s", c.ID, c.First_time, x.From)
			}
			last = x.To
		}
		if n == 0 || beyond(t, last, c.Last_time, step) {
			t.Errorf("connection %d ends at %s, its lane of %d pieces at %q", c.ID, c.Last_time, n, last)
		}
	}
	missing := ask[[]string](t, p, `page.explain.connections.filter((c) => page.groups.has(c.id)).flatMap((c) => (c.contributing || []).filter((x) => x.from && x.to).map((x) => [c.id, x.cause]))
		.filter(([id, cause]) => !page.groups.get(id).causes.some((b) => b.cause === cause)).map(String)`)
	if len(missing) > 0 {
		t.Errorf("causes without a band: %q", missing)
	}
	bands := ask[[2]int](t, p, `(() => { const open = [...page.groups.values()].filter((g) => g.bands.clientWidth); return [open.reduce((n, g) => n + g.causes.length, 0), open.reduce((n, g) => n + g.bands.querySelectorAll("[data-band][data-cause]").length, 0)]; })()`)
	if bands[0] != bands[1] {
		t.Errorf("%d bands are drawn of %d causes", bands[1], bands[0])
	}
}

// beyond reports whether two times are more than a column, in ms, apart.
func beyond(t *testing.T, x, y string, column float64) bool {
	t.Helper()
	a, err := time.Parse(time.RFC3339Nano, x)
	b, err2 := time.Parse(time.RFC3339Nano, y)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	return math.Abs(float64(a.Sub(b))) > (column+1)*1e6
}

// TestReportHealth looks at lanes whose truth is known: an outage of some seconds is losses
// while it lasts and quiet before, a side that died is cut off to the end, and what ended in
// order never is.
func TestReportHealth(t *testing.T) {
	b := chromium.Start(t)
	ends := filepath.Join(root(t), "testdata", "pcaps", "ends")
	const runs = `page.lanes.lanes.map((l) => l.runs).join(" ")`
	for name, want := range map[string]string{"outage.pcap": "q l q", "killed-process.pcap": "q c"} {
		p := shown(t, b, reportOf(t, filepath.Join(ends, name)))
		got := strings.Join(strings.FieldsFunc(strings.Fields(ask[string](t, p, runs))[0], func(r rune) bool { return r >= '0' && r <= '9' }), " ")
		if got != want {
			t.Errorf("%s: the lane is %q, want %q", name, got, want)
		}
	}
}

// TestReportAxis checks that all plots of a connection have the same margins and show the same
// time, that one crosshair has a read-out of both sides, and that a click on a lane turns to
// its moment.
func TestReportAxis(t *testing.T) {
	b := chromium.Start(t)
	p := shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "ends", "outage.pcap")))
	edges := ask[[]string](t, p, `[...new Set(page.drawn.map((u) => { const r = u.over.getBoundingClientRect(); return Math.round(r.left) + "–" + Math.round(r.right); }))]`)
	if n := ask[int](t, p, `page.drawn.length`); len(edges) != 1 || n < 4 {
		t.Errorf("the edges of %d plots are %q", n, edges)
	}
	p.Eval(`{ const u = page.drawn[0]; u.setCursor({ left: u.over.clientWidth / 2, top: 20 }); }`, nil)
	p.Await(`document.querySelector(".readout").textContent.includes("in flight")`)
	if text := ask[string](t, p, `document.querySelector(".readout").textContent`); !strings.Contains(text, "a frame") || !strings.Contains(text, "b frame") {
		t.Errorf("the read-out says %q", text)
	}
	p.Eval(`{ const e = document.querySelector(".conn .track"), r = e.getBoundingClientRect(); e.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, clientX: r.left + r.width / 2 })); }`, nil)
	p.Await(`page.drawn.every((u) => u.scales.x.max - u.scales.x.min < 0.5 * (page.groups.get(0).span[1] - page.groups.get(0).span[0]) && u.scales.x.min === page.drawn[0].scales.x.min)`)
}

// TestReportBandSides tells the bands of one cause apart by the side whose packets they are about:
// in their words, for eyes and for screen readers, and by the plots that they stand after.
func TestReportBandSides(t *testing.T) {
	b := chromium.Start(t)
	p := shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "dp8", "unsigned-lossy.pcap")))
	type band struct{ Direction, Text, Title, Label string }
	p.Eval(`page.openAt(0)`, nil)
	bands := ask[[]band](t, p, `[...document.querySelectorAll("[data-band][data-cause=loss]")].map((e) => ({ direction: e.dataset.direction, text: e.textContent, title: e.title, label: e.getAttribute("aria-label") }))`)
	told := map[string]bool{}
	for _, x := range bands {
		name := map[string]string{"a": "loss · a, player", "b": "loss · b, server"}[x.Direction]
		if told[x.Direction] = true; x.Text != name || !strings.HasPrefix(x.Title, name+": ") || !strings.HasPrefix(x.Label, name+", 12:00:") {
			t.Errorf("%+v, want %q", x, name)
		}
	}
	if !told["a"] || !told["b"] {
		t.Fatalf("the bands of losses are %+v", bands)
	}
	// Names of bands that last for a moment can be read, and cover no other.
	p = shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "ends", "outage.pcap")))
	if over := ask[[]string](t, p, `(() => {
		const range = (e) => { const r = document.createRange(); r.selectNodeContents(e); return r.getBoundingClientRect(); };
		const names = [...document.querySelectorAll("[data-band] span")].map((e) => [e.textContent, range(e)]);
		return names.flatMap(([x, r], i) => names.slice(i + 1).filter(([, q]) => Math.abs(r.top - q.top) < 9 && r.left < q.right && q.left < r.right).map(([y]) => x + " covers " + y))
			.concat(names.filter(([, r]) => r.right > innerWidth || r.left < 0).map(([x]) => x + " is cut"));
	})()`); len(over) > 0 || ask[int](t, p, `document.querySelectorAll("[data-band].narrow").length`) == 0 {
		t.Errorf("%q", over)
	}
	if n := ask[[2]int](t, p, `(() => {
		const group = page.groups.get(0), drawn = group.plots.map((u) => [u.root.parentElement.dataset.direction, page.bandsIn(u, { ...group, causes: group.causes.map((b) => ({ ...b, whole: false })) })]);
		return [drawn.reduce((n, [, bands]) => n + bands.length, 0), drawn.reduce((n, [d, bands]) => n + bands.filter((b) => b.direction !== d).length, 0)];
	})()`); n[0] == 0 || n[1] != 0 {
		t.Errorf("%d bands stand behind plots, %d of them behind one of the other side", n[0], n[1])
	}
}

// TestReportDelay checks the view of delays: it is what is seen first, each data frame that was
// acknowledged is a point, or never acknowledged a mark.
func TestReportDelay(t *testing.T) {
	b := chromium.Start(t)
	p := shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "ends", "outage.pcap")))
	if v := ask[string](t, p, `[...document.querySelectorAll("[data-chart]")].filter((e) => e.offsetParent).map((e) => e.dataset.chart + e.dataset.direction).join(" ")`); !strings.HasPrefix(v, "delaya delayb inflight") || strings.Contains(v, "sequence") {
		t.Errorf("seen are %q", v)
	}
	rows := ask[[2]int](t, p, `(() => {
		const x = page.pictures.connections[0].directions.a, all = page.ladders[0].rows.flatMap((r) => r.members || [r]).filter((r) => r.frame);
		const frames = new Set(x.frame.filter((f, i) => x.delay_max_ms[i] !== null)), never = new Set(x.unacked.map((m) => m[2]));
		const acked = page.ladders[0].rows.filter((r) => r.kind === "frame" && r.from === "a" && r.acked_in).map((r) => r.frame);
		return [acked.length, acked.filter((f) => frames.has(f) && !never.has(f)).length];
	})()`)
	if rows[0] == 0 || rows[0] != rows[1] {
		t.Errorf("%d frames were acknowledged, %d of them are points", rows[0], rows[1])
	}
}

// TestReportSequence opens a run of a sequence diagram, and looks where it stands at first: at
// the frames that prove what happened. Losses end on the way.
func TestReportSequence(t *testing.T) {
	b := chromium.Start(t)
	p := shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "dp8", "full-signed-lossy.pcap")))
	p.Eval(`page.openAt(page.ladders[0].connection)`, nil)
	p.Await(`document.querySelector(".row.proof")`)
	before := ask[int](t, p, `+document.querySelector(".ladder .row").getAttribute("aria-setsize")`)
	p.Eval(`document.querySelector(".ladder").scrollTop = 0`, nil)
	p.Await(`document.querySelector(".ladder button.run")`)
	n := ask[int](t, p, `page.ladders[0].rows.find((r) => r.members).frames.length`)
	p.Eval(`document.querySelector(".ladder button.run").click()`, nil)
	if after := ask[int](t, p, `+document.querySelector(".ladder .row").getAttribute("aria-setsize")`); after != before+n {
		t.Errorf("%d rows with a run of %d open, %d before", after, n, before)
	}
	type ends struct{ Lost, Whole int }
	got := ask[ends](t, p, `(async () => {
		const box = document.querySelector(".ladder"), i = page.ladders[0].rows.findIndex((r) => r.kind === "loss" && r.lost !== "not_captured");
		box.querySelector("button.run[aria-expanded=true]").click();
		box.scrollTop = i * page.rowHeight - 100;
		await new Promise((done) => setTimeout(done, 100));
		const far = (e) => Math.abs(e.getAttribute("x2") - e.getAttribute("x1")) > 150;
		return { lost: [...box.querySelectorAll("line.arrow.lost")].filter((e) => !far(e)).length, whole: [...box.querySelectorAll("line.arrow:not(.lost)")].filter((e) => !far(e)).length };
	})()`)
	if got.Lost == 0 || got.Whole != 0 {
		t.Errorf("%d lost arrows end on the way, and %d of what arrived", got.Lost, got.Whole)
	}
}

// TestReportDoubtful keeps a connection whose end is not sure apart from those that are well:
// it has a line of its own, which is open.
func TestReportDoubtful(t *testing.T) {
	b := chromium.Start(t)
	p := shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "dp8", "full-signed-lossy.pcap")))
	p.Eval(`{
		const l = page.lanes.lanes[0], told = page.told.get(l.id);
		for (let i = 1; i <= 3; i++) { page.lanes.lanes.push({ ...l, id: l.id + i, bad: false, runs: i === 3 ? "q4l1" : "q5" }); page.told.set(l.id + i, { ...told, id: l.id + i, verdict: { ...told.verdict, certainty: i === 2 ? "likely" : "proved" } }); }
	}`, nil)
	got := ask[string](t, p, `page.groupsOf(page.lanes.lanes.slice(1)).map((g) => g.members.map((l) => l.id - page.lanes.lanes[0].id).join("+")).join(" ")`)
	if got != "2 3 1" {
		t.Errorf("the lines are of %q, want those of 2 and 3 first", got)
	}
}

// TestReportNumberRange zooms into numbers: the plot shows those in view, and no others.
func TestReportNumberRange(t *testing.T) {
	b := chromium.Start(t)
	p := shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "dp8", "full-signed-lossy.pcap")))
	p.Eval(`{ const g = [...page.groups.values()][0]; page.openAt(g.id); page.chooseView(g, "sequence", true); }`, nil)
	const u = `page.drawn.find((u) => u.root.parentElement.dataset.chart === "sequence")`
	p.Eval(`{ const u = `+u+`; u.setScale("x", { min: 0, max: u.data[0][20] }); }`, nil)
	p.Await(u + `.scales.x.max === ` + u + `.data[0][20]`)
	if r := ask[[2]float64](t, p, `(() => { const u = `+u+`, most = Math.max(...u.data[1].slice(0, 21)); return [u.scales.y.max, most]; })()`); r[0] > r[1]*1.5+3 {
		t.Errorf("the axis goes up to %v, numbers in view to %v", r[0], r[1])
	}
}

// TestReportMillionRows scrolls a sequence diagram of a million rows: few of them are elements,
// and its last one can be seen.
func TestReportMillionRows(t *testing.T) {
	b := chromium.Start(t)
	p := shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "ends", "outage.pcap")))
	p.Eval(`{
		const rows = Array.from({ length: 1e6 }, (_, i) => ({ kind: "frame", frame: i + 1, from: i % 2 ? "b" : "a", label: "row " + (i + 1) }));
		document.body.prepend(page.drawLadder({ connection: 99, a: { address: "a" }, b: { address: "b" }, rows }, {}));
		const box = document.querySelector(".ladder"); box.scrollTop = box.scrollHeight;
	}`, nil)
	p.Await(`[...document.querySelectorAll(".ladder")[0].querySelectorAll(".no")].some((e) => e.textContent === "1000000" && e.getBoundingClientRect().bottom <= document.querySelector(".ladder").getBoundingClientRect().bottom + 2)`)
	if n := ask[int](t, p, `document.querySelector(".ladder").querySelectorAll(".row").length`); n > 100 {
		t.Errorf("%d rows are elements", n)
	}
}

// TestLook writes pictures of reports into the folder that DPDISSECT_LOOK names, for people who
// work on them: all widths, dark and light, of the captures in DPDISSECT_LOOK_AT.
func TestLook(t *testing.T) {
	dir := os.Getenv("DPDISSECT_LOOK")
	if dir == "" {
		t.Skip("DPDISSECT_LOOK names no folder")
	}
	b := chromium.Start(t)
	for _, path := range filepath.SplitList(os.Getenv("DPDISSECT_LOOK_AT")) {
		p := shown(t, b, reportOf(t, path))
		name := strings.TrimSuffix(filepath.Base(path), ".pcap")
		for _, width := range []int{360, 800, 1280, 2560} {
			for _, s := range []string{"light", "dark"} {
				resize(p, width, 1500)
				scheme(p, s)
				p.Eval(`page.redraw(); new Promise((done) => setTimeout(done, 200))`, nil)
				p.Shoot(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, s)))
			}
		}
	}
}

// thousand writes a capture of a thousand connections.
func thousand(t testing.TB, packets int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "thousand.pcap")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(tracegen.Many(f, 1000, packets, 1), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReportWithoutColour: who sees no colours tells all series of a view apart by their shapes, and
// how a connection fared by brightness; what is in a legend is drawn, and the other way round.
func TestReportWithoutColour(t *testing.T) {
	b := chromium.Start(t)
	p := shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "dp8", "unreliable.pcap")))
	p.Eval(`page.openAt(0)`, nil)
	type view struct {
		Shapes []string
		Marks  []string
	}
	for id, v := range ask[map[string]view](t, p, `Object.fromEntries(page.views.map(([id]) => {
		const group = page.groups.get(0);
		page.chooseView(group, id, true);
		const marks = group.plots.filter((u) => u.root.parentElement.dataset.chart === id).flatMap((u) => u.series.map((s) => s.mark && "k-" + s.mark)).filter((m) => m);
		return [id, { shapes: [...group.keys.querySelectorAll("i")].map((e) => [...e.classList].filter((c) => c.startsWith("k-")).join(" ")), marks }];
	}))`) {
		shapes := slices.Clone(v.Shapes)
		slices.Sort(shapes)
		if n := len(slices.Compact(shapes)); n < len(v.Shapes) || n < 4 {
			t.Errorf("%s: the shapes of the legend are %q", id, v.Shapes)
		}
		for _, m := range v.Marks {
			if !slices.Contains(v.Shapes, m) {
				t.Errorf("%s: %s is drawn, and not in the legend %q", id, m, v.Shapes)
			}
		}
	}
	for _, name := range []string{"light", "dark"} {
		scheme(p, name)
		bright := ask[[]float64](t, p, `["quiet", "waits", "losses", "cut-off"].map((name) => {
			const part = (i) => { const x = parseInt(page.colour(name).slice(1 + 2 * i, 3 + 2 * i), 16) / 255; return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; };
			return 0.2126 * part(0) + 0.7152 * part(1) + 0.0722 * part(2) + 0.05;
		})`)
		for i := range bright[1:] {
			if ratio := max(bright[i], bright[i+1]) / min(bright[i], bright[i+1]); ratio < 1.5 {
				t.Errorf("%s: the contrast of health %d to the next is %.2f", name, i, ratio)
			}
		}
	}
}

// TestReportRestart: that a server began again is in the overview, also where its player went on
// and the connection did not end; and what waits for a moment is not among what is well.
func TestReportRestart(t *testing.T) {
	b := chromium.Start(t)
	p := shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "ends", "server-restarted.pcap")))
	if text := ask[string](t, p, `document.querySelector(".lanes > .conn.bad .what").textContent`); !strings.Contains(text, "began again from the start, as #1, while the other went on") {
		t.Errorf("its line says %q", text)
	}
	if text := ask[string](t, p, `document.querySelector(".lead").textContent`); text != "2 connections: 1 begun again, 1 still open." {
		t.Errorf("the page begins with %q", text)
	}
	waits := `page.doubtful({ ...page.lanes.lanes.find((l) => l.id === 1), runs: "q3w1q2" })`
	if !ask[bool](t, p, waits) || ask[bool](t, p, strings.Replace(waits, "w1", "", 1)) {
		t.Error("what waits counts as well")
	}
}

// TestReportPairs: many address pairs that were not recognised are one line until it is opened, and
// one that a connection most likely goes on in is none of them.
func TestReportPairs(t *testing.T) {
	b := chromium.Start(t)
	p := shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "ends", "nat-expired-outside.pcap")))
	const seen = `(() => {
		document.getElementById("overview").remove();
		page.overview();
		return [...document.querySelectorAll("#overview p.searchable")].filter((e) => e.checkVisibility()).length;
	})()`
	if n := ask[int](t, p, seen); n != 0 {
		t.Errorf("%d pairs are told beside the connection", n)
	}
	for pairs, want := range map[int]int{4: 4, 5: 0} {
		p.Eval(fmt.Sprintf(`page.explain.unrecognised = Array.from({ length: %d }, (_, i) => ({ a: "192.0.2.1:" + i, b: "192.0.2.2:1" }))`, pairs), nil)
		if n := ask[int](t, p, seen); n != want {
			t.Errorf("of %d pairs %d are seen", pairs, n)
		}
	}
}

// TestReportOfNothing: the page of a capture without connections says why there may be none.
func TestReportOfNothing(t *testing.T) {
	b := chromium.Start(t)
	path := filepath.Join(t.TempDir(), "empty.pcap")
	header, err := os.ReadFile(filepath.Join(root(t), "testdata", "pcaps", "ends", "closed.pcap"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, header[:24], 0o600); err != nil {
		t.Fatal(err)
	}
	p := shown(t, b, reportOf(t, path))
	if text := ask[string](t, p, `document.getElementById("overview").textContent`); !strings.Contains(text, "No connection was recognised in this capture. The capture has no packets: ") {
		t.Errorf("the page says %q", text)
	}
}

// TestReportThousand opens the page of a thousand connections: its thread works for less than a
// second until all is drawn, what is in groups is not made before it is asked for, it is no taller than three screens until something is opened, each
// connection has a lane in a group, and a group opens.
func TestReportThousand(t *testing.T) {
	b := chromium.Start(t)
	p := shown(t, b, reportOf(t, thousand(t, 100_000)))
	if s := p.Metrics()["TaskDuration"]; s <= 0 || s >= 1 {
		t.Errorf("the page takes %.2f s of CPU time until all is drawn", s)
	}
	if n := ask[int](t, p, `document.querySelectorAll("*").length`); n > 1000 {
		t.Errorf("%d elements are made before anything is opened", n)
	}
	for _, width := range []int{360, 1280, 2560} {
		resize(p, width, 900)
		if n := ask[int](t, p, `document.documentElement.scrollHeight`); n > 3*900 {
			t.Errorf("at %d pixels the page is %d high", width, n)
		}
	}
	n := ask[[2]int](t, p, `[page.lanes.lanes.length, [...document.querySelectorAll("[data-group]")].reduce((n, e) => n + +e.dataset.group, 0) + document.querySelectorAll(".lanes > .conn").length]`)
	if n[0] < 1000 || n[1] != n[0] {
		t.Errorf("%d connections, %d in lanes and groups", n[0], n[1])
	}
	p.Eval(`document.querySelectorAll("[data-group]").forEach((e) => { e.open = true; })`, nil)
	p.Await(`new Set([...document.querySelectorAll("[data-lane]")].map((e) => e.dataset.connection)).size === page.lanes.lanes.length`)
	t.Logf("drawn after %.0f ms", ask[float64](t, p, `page.drawnAt`))
}
