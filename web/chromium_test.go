package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/chromium"
)

// hostile is a name of a file that would do something if it were taken for markup.
const hostile = `<img src=x onerror=document.title=1><script>document.title=2<\script>.pcap`

// finished is when the page has shown all.
const finished = `document.body.dataset.busy === "false" && document.querySelector("#status").textContent.startsWith("Done")`

// browse opens the page from the disk; the test is skipped when it is not asked for.
func browse(t *testing.T) *chromium.Page {
	t.Helper()
	if !long {
		t.Skip("make web-test runs it")
	}
	b := chromium.Start(t)
	compile(t)
	return ready(b.Open("file://" + made.page))
}

func ready(p *chromium.Page) *chromium.Page {
	p.Await("document.body && document.body.dataset.ready")
	return p
}

// nothingLeft says that a page asked for nothing but itself.
func nothingLeft(t *testing.T, p *chromium.Page, page string) {
	t.Helper()
	pages := 0
	for _, url := range p.Requests() {
		switch {
		case url == page:
			pages++
		case !strings.HasPrefix(url, "blob:") && !strings.HasPrefix(url, "data:"):
			t.Errorf("the page asked for %.200s", url)
		}
	}
	if pages != 1 {
		t.Errorf("the page was asked for %d times: is anything heard? %q", pages, p.Requests())
	}
	for _, problem := range p.Problems() {
		t.Errorf("the browser says: %s", problem)
	}
}

// shows compares what the page shows with what the program prints.
func shows(t *testing.T, p *chromium.Page, dir string, names ...string) {
	t.Helper()
	for _, view := range []string{"explain", "analyze"} {
		p.Eval(fmt.Sprintf(`document.getElementById("tab-%s").click()`, view), nil)
		p.Await(finished + fmt.Sprintf(` && document.getElementById(%q).textContent !== ""`, view))
		got, want := p.Text(fmt.Sprintf("document.getElementById(%q).textContent", view)), native(t, dir, append([]string{view}, names...)...)
		if got != want.Stdout || len(got) < 100 {
			t.Errorf("%s of %q: %s", view, names, firstDifference(got, want.Stdout))
		}
	}
}

