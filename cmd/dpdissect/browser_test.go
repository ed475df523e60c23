package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A browser is Chromium without a window, without a network.
type browser struct {
	ctx      context.Context
	mu       sync.Mutex
	requests []string // that were begun, but for those of the page itself
	messages []string // of the console, and errors
}

// newBrowser starts Chromium. Where there is none the test is skipped.
func newBrowser(t testing.TB) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: no browser")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium here; Debian's package is called so")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1300, 900), chromedp.WSURLReadTimeout(2*time.Minute),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stopTab := chromedp.NewContext(ctx)
	t.Cleanup(stopTab)
	b := &browser{ctx: ctx}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *browser) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "file:///") || e.Type != network.ResourceTypeDocument {
			b.requests = append(b.requests, e.Request.URL)
		}
	case *runtime.EventConsoleAPICalled:
		b.messages = append(b.messages, fmt.Sprint(e.Type))
	case *runtime.EventExceptionThrown:
		b.messages = append(b.messages, fmt.Sprint(e.ExceptionDetails.Text, e.ExceptionDetails.LineNumber))
	}
}

func (b *browser) do(t testing.TB, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, 2*time.Minute)
	defer stop()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// open shows a page of the disk and waits until all is drawn.
func (b *browser) open(t testing.TB, html string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(html), 0o600); err != nil {
		t.Fatal(err)
	}
	b.do(t, chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String()), chromedp.WaitReady(`html[data-ready="true"]`))
}

// ask evaluates an expression in the page.
func ask[T any](t testing.TB, b *browser, expression string) (v T) {
	t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, 2*time.Minute)
	defer stop()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// focus gives the keys to the first element that a selector finds.
func (b *browser) focus(t *testing.T, selector string) {
	t.Helper()
	if !ask[bool](t, b, `(() => { const e = document.querySelector("`+selector+`"); e.focus(); return document.activeElement === e; })()`) {
		t.Fatalf("%s takes no keys", selector)
	}
}

// quiet fails when the page asked for anything, or complained.
func (b *browser) quiet(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.requests) > 0 || len(b.messages) > 0 {
		t.Errorf("requests %q, messages %q", b.requests, b.messages)
	}
}

// inBrowser is how many reports are opened.
const inBrowser = 20

// TestReportInBrowser opens reports in Chromium: what is drawn is what the analysis counts,
// nothing is asked for, and nothing goes wrong.
func TestReportInBrowser(t *testing.T) {
	b := newBrowser(t)
	all := captures(t)
	marks := 0
	for i := range inBrowser {
		path := all[i*len(all)/inBrowser]
		t.Run(filepath.Base(path), func(t *testing.T) {
			b.open(t, reportOf(t, path))
			want := countedBy(t, printed(t, "analyze", "--format", "json", path))
			drawn := ask[map[string][]int](t, b, `Object.fromEntries([...document.querySelectorAll("[data-chart=sequence]")].map(
				(e) => [e.dataset.connection + e.dataset.direction, [+e.dataset.retries, +e.dataset.losses, +e.dataset.points]]))`)
			for key, n := range drawn {
				if w, ok := want[key]; ok && (float64(n[0]) != w[0] || float64(n[1]) != w[1]) {
					t.Errorf("%s: %v retries, losses and points are drawn, the analysis has %v", key, n, want[key])
				}
				marks += n[0] + n[1]
			}
			rows := ask[map[string]int](t, b, `Object.fromEntries([...document.querySelectorAll(".ladder")].map((e) => [e.dataset.connection, +e.dataset.rows]))`)
			for id, n := range rows {
				var doc struct{ Rows []any }
				if err := json.Unmarshal([]byte(output(t, "ladder", "--format", "json", "--connection", id, path)), &doc); err != nil || len(doc.Rows) != n {
					t.Errorf("connection %s has %d rows, the ladder %d (%v)", id, n, len(doc.Rows), err)
				}
			}
			b.quiet(t)
		})
	}
	if marks == 0 {
		t.Error("none of the captures has a retry or a loss")
	}
}

