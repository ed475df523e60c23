package metrics

import (
	"math"
	"strconv"
	"strings"
)

// A Page is what is told at one time: metrics with all of their series.
type Page struct {
	b     []byte
	floor floor // nil where counters may fall
}

// A floor is the largest value that was told of each counter. What is said of a connection may be
// taken back, and a counter that falls began again from nothing to who reads it: it stays where it
// was until the sum is there again.
type floor map[string]float64

func (f floor) raise(series string, v float64) float64 {
	f[series] = max(f[series], v)
	return f[series]
}

// Counter begins a metric that only grows, Gauge one that does not. The name has the prefix
// dpdissect_ already.
func (p *Page) Counter(name, help string) Metric { return p.begin(name, "counter", help) }

// Gauge is Counter of a number that rises and falls.
func (p *Page) Gauge(name, help string) Metric { return p.begin(name, "gauge", help) }

func (p *Page) begin(name, kind, help string) Metric {
	p.b = append(p.b, "# HELP "+name+" "+escaped(help, helpText)+"\n# TYPE "+name+" "+kind+"\n"...)
	return Metric{page: p, name: name, grows: kind == "counter"}
}

// A Metric of a page.
type Metric struct {
	page  *Page
	name  string
	grows bool
}

// Set adds the series of some labels, which are names and values by turns.
func (m Metric) Set(v float64, labels ...string) {
	series := m.name
	for i := 0; i+1 < len(labels); i += 2 {
		series += "{,"[min(i, 1):min(i, 1)+1] + labels[i] + `="` + escaped(labels[i+1], labelValue) + `"`
	}
	if len(labels) > 0 {
		series += "}"
	}
	if m.grows && m.page.floor != nil {
		v = m.page.floor.raise(series, v)
	}
	m.page.b = append(append(append(m.page.b, series...), ' '), number(v)...)
	m.page.b = append(m.page.b, '\n')
}

// A Histogram counts times.
type Histogram struct {
	bounds []float64 // upper ones of buckets, in seconds
	n      []uint64  // of those up to each bound and above the one before; the last is of the rest
	sum    float64   // s
}

// newHistogram makes one with these buckets.
func newHistogram(bounds ...float64) Histogram {
	return Histogram{bounds: bounds, n: make([]uint64, len(bounds)+1)}
}

// trips is a histogram of round trips.
func trips() Histogram { return newHistogram(0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5) }

// Observe counts a time, in ns.
func (h *Histogram) Observe(ns int64) {
	s := float64(ns) / 1e9
	i := 0
	for i < len(h.bounds) && s > h.bounds[i] {
		i++
	}
	h.n[i]++
	h.sum += s
}

// Add adds another one with the same buckets.
func (h *Histogram) Add(x *Histogram) {
	for i, n := range x.n {
		h.n[i] += n
	}
	h.sum += x.sum
}

// Histogram adds a metric of times, in seconds.
func (p *Page) Histogram(name, help string, h *Histogram) {
	m := p.begin(name, "histogram", help)
	m.name += "_bucket"
	sum := uint64(0)
	for i, n := range h.n {
		sum += n
		bound := math.Inf(1)
		if i < len(h.bounds) {
			bound = h.bounds[i]
		}
		m.Set(float64(sum), "le", number(bound))
	}
	m.name = name + "_sum"
	m.Set(h.sum)
	m.name = name + "_count"
	m.Set(float64(sum))
}

func number(v float64) string {
	if math.IsInf(v, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// Texts of help, and values of labels.
var (
	helpText   = strings.NewReplacer("\\", `\\`, "\n", `\n`)
	labelValue = strings.NewReplacer("\\", `\\`, "\n", `\n`, `"`, `\"`)
)

func escaped(text string, by *strings.Replacer) string {
	return by.Replace(strings.ToValidUTF8(text, "\uFFFD"))
}