// TestPageFromDisk is a visit: the page opened from the disk without a network, files
// chosen and dropped, results saved, keys pressed.
func TestPageFromDisk(t *testing.T) {
	p := browse(t)
	dir := t.TempDir()
	copyFile(t, "../testdata/pcaps/ends/killed-process.pcap", filepath.Join(dir, "one.pcap"))
	copyFile(t, "../testdata/pcaps/dp8/unsigned-lossy.pcap", filepath.Join(dir, hostile))
	p.Do("Network.emulateNetworkConditions", map[string]any{"offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
	title := p.Text("document.title")

	p.Choose("#files", filepath.Join(dir, "one.pcap"))
	p.Await(finished)
	if got := p.Text(`[...document.querySelectorAll("[role=tabpanel]")].filter((e) => !e.hidden).map((e) => e.id + (e.querySelector("iframe[sandbox=allow-scripts]") ? " drawn" : "")).join()`); got != "panel-report drawn" {
		t.Errorf("the page opens on %q", got)
	}
	shows(t, p, dir, "one.pcap")
	saves(t, p, dir, "one.pcap")

	p.Choose("#files", filepath.Join(dir, "one.pcap"), filepath.Join(dir, hostile))
	p.Await(finished + ` && document.getElementById("names").textContent.includes("onerror")`)
	shows(t, p, dir, "one.pcap", hostile)
	if got := p.Text(`document.title + document.querySelectorAll("main img, main script, main iframe:not([sandbox=allow-scripts])").length`); got != title+"0" {
		t.Errorf("the name of a file did something: %q", got)
	}
	if got, want := p.Text(`document.getElementById("names").textContent`), "one.pcap, "+hostile; got != want {
		t.Errorf("names %q, want %q", got, want)
	}

	tabs(t, p)
	drops(t, p)
	early(t, p, filepath.Join(dir, "one.pcap"))
	bothEnds(t, p, dir)
	nothingLeft(t, p, "file://"+made.page)
}

// early chooses another tab before the report is drawn: both are made.
func early(t *testing.T, p *chromium.Page, file string) {
	t.Helper()
	p.Choose("#files", file)
	p.Eval(`document.getElementById("tab-analyze").click()`, nil)
	p.Await(`document.querySelector("#report iframe") !== null && document.getElementById("analyze").textContent.length > 100`)
	p.Await(finished)
}

// bothEnds chooses two captures of one session, of which there is no report and no CSV: the
// page turns to the words.
func bothEnds(t *testing.T, p *chromium.Page, dir string) {
	t.Helper()
	copyFile(t, "../testdata/pcaps/ends/outage.pcap", filepath.Join(dir, "here.pcap"))
	copyFile(t, "../testdata/pcaps/ends/outage.pcap", filepath.Join(dir, "there.pcap"))
	p.Choose("#files", filepath.Join(dir, "here.pcap"), filepath.Join(dir, "there.pcap"))
	p.Await(finished + ` && document.getElementById("names").textContent.includes("there")`)
	p.Eval(`document.getElementById("save-analysis-csv").click()`, nil)
	p.Await(`document.querySelector("#status").textContent === "Nothing was saved."`)
	if text := p.Text(`document.querySelector("#problems").textContent`); !strings.Contains(text, "the same session") {
		t.Errorf("the page says %q", text)
	}
	if got := p.Text(`String(!document.getElementById("panel-report").hidden && !!document.querySelector("#panel-report iframe[sandbox=allow-scripts]"))`); got != "true" {
		t.Errorf("the report of two captures of one session is drawn: %s", got)
	}
}

// saves presses each button that saves.
func saves(t *testing.T, p *chromium.Page, dir, name string) {
	t.Helper()
	to := t.TempDir()
	p.Download(to)
	for button, args := range map[string][]string{
		"save-analysis-json": {"analyze", "--format", "json"}, "save-analysis-csv": {"analyze", "--format", "csv"},
		"save-annotated": {"annotate", "--quiet", "--write", "-"}, "save-report": {"report"}, "save-explain-json": {"explain", "--format", "json"}, "save-explain-markdown": {"explain", "--format", "markdown"},
	} {
		p.Await(fmt.Sprintf("!document.getElementById(%q).disabled", button))
		p.Eval(fmt.Sprintf("document.getElementById(%q).click()", button), nil)
		p.Await(`document.querySelector("#status").textContent.startsWith("Saved as")`)
		file := strings.TrimSuffix(strings.TrimPrefix(p.Text(`document.querySelector("#status").textContent`), "Saved as "), ".")
		if want := native(t, dir, append(args, name)...).Stdout; awaitFile(t, filepath.Join(to, file), want) != want {
			t.Errorf("%s saved something else as %s", button, file)
		}
		p.Eval(`document.querySelector("#status").textContent = ""`, nil)
	}
}

// awaitFile reads a file once it is as long as is wanted.
func awaitFile(t *testing.T, path, want string) string {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		b, err := os.ReadFile(path)
		if err == nil && len(b) == len(want) || time.Now().After(end) {
			return string(b)
		}
	}
}

// tabs goes through the tabs with the keys.
func tabs(t *testing.T, p *chromium.Page) {
	t.Helper()
	const state = `[...document.querySelectorAll("[role=tabpanel]")].map((e) => e.hidden ? "-" : e.id).join(" ") + " " + document.activeElement.id`
	p.Eval(`document.getElementById("tab-explain").click(); document.getElementById("tab-explain").focus()`, nil)
	for _, step := range []struct {
		key  string
		code int
		want string
	}{
		{"ArrowRight", 39, "- - panel-analyze tab-analyze"}, {"ArrowLeft", 37, "- panel-explain - tab-explain"},
		{"ArrowLeft", 37, "panel-report - - tab-report"}, {"End", 35, "- - panel-analyze tab-analyze"}, {"Home", 36, "panel-report - - tab-report"}, {"ArrowRight", 39, "- panel-explain - tab-explain"},
		{"Tab", 9, "- panel-explain - explain"},
	} {
		p.Press(step.key, step.code)
		if got := p.Text(state); got != step.want {
			t.Errorf("after %s: %q, want %q", step.key, got, step.want)
		}
	}
}

// drops drops what no file chooser would give.
func drops(t *testing.T, p *chromium.Page) {
	t.Helper()
	drop := func(name string) {
		p.Eval(`document.querySelector("#status").textContent = ""; {
			const all = new DataTransfer();
			all.items.add(new File(["no capture"], `+name+`));
			dispatchEvent(Object.assign(new DragEvent("drop", { dataTransfer: all, cancelable: true })));
		}`, nil)
		p.Await(finished)
	}
	for name, want := range map[string]string{
		`"--help"`: "./--help", `"-"`: "./-", `"a\ud800b"`: "a\ufffdb", `""`: "capture", `"a\0b"`: "a\ufffdb",
	} {
		drop(name)
		if got := p.Text(`document.getElementById("names").textContent`); got != want {
			t.Errorf("a file named %s is called %q, want %q", name, got, want)
		}
		if got := p.Text(`document.getElementById("problems").textContent`); !strings.Contains(got, "is not a capture") {
			t.Errorf("of a file named %s is said: %q", name, got)
		}
	}
}

// TestPageFromHost: a static host is asked for the page, and never again.
func TestPageFromHost(t *testing.T) {
	if !long {
		t.Skip("make web-test runs it")
	}
	b := chromium.Start(t)
	compile(t)
	var mu sync.Mutex
	var asked []string
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Method+" "+r.URL.Path)
		http.ServeFile(w, r, made.page)
	}))
	defer host.Close()
	p := ready(b.Open(host.URL + "/page"))
	dir := t.TempDir()
	copyFile(t, "../testdata/pcaps/knet/acks-word-first-page.pcap", filepath.Join(dir, "two.pcap"))
	p.Choose("#files", filepath.Join(dir, "two.pcap"))
	p.Await(finished)
	shows(t, p, dir, "two.pcap")
	nothingLeft(t, p, host.URL+"/page")
	mu.Lock()
	defer mu.Unlock()
	if len(asked) != 1 || asked[0] != "GET /page" {
		t.Errorf("the host was asked for %q", asked)
	}
}

