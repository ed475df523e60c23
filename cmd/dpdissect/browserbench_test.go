package main

import (
	"os"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/chromium"
)

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

// BenchmarkReportThousand is BenchmarkReport of 1,000 connections with 100,000 packets.
func BenchmarkReportThousand(b *testing.B) {
	path := thousand(b, 100_000)
	for range b.N {
		b.Run("", func(b *testing.B) { measureReport(b, path) })
	}
}

func measureReport(b *testing.B, path string) {
	browser := chromium.Start(b)
	html := reportOf(b, path)
	x := shown(b, browser, html)
	cpu := x.Metrics() // as soon as the page says that it is ready
	b.ReportMetric(ask[float64](b, x, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))`), "ms-painted")
	for _, name := range []string{"Task", "Script", "Layout", "RecalcStyle"} {
		b.ReportMetric(1000*cpu[name+"Duration"], "cpu-ms-"+strings.ToLower(name))
	}
	b.ReportMetric(float64(len(html))/1e6, "MB")
	b.ReportMetric(ask[float64](b, x, `performance.getEntriesByType("paint").at(-1)?.startTime ?? -1`), "ms-first-paint")
	b.ReportMetric(ask[float64](b, x, `page.overviewAt`), "ms-overview")
	b.ReportMetric(ask[float64](b, x, `page.drawnAt`), "ms-drawn")
	zoom := ask[float64](b, x, `(async () => {
		page.openAt(page.pictures.connections[0].id);
		document.querySelector("[data-chart]").scrollIntoView();
		const s = page.drawn[0].scales.x, all = [s.min, s.max], times = [];
		for (let i = 0; i < 20; i++) {
			const from = performance.now();
			page.drawn[0].setScale("x", { min: all[0], max: all[0] + (all[1] - all[0]) * (i % 2 ? 1 : 0.5) });
			await new Promise((done) => setTimeout(done)); // plots draw in microtasks
			times.push(performance.now() - from);
		}
		return times.sort((x, y) => x - y)[10];
	})()`)
	b.ReportMetric(zoom, "ms-zoom")
}
