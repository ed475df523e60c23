package metrics

import (
	"maps"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/measure"
)

// page makes a page about the run so far. Counters stay above floor, which is nil at the end of the
// run.
func (m *Meter) page(floor floor) *Page {
	p := &Page{floor: floor}
	captured(p, m.run.Source.Infos())
	m.connections(p)
	m.observed(p)
	p.Counter("dpdissect_internal_errors_total", "Faults of this program, each of which ended the connections of an address pair.").Set(float64(len(m.run.Internal())))
	built(p, m.build)
	return p
}

// built adds the version of the program and further labels of the build.
func built(p *Page, labels []string) {
	p.Gauge("dpdissect_build_info", "1, with the version of the program.").Set(1, labels...)
}

// captured adds the counters of the packets that were read.
func captured(p *Page, infos []capture.Info) {
	var packets, bytes, dropped uint64
	for i := range infos {
		packets, bytes, dropped = packets+infos[i].Packets, bytes+infos[i].Bytes, dropped+infos[i].Dropped
	}
	p.Counter("dpdissect_packets_total", "Packets that were captured.").Set(float64(packets))
	p.Counter("dpdissect_bytes_total", "Captured bytes of these packets.").Set(float64(bytes))
	p.Counter("dpdissect_capture_dropped_total", "Packets that the capture lost.").Set(float64(dropped))
	if last := Latest(infos); last != 0 {
		p.Gauge("dpdissect_last_packet_timestamp_seconds", "Time of the latest packet.").Set(float64(last) / 1e9)
	}
}

// connections adds the counters of connections, closed ones and open ones.
func (m *Meter) connections(p *Page) {
	sums := map[string]*sum{}
	for name, s := range m.sums {
		sums[name] = &sum{counts: s.counts, ended: s.ended}
	}
	for _, c := range m.run.Open() {
		if s := sumOf(sums, c); !c.Closed() {
			s.add(c)
			if !c.Over() {
				s.open++
			}
		}
	}
	names := slices.Sorted(maps.Keys(sums))
	if p.floor == nil { // the run is over, and ended them
		for _, s := range sums {
			s.open += s.ended[explain.StillOpen]
		}
	}
	open := p.Gauge("dpdissect_connections_open", "Connections that go on.")
	for _, name := range names {
		open.Set(float64(sums[name].open), "protocol", name)
	}
	ends := explain.Ends()
	over := p.Counter("dpdissect_connections_ended_total", "Connections that ended, by why, as in the analysis.")
	for _, name := range names {
		for _, cause := range ends {
			if cause == explain.StillOpen {
				continue
			}
			over.Set(float64(sums[name].ended[cause]), "protocol", name, "cause", string(cause))
		}
	}
	retries := p.Counter("dpdissect_retries_total", sentence(measure.Table[measure.Retries].Counts))
	n := int64(0)
	for _, name := range names {
		n += sums[name].counts[measure.Retries]
	}
	retries.Set(float64(n))
	lost := p.Counter("dpdissect_lost_total", "Datagrams proved lost: before the capture point, after it, or by the capture.")
	for _, name := range names {
		for _, c := range []measure.Counter{measure.LostBefore, measure.LostAfter, measure.NotCaptured} {
			_, where, _ := strings.Cut(measure.Table[c].Key, ".")
			lost.Set(float64(sums[name].counts[c]), "protocol", name, "where", where)
		}
	}
}

// sentence makes a sentence of a text of the table of measures.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }

// observed adds what the taps counted.
func (m *Meter) observed(p *Page) {
	all := trips()
	findings := map[found]uint64{}
	for _, t := range m.taps {
		if t == nil {
			continue
		}
		all.Add(&t.trips)
		for f, n := range t.findings {
			findings[f] += n
		}
	}
	p.Histogram("dpdissect_rtt_seconds", "Round trips, as rtt of the analysis.", &all)
	broken := p.Counter("dpdissect_findings_total", "Findings whose verdict is fail.")
	for _, f := range slices.SortedFunc(maps.Keys(findings), func(a, b found) int { return strings.Compare(a.rule.ID, b.rule.ID) + int(a.severity) - int(b.severity) }) {
		broken.Set(float64(findings[f]), "rule", f.rule.ID, "severity", f.severity.String())
	}
}