// TestPolicyHolds: scripts that try to reach somebody, or to run what is not of the page,
// are refused by the browser, and the test would see it if they were not.
func TestPolicyHolds(t *testing.T) {
	p := browse(t)
	heard := make(chan string, 100)
	host := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { heard <- r.URL.Path }))
	defer host.Close()
	try := func(name, script string) {
		var refused bool
		p.Eval(`new Promise((done) => {
			document.addEventListener("securitypolicyviolation", () => done(true), { once: true });
			setTimeout(() => done(false), 120000);
			`+strings.ReplaceAll(script, "HOST", host.URL)+`
		})`, &refused)
		if !refused {
			t.Errorf("%s is not refused", name)
		}
	}
	try("fetch", `fetch("HOST/fetch").catch(() => {});`)
	try("a web socket", `try { new WebSocket("HOST/socket".replace("http", "ws")); } catch {}`)
	try("a beacon", `navigator.sendBeacon("HOST/beacon", "x");`)
	try("an image", `document.body.append(Object.assign(new Image(), { src: "HOST/image" }));`)
	try("a form", `const f = Object.assign(document.createElement("form"), { action: "HOST/form" }); document.body.append(f); f.submit();`)
	try("an inline script", `const s = document.createElement("script"); s.textContent = "document.title = 'run'"; document.body.append(s);`)
	try("a fetch of a worker", `
		const w = new Worker(URL.createObjectURL(new Blob(["fetch('HOST/worker').then(() => 0, () => postMessage('refused'))"])));
		w.onmessage = () => done(true);`)
	try("a handler", `const d = document.createElement("div"); d.innerHTML = "<img src=x: onerror='document.title = 1'>"; document.body.append(d);`)
	select {
	case path := <-heard:
		t.Errorf("somebody was reached: %s", path)
	default:
	}
	if got := p.Text("document.title"); got != "dpdissect" {
		t.Errorf("the title became %q", got)
	}
}

