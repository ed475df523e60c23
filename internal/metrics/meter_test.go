package metrics

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/testbed/pcaps"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// captures are those made elsewhere, and of each protocol what this project's generator made of
// losses and of ends.
func captures(t testing.TB) []string {
	made, err := filepath.Glob("../../testdata/pcaps/*/*los*.pcap*")
	if err != nil || len(made) < 10 {
		t.Fatal(len(made), err)
	}
	ends, err := filepath.Glob("../../testdata/pcaps/ends/*.pcap")
	if err != nil || len(ends) < 5 {
		t.Fatal(len(ends), err)
	}
	return slices.Concat(pcaps.All(t), made, ends)
}

// metered runs over a file with a meter that looks at it now and then, and gives its last page and
// the document of the analysis. leave says that connections are taken out of the tracker once they
// are over.
func metered(t testing.TB, file string, leave bool) (page string, doc analysis) {
	t.Helper()
	src, err := capture.Open([]string{file}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := &pipeline.Run{Source: src, Workers: 1}
	r.Config.Protocols, r.Config.Endings = protocols.All(protocols.Options{}), true
	var f pipeline.Findings
	f.Attach(r)
	s := &Server{}
	m := attach(r, s, "v1", "paris")
	var gone []*session.Conn
	if leave {
		r.Config.Pack, r.Config.Silence = true, 5e9
		r.EveryCaptured(1e9, func(now int64) error {
			r.Tick(now)
			gone = append(gone, r.TakeClosed()...)
			return nil
		})
		r.KeepEnded(func() []*session.Conn { return gone })
	}
	before, packets := map[string]float64{}, 0
	r.After = func(uint64) error {
		if packets++; packets%97 == 0 {
			m.count(false)
			now := series(t, string(m.page(m.floor).b))
			for name, v := range before {
				if strings.Contains(name, "_total") && now[name] < v {
					t.Errorf("%s: %s fell from %v to %v", file, name, v, now[name])
				}
			}
			before = now
		}
		return nil
	}
	if err := r.Do(); err != nil {
		t.Fatal(err)
	}
	m.Finish()
	conns := append(gone, r.Open()...)
	session.Number(conns)
	a := &report.Analysis{Captures: src.Infos(), Totals: report.Totals{Totals: r.Totals()}, Conns: conns, Findings: f.All()}
	a.Story = explain.Tell(conns, r.Stories(), Latest(m.run.Source.Infos()))
	var b bytes.Buffer
	if err := report.WriteJSON(&b, a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	return string(s.page.Load().text), doc
}

// analysis is what of a document is compared.
type analysis struct {
	Captures    []struct{ Packets, Bytes, Dropped float64 }
	Connections []struct {
		Protocol   string
		End        struct{ Cause string }
		Findings   map[string]float64
		Directions map[string]struct {
			Retries float64
			Lost    map[string]float64
			RTT     struct{ Samples float64 }
		}
	}
	Findings []struct {
		Rule, Severity, Verdict string
		Connection              *int
	}
}

// want are the series that a document says.
func (a *analysis) want() map[string]float64 {
	w := map[string]float64{}
	for _, c := range a.Captures {
		w["dpdissect_packets_total"] += c.Packets
		w["dpdissect_bytes_total"] += c.Bytes
		w["dpdissect_capture_dropped_total"] += c.Dropped
	}
	for _, c := range a.Connections {
		if c.End.Cause == "still-open" {
			w[fmt.Sprintf("dpdissect_connections_open{protocol=%q}", c.Protocol)]++
		} else {
			w[fmt.Sprintf("dpdissect_connections_ended_total{protocol=%q,cause=%q}", c.Protocol, c.End.Cause)]++
		}
		for _, d := range c.Directions {
			w["dpdissect_retries_total"] += d.Retries
			w["dpdissect_rtt_seconds_count"] += d.RTT.Samples
			for where, n := range d.Lost {
				w[fmt.Sprintf("dpdissect_lost_total{protocol=%q,where=%q}", c.Protocol, where)] += n
			}
		}
		for severity, n := range c.Findings {
			w["findings "+severity] += n
		}
	}
	for _, f := range a.Findings {
		if f.Connection == nil && f.Verdict == "fail" {
			w["findings "+f.Severity]++
		}
	}
	return w
}

// series reads a page.
func series(t testing.TB, page string) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		v, err := strconv.ParseFloat(strings.TrimSpace(line[at+1:]), 64)
		if err != nil {
			t.Fatal(line, err)
		}
		if _, twice := all[line[:at]]; twice {
			t.Errorf("%s stands twice", line[:at])
		}
		all[line[:at]] = v
	}
	return all
}

