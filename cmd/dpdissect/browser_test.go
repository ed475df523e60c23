package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/chromium"
)

// shown opens a page of the disk in Chromium and waits until all is drawn.
func shown(t testing.TB, b *chromium.Browser, html string) *chromium.Page {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(html), 0o600); err != nil {
		t.Fatal(err)
	}
	p := b.Open((&url.URL{Scheme: "file", Path: file}).String())
	p.Await(`document.documentElement?.dataset.ready === "true"`)
	return p
}

// ask evaluates an expression in a page.
func ask[T any](t testing.TB, p *chromium.Page, expression string) (v T) {
	t.Helper()
	p.Eval(expression, &v)
	return v
}

// focus gives the keys to the first element that a selector finds.
func focus(t *testing.T, p *chromium.Page, selector string) {
	t.Helper()
	if !ask[bool](t, p, `(() => { const e = document.querySelector("`+selector+`"); e.focus(); return document.activeElement === e; })()`) {
		t.Fatalf("%s takes no keys", selector)
	}
}

// press presses a key in what has the focus.
func press(t *testing.T, p *chromium.Page, key string) {
	t.Helper()
	p.Eval(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "`+key+`", bubbles: true, cancelable: true}))`, nil)
}

// enter writes a text into the search.
func enter(t *testing.T, p *chromium.Page, text string) {
	t.Helper()
	focus(t, p, "#search")
	p.Eval(`{ const e = document.getElementById("search"); e.value = "`+text+`"; e.dispatchEvent(new Event("input")); }`, nil)
}

// quiet fails when the page asked for anything but itself, or complained.
func quiet(t *testing.T, p *chromium.Page) {
	t.Helper()
	requests := p.Requests()
	if len(requests) != 1 || !strings.HasPrefix(requests[0], "file:///") || len(p.Problems()) > 0 {
		t.Errorf("requests %q, problems %q", requests, p.Problems())
	}
}

// inBrowser is the number of reports that TestReportInBrowser opens where every form is
// tried. Otherwise it opens every fourth of them.
const inBrowser = 20

// TestReportInBrowser opens reports in Chromium: what is drawn is what the analysis counts,
// nothing is asked for, and nothing goes wrong.
func TestReportInBrowser(t *testing.T) {
	b := chromium.Start(t)
	all := captures(t)
	marks := 0
	for i := range inBrowser {
		if i%4 > 0 && os.Getenv(everyForm) != "all" {
			continue
		}
		path := all[i*len(all)/inBrowser]
		t.Run(filepath.Base(path), func(t *testing.T) {
			p := shown(t, b, reportOf(t, path))
			want := countedBy(t, printed(t, "analyze", "--format", "json", path))
			drawn := ask[map[string][]int](t, p, `Object.fromEntries([...document.querySelectorAll("[data-chart=sequence]")].map(
				(e) => [e.dataset.connection + e.dataset.direction, [+e.dataset.retries, +e.dataset.losses, +e.dataset.points]]))`)
			for key, n := range drawn {
				if w, ok := want[key]; ok && (float64(n[0]) != w[0] || float64(n[1]) != w[1]) {
					t.Errorf("%s: %v retries, losses and points are drawn, the analysis has %v", key, n, want[key])
				}
				marks += n[0] + n[1]
			}
			checkOverview(t, p, printed(t, "analyze", "--format", "json", path))
			rows := ask[map[string]int](t, p, `Object.fromEntries([...document.querySelectorAll(".ladder")].map((e) => [e.dataset.connection, +e.dataset.rows]))`)
			for id, n := range rows {
				var doc struct{ Rows []any }
				if err := json.Unmarshal([]byte(output(t, "ladder", "--format", "json", "--connection", id, path)), &doc); err != nil || len(doc.Rows) != n {
					t.Errorf("connection %s has %d rows, the ladder %d (%v)", id, n, len(doc.Rows), err)
				}
			}
			quiet(t, p)
		})
	}
	if marks == 0 {
		t.Error("none of the captures has a retry or a loss")
	}
}

// TestHostileReport opens the report of a capture whose words are those of an attacker: they
// are text, and do nothing.
func TestHostileReport(t *testing.T) {
	b := chromium.Start(t)
	path := filepath.Join(root(t), "testdata", "pcaps", "hazel", "kicked-hostile.pcap")
	p := shown(t, b, reportOf(t, "--title", `</title></script><img src=x onerror="window.hurt=1"><script>window.hurt=1</script>`, path))
	if ask[bool](t, p, `"hurt" in window`) {
		t.Error("a script of the attacker ran")
	}
	if n := ask[int](t, p, `document.querySelectorAll("img, iframe, main script, a[href^=http], a[href^=javascript]").length`); n != 0 {
		t.Errorf("%d elements of the attacker", n)
	}
	if text := ask[string](t, p, `document.querySelector(".story").textContent`); !strings.Contains(text, "<script>alert(1)</script>") || strings.ContainsAny(text, "\u202e\u2066\x1b") {
		t.Errorf("the words of the attacker are not shown as text: %q", text)
	}
	quiet(t, p)
}

// TestReportKeys uses a report as its readers do: zoom by keys, a frame that is looked for, the table
// sorted, the search.
func TestReportKeys(t *testing.T) {
	b := chromium.Start(t)
	p := shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "ends", "outage.pcap")))
	span := `(() => { const u = page.drawn[0]; return u.scales.x.max - u.scales.x.min; })()`
	all := ask[float64](t, p, span)
	focus(t, p, "[data-chart=delay]")
	press(t, p, "+")
	if half := ask[float64](t, p, span); half < all*0.4 || half > all*0.6 {
		t.Errorf("+ shows %v of %v s", half, all)
	}
	p.Await(`page.drawn.every((u) => u.scales.x.min === page.drawn[0].scales.x.min && u.scales.x.max === page.drawn[0].scales.x.max)`)
	press(t, p, "0")
	if again := ask[float64](t, p, span); again != all {
		t.Errorf("0 shows %v of %v s", again, all)
	}
	enter(t, p, "96")
	press(t, p, "Enter")
	if near := ask[float64](t, p, span); near >= all/4 {
		t.Errorf("frame 96 shows %v of %v s", near, all)
	}
	if at := ask[[]float64](t, p, `[page.drawn[0].scales.x.min, page.drawn[0].scales.x.max]`); at[0] > 4.4 || at[1] < 4.4 {
		t.Errorf("frame 96, at 4.39 s, shows %v", at)
	}
	if text := ask[string](t, p, `document.getElementById("hits").textContent`); !strings.HasPrefix(text, "frame 96 is of connection 0: 12:00:04.3") || !strings.Contains(text, " from a, player, ") {
		t.Errorf("the search says of frame 96 %q", text)
	}
	if text := ask[string](t, p, `document.querySelector(".row.found .no").textContent`); text != "96" {
		t.Errorf("the ladder marks frame %q", text)
	}
	press(t, p, "Escape")
	enter(t, p, "retry of")
	if text := ask[string](t, p, `document.getElementById("hits").textContent`); text != "20 hits" {
		t.Errorf("the search says %q", text)
	}
	press(t, p, "Escape")
	if n := ask[int](t, p, `document.querySelectorAll(".hidden").length`); n != 0 {
		t.Errorf("%d rows stay hidden", n)
	}
	quiet(t, p)
}

// TestReportWindow looks at the line of the window: 63 above what DirectPlay 8 acknowledged
// up to, in which its text allows 64 packets (MC-DPL8R 3.1.4.4), and none for Hazel, whose
// text has no window.
func TestReportWindow(t *testing.T) {
	b := chromium.Start(t)
	const series = `(() => {
		const group = [...page.groups.values()][0];
		page.openAt(group.id);
		page.chooseView(group, "sequence", true);
		const u = group.plots.find((u) => u.root.parentElement.dataset.chart === "sequence"), of = (label) => u.data[u.series.findIndex((s) => s.label === label)];
		const acked = of("acknowledged up to"), window = of("window");
		return [acked?.filter((v) => v !== null).length ?? -1, window?.filter((v, i) => v !== null && v - acked[i] === 63).length ?? -1];
	})()`
	pcaps := filepath.Join(root(t), "testdata", "pcaps")
	p := shown(t, b, reportOf(t, filepath.Join(pcaps, "dp8", "full-signed-lossy.pcap")))
	if n := ask[[2]int](t, p, series); n[0] <= 0 || n[1] != n[0] {
		t.Errorf("%d points of what was acknowledged, %d of the window", n[0], n[1])
	}
	p = shown(t, b, reportOf(t, filepath.Join(pcaps, "ends", "one-way.pcap")))
	if n := ask[[2]int](t, p, series); n[1] != -1 {
		t.Errorf("Hazel has a window of %d points", n[1])
	}
}

// TestReportPan moves plots by keys: what is shown stays as long as it is, also at the ends,
// and a zoom ends somewhere.
func TestReportPan(t *testing.T) {
	b := chromium.Start(t)
	p := shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "ends", "outage.pcap")))
	span := `[page.drawn[0].scales.x.min, page.drawn[0].scales.x.max]`
	all := ask[[2]float64](t, p, span)
	focus(t, p, "[data-chart=delay]")
	for _, key := range []string{"ArrowLeft", "ArrowRight"} {
		if press(t, p, key); ask[[2]float64](t, p, span) != all {
			t.Errorf("%s shows %v of %v", key, ask[[2]float64](t, p, span), all)
		}
	}
	for range 60 {
		press(t, p, "+")
	}
	near := ask[[2]float64](t, p, span)
	if d := near[1] - near[0]; d < 0.99e-4 || d > 1.01e-4 {
		t.Errorf("60 times + shows %v s", d)
	}
	press(t, p, "ArrowLeft")
	if at := ask[[2]float64](t, p, span); at[0] >= near[0] || at[1]-at[0] > 1.01e-4 || at[1]-at[0] < 0.99e-4 {
		t.Errorf("ArrowLeft shows %v instead of %v", at, near)
	}
}

// TestReportFrames follows the links of proofs: each leads to the connection it is of, and
// zooms no other. A number that is looked for belongs to one connection, or the page says
// how many it may be of.
func TestReportFrames(t *testing.T) {
	b := chromium.Start(t)
	p := shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "dp4", "player-pairs.pcap")))
	type link struct{ Frame, Connection, Shown, Zoomed string }
	links := ask[[]link](t, p, `(async () => {
		const all = [], drawn = () => new Promise((done) => setTimeout(done, 20)); // plots draw in microtasks
		const spans = () => page.drawn.map((u) => u.scales.x.min + " " + u.scales.x.max);
		for (const id of page.groups.keys()) page.openAt(id);
		await drawn();
		const whole = spans(), ends = page.drawn.map((u) => ({ min: u.scales.x.min, max: u.scales.x.max }));
		for (const s of document.querySelectorAll(".story")) for (const e of s.querySelectorAll("button.frame")) {
			document.querySelectorAll(".found").forEach((x) => x.classList.remove("found"));
			page.drawn.forEach((u, i) => u.setScale("x", ends[i]));
			await drawn();
			e.click();
			await drawn();
			const zoomed = page.drawn.filter((u, i) => spans()[i] !== whole[i]).map((u) => u.root.parentElement.dataset.connection);
			all.push({ frame: e.textContent, connection: s.dataset.connection, shown: document.querySelector(".plots.found")?.id || "", zoomed: [...new Set(zoomed)].join() });
		}
		return all;
	})()`)
	if len(links) == 0 {
		t.Fatal("no proof has a frame")
	}
	for _, l := range links {
		if l.Shown != "plots-"+l.Connection || l.Zoomed != l.Connection {
			t.Errorf("frame %s of connection %s shows %q and zooms %q", l.Frame, l.Connection, l.Shown, l.Zoomed)
		}
	}
	for text, want := range map[string]string{"999999": "frame 999999 is of no connection", links[0].Frame: "frame " + links[0].Frame + " is of connection " + links[0].Connection} {
		enter(t, p, text)
		press(t, p, "Enter")
		if got := ask[string](t, p, `document.getElementById("hits").textContent`); !strings.HasPrefix(got, want) {
			t.Errorf("the page says %q, want %q", got, want)
		}
	}
}

// TestReportEvents goes from event to event by keys: each is told with its frame, losses,
// retries and findings alike. A double click shows the whole connection.
func TestReportEvents(t *testing.T) {
	b := chromium.Start(t)
	p := shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "dp8", "full-signed-lossy.pcap")))
	status := `document.querySelector(".plots .status").textContent`
	p.Eval(`page.openAt(page.pictures.connections[0].id)`, nil)
	focus(t, p, "[data-chart=delay]")
	told := map[string]bool{}
	all := ask[int](t, p, `(() => { const x = page.pictures.connections[0].directions.a; return x.marks.length + x.losses.length + x.findings.length; })()`)
	for range all {
		press(t, p, "n")
		text := ask[string](t, p, status)
		for _, word := range []string{": retry: number", "lost before", "lost after", "opens or closes", "CAP-", "DP8-"} {
			told[word] = told[word] || strings.Contains(text, word) && strings.Contains(text, ", frame ")
		}
	}
	for word, ok := range told {
		if !ok {
			t.Errorf("no event says %q", word)
		}
	}
	if text := ask[string](t, p, status); !strings.Contains(text, fmt.Sprintf("%d events, %d:", all, all)) {
		t.Errorf("the last event of %d is told as %q", all, text)
	}
	span := `[page.drawn[0].scales.x.min, page.drawn[0].scales.x.max]`
	whole := ask[[2]float64](t, p, span)
	press(t, p, "+")
	p.Eval(`page.drawn[0].over.dispatchEvent(new MouseEvent("dblclick", { bubbles: true, button: 0 }))`, nil)
	p.Await(`page.drawn[0].scales.x.min === ` + fmt.Sprint(whole[0]))
	if got := ask[[2]float64](t, p, span); got != whole {
		t.Errorf("a double click shows %v of %v", got, whole)
	}
}

// TestReportSearch counts what stands in rows, not how they are written in JSON.
func TestReportSearch(t *testing.T) {
	b := chromium.Start(t)
	p := shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "ends", "outage.pcap")))
	for text, want := range map[string]string{"acked_in": "0 hits", "datagrams": "0 hits", "outage.pcap": "1 hit"} {
		enter(t, p, text)
		if got := ask[string](t, p, `document.getElementById("hits").textContent`); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestReportDays shows dates where captures are of several days, and sorts by them.
func TestReportDays(t *testing.T) {
	b := chromium.Start(t)
	pcaps := filepath.Join(root(t), "testdata", "pcaps")
	dir := t.TempDir()
	late := filepath.Join(dir, "late.pcap")
	shifted(t, filepath.Join(pcaps, "ends", "outage.pcap"), late, 3*24*time.Hour-5*time.Hour)
	p := shown(t, b, reportOf(t, late, filepath.Join(pcaps, "hazel", "restart.pcap")))
	if text := ask[string](t, p, `document.getElementById("subtitle").textContent`); !strings.Contains(text, "from 2024-05-01 12:00:0") {
		t.Errorf("the subtitle says %q", text)
	}
	p.Eval(`document.getElementById("connections").open = true`, nil)
	p.Await(`document.querySelector("#connections tbody tr")`)
	p.Eval(`[...document.querySelectorAll("#connections th button")].find((e) => e.textContent === "Start").click()`, nil)
	starts := ask[[]string](t, p, `[...document.querySelectorAll("#connections tbody tr")].map((r) => r.cells[4].textContent)`)
	if len(starts) != 3 || !slices.IsSorted(starts) || !strings.HasPrefix(starts[2], "2024-05-04 07:00:0") {
		t.Errorf("connections start at %q", starts)
	}
	if text := ask[string](t, p, `page.pictures.connections.map((c) => page.clockOf(c.base_ms)).sort().at(-1)`); text != starts[2] {
		t.Errorf("plots begin at %q", text)
	}
}

// shifted writes a pcap file with other times.
func shifted(t *testing.T, from, to string, by time.Duration) {
	t.Helper()
	all := packets(t, from)
	for i := range all {
		all[i].Time += int64(by)
	}
	name := split(t, filepath.Dir(to), all, func(int, int) bool { return false })[0]
	if err := os.Rename(name, to); err != nil {
		t.Fatal(err)
	}
}

// TestReportSaysOnce checks that a finding stands once in the row of its frame, and that
// what is wrong with a capture is told.
func TestReportSaysOnce(t *testing.T) {
	b := chromium.Start(t)
	pcaps := filepath.Join(root(t), "testdata", "pcaps")
	p := shown(t, b, reportOf(t, filepath.Join(pcaps, "knet", "wrap-reference.pcap")))
	enter(t, p, "cap-reorder")
	if n := ask[int](t, p, `document.querySelector(".row.found .label").textContent.split("CAP-REORDER").length - 1`); n != 1 {
		t.Errorf("the row tells the finding %d times", n)
	}
	whole, err := os.ReadFile(filepath.Join(pcaps, "ends", "outage.pcap"))
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.pcap")
	if err := os.WriteFile(cut, append(whole[:len(whole):len(whole)], whole[24:31]...), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cut.html")
	if _, errs, _ := call(t, "report", "-o", file, cut); !strings.Contains(errs, "cut.pcap") {
		t.Errorf("the program says %q", errs)
	}
	html, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Captures []struct{ Problem string } }
	if err := json.Unmarshal([]byte(embedded(t, string(html), "analysis")), &doc); err != nil || doc.Captures[0].Problem == "" {
		t.Fatalf("no problem is told: %v", err)
	}
	p = shown(t, b, string(html))
	if text := ask[string](t, p, `document.querySelector("#capture [data-fact=problem]").textContent`); text != doc.Captures[0].Problem {
		t.Errorf("the page says %q, the analysis %q", text, doc.Captures[0].Problem)
	}
}

// TestShots writes the pictures of the documentation into the folder that DPDISSECT_SHOTS
// names (make shots).
func TestShots(t *testing.T) {
	dir := os.Getenv("DPDISSECT_SHOTS")
	if dir == "" {
		t.Skip("make shots runs it")
	}
	b := chromium.Start(t)
	p := shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "ends", "outage.pcap")))
	shoot := func(name string) {
		p.Eval(`page.redraw(); new Promise((done) => setTimeout(done, 500))`, nil) // plots out of view follow
		p.Shoot(filepath.Join(dir, name))
	}
	resize(p, 1280, 1000)
	shoot("report.png")
	scheme(p, "dark")
	p.Eval(`document.querySelector(".toolbar").scrollIntoView()`, nil)
	shoot("report-plots.png")
	scheme(p, "light")
	p = shown(t, b, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "dp8", "full-signed-lossy.pcap")))
	resize(p, 1280, 800)
	p.Eval(`page.openAt(page.ladders[0].connection); page.chooseView([...page.groups.values()][0], "sequence", true); document.querySelector(".toolbar").scrollIntoView()`, nil)
	p.Eval(`[...document.querySelectorAll(".toolbar button")].find((e) => e.textContent === "Worst moment").click()`, nil)
	shoot("report-numbers.png")
	p.Eval(`{ const box = document.querySelector(".ladder"); box.scrollTop = page.rowHeight * (page.ladders[0].rows.findIndex((r) => r.kind === "loss") - 7); box.parentElement.scrollIntoView(); }`, nil)
	p.Eval(`document.querySelector(".ladder button.run")?.click()`, nil)
	shoot("report-frames.png")
	first, second := comparePairs["outage"](t)
	p = shown(t, b, reportOf(t, "--point", "player.pcap="+first, "--point", "server.pcap="+second))
	resize(p, 1280, 1000)
	p.Eval(`page.chooseView([...page.groups.values()][0], "delay", true); scrollTo(0, 0)`, nil)
	shoot("report-pair.png")
	scheme(p, "dark")
	p.Eval(`document.querySelector('[data-chart="way"]').scrollIntoView()`, nil)
	shoot("report-pair-moment.png")
}

// TestReportOfFarTimes opens reports of times that are years apart, go backwards, or stand
// where times end: all is drawn, and nothing goes wrong.
func TestReportOfFarTimes(t *testing.T) {
	b := chromium.Start(t)
	for _, path := range madeCaptures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p := shown(t, b, reportOf(t, "-d", "udp.port==0-65535,dp8", path)) // silence of minutes leaves it unrecognised
			if n := ask[int](t, p, `document.querySelectorAll("[data-chart] canvas").length`); n == 0 {
				t.Error("nothing is drawn")
			}
			quiet(t, p)
		})
	}
}