// TestHostileReport opens the report of a capture whose words are those of an attacker: they
// are text, and do nothing.
func TestHostileReport(t *testing.T) {
	b := newBrowser(t)
	path := filepath.Join(root(t), "testdata", "pcaps", "hazel", "kicked-hostile.pcap")
	b.open(t, reportOf(t, "--title", `</title></script><img src=x onerror="window.hurt=1"><script>window.hurt=1</script>`, path))
	if ask[bool](t, b, `"hurt" in window`) {
		t.Error("a script of the attacker ran")
	}
	if n := ask[int](t, b, `document.querySelectorAll("img, iframe, main script, a[href^=http], a[href^=javascript]").length`); n != 0 {
		t.Errorf("%d elements of the attacker", n)
	}
	if text := ask[string](t, b, `document.querySelector(".story").textContent`); !strings.Contains(text, "<script>alert(1)</script>") || strings.ContainsAny(text, "\u202e\u2066\x1b") {
		t.Errorf("the words of the attacker are not shown as text: %q", text)
	}
	b.quiet(t)
}

// TestReportKeys uses a report as its readers do: zoom by keys, a frame that is looked for, the table
// sorted, the search.
func TestReportKeys(t *testing.T) {
	b := newBrowser(t)
	b.open(t, reportOf(t, filepath.Join(root(t), "testdata", "pcaps", "ends", "outage.pcap")))
	span := `(() => { const u = page.drawn[0]; return u.scales.x.max - u.scales.x.min; })()`
	all := ask[float64](t, b, span)
	b.focus(t, "[data-chart=sequence]")
	b.do(t, chromedp.KeyEvent("+"))
	if half := ask[float64](t, b, span); half < all*0.4 || half > all*0.6 {
		t.Errorf("+ shows %v of %v s", half, all)
	}
	if alike := ask[bool](t, b, `page.drawn.every((u) => u.scales.x.min === page.drawn[0].scales.x.min && u.scales.x.max === page.drawn[0].scales.x.max)`); !alike {
		t.Error("the plots of a connection show different times")
	}
	b.do(t, chromedp.KeyEvent("0"))
	if again := ask[float64](t, b, span); again != all {
		t.Errorf("0 shows %v of %v s", again, all)
	}
	b.focus(t, "#search")
	b.do(t, chromedp.KeyEvent("96\r"))
	if near := ask[float64](t, b, span); near >= all/4 {
		t.Errorf("frame 96 shows %v of %v s", near, all)
	}
	if at := ask[[]float64](t, b, `[page.drawn[0].scales.x.min, page.drawn[0].scales.x.max]`); at[0] > 4.4 || at[1] < 4.4 {
		t.Errorf("frame 96, at 4.39 s, shows %v", at)
	}
	if text := ask[string](t, b, `document.querySelector(".row.found .no").textContent`); text != "96" {
		t.Errorf("the ladder marks frame %q", text)
	}
	b.do(t, chromedp.KeyEvent("\x1b"))
	b.focus(t, "#search")
	b.do(t, chromedp.KeyEvent("CAP-REORDER"))
	if text := ask[string](t, b, `document.getElementById("hits").textContent`); text != "2 hits" {
		t.Errorf("the search says %q", text)
	}
	b.do(t, chromedp.KeyEvent("\x1b"))
	if n := ask[int](t, b, `document.querySelectorAll(".hidden").length`); n != 0 {
		t.Errorf("%d rows stay hidden", n)
	}
	b.quiet(t)
}

// BenchmarkReport opens the report of a large capture, DPDISSECT_BIG, and zooms: the time
// until all is drawn, and that of a zoom, in ms.
func BenchmarkReport(b *testing.B) {
	path := os.Getenv("DPDISSECT_BIG")
	if path == "" {
		b.Skip("DPDISSECT_BIG names no capture")
	}
	for range b.N {
		b.Run("", func(b *testing.B) { measureReport(b, path) })
	}
}

func measureReport(b *testing.B, path string) {
	x := newBrowser(b)
	html := reportOf(b, path)
	x.open(b, html)
	b.ReportMetric(float64(len(html))/1e6, "MB")
	b.ReportMetric(ask[float64](b, x, `performance.getEntriesByType("paint").at(-1)?.startTime ?? -1`), "ms-first-paint")
	b.ReportMetric(ask[float64](b, x, `page.drawnAt`), "ms-drawn")
	zoom, err := chromedp.Run(x.ctx, chromedp.Evaluate[float64](`(async () => {
		const s = page.drawn[0].scales.x, all = [s.min, s.max], times = [];
		for (let i = 0; i < 20; i++) {
			const from = performance.now();
			page.drawn[0].setScale("x", { min: all[0], max: all[0] + (all[1] - all[0]) * (i % 2 ? 1 : 0.5) });
			await new Promise((done) => setTimeout(done)); // plots draw in microtasks
			times.push(performance.now() - from);
		}
		return times.sort((x, y) => x - y)[10];
	})()`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(zoom, "ms-zoom")
}