// TestMetricsEqualTheDocument: at the end of a run the sums are those of the analysis, of each
// committed capture. Until then no counter falls.
func TestMetricsEqualTheDocument(t *testing.T) {
	seen, labels := map[string]bool{}, map[string]bool{}
	for i, file := range captures(t) {
		page, doc := metered(t, file, i%2 == 1 || strings.Contains(file, "/ends/"))
		checkLabels(t, page, labels)
		got, want := series(t, page), doc.want()
		for name, n := range got {
			if strings.HasPrefix(name, "dpdissect_findings_total") {
				severity := regexp.MustCompile(`severity="(\w+)"`).FindStringSubmatch(name)[1]
				got["findings "+severity] += n
			}
		}
		for name, n := range want {
			if n == 0 {
				continue
			}
			if got[name] != n {
				t.Errorf("%s: %s is %v, %v in the document", file, name, got[name], n)
			}
			seen[strings.Split(name, "{")[0]] = true
		}
		for name, n := range got {
			counted := strings.Contains(name, "_connections_") || strings.Contains(name, "_lost_") || strings.Contains(name, "_retries_")
			if counted && n != 0 && want[name] == 0 {
				t.Errorf("%s: %s is %v, nothing in the document", file, name, n)
			}
		}
	}
	for _, name := range []string{"dpdissect_packets_total", "dpdissect_bytes_total", "dpdissect_retries_total", "dpdissect_rtt_seconds_count",
		"dpdissect_lost_total", "dpdissect_connections_open", "findings error", "findings note", "dpdissect_connections_ended_total"} {
		if !seen[name] {
			t.Errorf("no capture has %s", name)
		}
	}
	if len(labels) != len(allowed) {
		t.Errorf("only %v were seen", slices.Sorted(maps.Keys(labels)))
	}
}

// allowed are the names of labels.
var allowed = []string{"cause", "le", "point", "protocol", "rule", "severity", "version", "where"}

// checkLabels looks at all labels of a page: none has an address.
func checkLabels(t *testing.T, page string, seen map[string]bool) {
	address := regexp.MustCompile(`\d+\.\d+\.\d+\.\d+|[0-9a-f]*:[0-9a-f]*:`)
	for _, l := range regexp.MustCompile(`(\w+)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if seen[l[1]] = true; !slices.Contains(allowed, l[1]) || address.MatchString(l[2]) {
			t.Errorf("label %s", l[0])
		}
	}
}

// TestSeries: whatever happens there are at most 2,000 series.
func TestSeries(t *testing.T) {
	all := protocols.All(protocols.Options{})
	most := 100 + len(all)*(1+len(explain.Ends())+3)
	for _, p := range all {
		most += 3 * len(p.Rules) // by severity
	}
	most += 3 * len(session.Quality)
	if most > 2000 {
		t.Errorf("there may be %d series", most)
	}
	t.Logf("at most %d series", most)
}

// BenchmarkPage makes the page of a run over all captures made elsewhere, which a run does every
// second.
func BenchmarkPage(b *testing.B) {
	src, err := capture.Open(pcaps.All(b), capture.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	r := &pipeline.Run{Source: src, Workers: 1}
	r.Config.Protocols, r.Config.Endings = protocols.All(protocols.Options{}), true
	new(pipeline.Findings).Attach(r)
	m := attach(r, &Server{}, "v1", "")
	pages := false
	r.After = func(uint64) error {
		if src.Totals().Packets < 20_000 || pages {
			return nil
		}
		pages = true
		for b.Loop() {
			m.count(false)
			m.page(m.floor)
		}
		open := 0
		for _, c := range r.Open() {
			if !c.Closed() {
				open++
			}
		}
		b.ReportMetric(float64(open), "connections")
		return nil
	}
	if err := r.Do(); err != nil {
		b.Fatal(err)
	}
}

// TestLateAreBounded: of connections that others may still tell of, the oldest are forgotten, and
// still count.
func TestLateAreBounded(t *testing.T) {
	src, err := capture.Open([]string{"../../testdata/pcaps/dp8/unsigned-lossy.pcap"}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := &pipeline.Run{Source: src, Workers: 1}
	new(pipeline.Findings).Attach(r)
	m := attach(r, &Server{}, "v1", "")
	if err := r.Do(); err != nil {
		t.Fatal(err)
	}
	protocol := protocols.All(protocols.Options{})[0].Protocol
	for i := range 3 * maxLate {
		c := &session.Conn{Protocol: protocol, Dir: new([2]seq.Direction), FirstFrame: uint64(i)}
		m.fresh = append(m.fresh, c)
		if i%100 == 0 {
			m.count(false)
		}
	}
	m.count(false)
	if len(m.late) > maxLate || m.sums[protocol.Name].ended[explain.Undecided] != 3*maxLate {
		t.Errorf("%d are kept, %v counted", len(m.late), m.sums[protocol.Name].ended)
	}
}

// TestCountersNeverFall: what is taken back is told as it was, until the sum is there again.
func TestCountersNeverFall(t *testing.T) {
	f := floor{}
	for _, c := range [][2]float64{{3, 3}, {2, 3}, {4, 4}, {1, 4}} {
		p := &Page{floor: f}
		p.Counter("dpdissect_x_total", "X.").Set(c[0], "protocol", "dp8")
		p.Gauge("dpdissect_y", "Y.").Set(c[0])
		got := series(t, string(p.b))
		if got[`dpdissect_x_total{protocol="dp8"}`] != c[1] || got["dpdissect_y"] != c[0] {
			t.Errorf("%v: %v", c, got)
		}
	}
}