// TestLooks: dark and light, for readers' eyes as pictures where DPDISSECT_SHOTS names a
// folder. The contrast is what WCAG asks for.
func TestLooks(t *testing.T) {
	p := browse(t)
	p.Choose("#files", absolute(t, "../testdata/pcaps/ends/killed-process.pcap"))
	p.Await(finished)
	p.Eval(`document.getElementById("tab-explain").click()`, nil)
	p.Await(finished)
	seen := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		p.Do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
		seen[p.Text("getComputedStyle(document.body).backgroundColor")] = true
		for _, element := range []string{"body", "#status", "pre", "button", "#problems", "[role=tab][aria-selected=true]"} {
			var ratio float64
			p.Eval(fmt.Sprintf(contrast, element), &ratio)
			if ratio < 4.5 {
				t.Errorf("%s: the contrast of %s is %.1f", scheme, element, ratio)
			}
		}
		if dir := os.Getenv("DPDISSECT_SHOTS"); dir != "" {
			p.Do("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": false})
			p.Eval(`document.getElementById("tab-report").click(); scrollTo(0, 0); new Promise((done) => setTimeout(done, 1000))`, nil)
			p.Shoot(filepath.Join(dir, "page-"+scheme+".png"))
			p.Eval(`document.getElementById("tab-explain").click()`, nil)
		}
	}
	if len(seen) != 2 {
		t.Errorf("dark and light look alike: %v", seen)
	}
	var nameless []string
	p.Eval(`[...document.querySelectorAll("button, input, progress, section, [role], pre")]
		.filter((e) => !(e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.labels?.length || e.textContent.trim() || e.matches("[role=status], [role=alert]")))
		.map((e) => e.outerHTML)`, &nameless)
	if len(nameless) > 0 {
		t.Errorf("without a name for screen readers: %q", nameless)
	}
}

// contrast is that of an element's text to its background, as WCAG 2 computes it.
const contrast = `(() => {
	const rgb = (s) => s.match(/[\d.]+/g).map(Number);
	const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, w, i) => {
		const v = c[i] / 255;
		return sum + w * (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
	}, 0);
	const e = document.querySelector(%q);
	let under = e;
	while (under.parentElement && rgb(getComputedStyle(under).backgroundColor)[3] === 0) under = under.parentElement;
	const [a, b] = [getComputedStyle(e).color, getComputedStyle(under).backgroundColor].map((s) => light(rgb(s)));
	return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
})()`

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPageWidths checks that nothing of the page is wider than the window.
func TestPageWidths(t *testing.T) {
	p := browse(t)
	p.Choose("#files", absolute(t, "../testdata/pcaps/ends/killed-process.pcap"))
	p.Await(finished)
	p.Eval(`document.querySelectorAll("details").forEach((e) => { e.open = true; })`, nil)
	for _, width := range []int{360, 800, 1280, 2560} {
		p.Do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false})
		for _, tab := range []string{"report", "explain", "analyze"} {
			p.Eval(fmt.Sprintf(`document.getElementById("tab-%s").click()`, tab), nil)
			p.Await(finished)
			var over int
			p.Eval(`Math.max(document.documentElement.scrollWidth - innerWidth, ...[...document.querySelectorAll("main *")].filter((e) => getComputedStyle(e).overflowX !== "visible" && e.tagName !== "IFRAME").map((e) => e.scrollWidth - e.clientWidth))`, &over)
			if over > 0 {
				t.Errorf("%s at %d pixels: %d pixels are outside", tab, width, over)
			}
		}
	}
}
