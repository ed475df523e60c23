package pipeline

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/session"
)

// A flood is datagrams of many address pairs.
type flood struct {
	name    string
	pairs   int
	before  int64 // of the trace, ns
	step    int64 // between two datagrams, ns
	each    int   // datagrams of each pair …
	answers bool  // … and as many of the other side
	size    int   // of their payload
	chosen  bool  // all are of the shard of the trace's first pair
	told    bool  // pairs are left out
}

const second = int64(1e9)

var floods = []flood{
	{name: "1024 chosen pairs, 1 s before", pairs: 1024, before: second, step: 1000, each: 1, size: 1, chosen: true},
	{name: "20000 pairs, 1 s before", pairs: 20_000, before: second, step: 1000, each: 1, size: 1},
	{name: "40000 pairs, 1 s before", pairs: 40_000, before: second, step: 1000, each: 1, size: 1},
	{name: "40000 pairs, 20 s before", pairs: 40_000, before: 20 * second, step: 1000, each: 1, size: 1},
	{name: "9000 chosen pairs all the time", pairs: 9_000, step: 100_000, each: 1, size: 20, chosen: true},
	{name: "40000 large datagrams", pairs: 40_000, before: second, step: 1000, each: 1, size: 1400},
	{name: "20000 pairs of two datagrams", pairs: 20_000, before: second, step: 1000, each: 2, size: 40, told: true},
	{name: "20000 pairs of both sides", pairs: 20_000, before: second, step: 1000, each: 1, answers: true, size: 40, told: true},
}

// liveFloods are those that a live run is tried with.
var liveFloods = []flood{
	{name: "1024 chosen pairs, 1 s before", pairs: 1024, before: second, step: 1000, each: 1, size: 1, chosen: true},
	{name: "1024 chosen pairs, 20 s before", pairs: 1024, before: 20 * second, step: 1000, each: 1, size: 1, chosen: true},
	{name: "20000 pairs, 1 s before", pairs: 20_000, before: second, step: 1000, each: 1, size: 1},
	{name: "40000 pairs, 20 s before", pairs: 40_000, before: 20 * second, step: 1000, each: 1, size: 1},
}

// datagrams makes a flood around a trace.
func (f *flood) datagrams(trace []dissect.Datagram) (all []dissect.Datagram) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var s spread
	at := trace[0].Time - f.before
	server := dissect.Endpoint{Port: 2302}
	copy(server.IP[10:], []byte{0xff, 0xff, 10, 0, 0, 1})
	add := func(src, dst dissect.Endpoint) {
		d := dissect.Datagram{Time: at, HasTime: true, Src: src, Dst: dst, Payload: make([]byte, f.size), Length: f.size, CapLen: f.size + 28}
		for i := range d.Payload {
			d.Payload[i] = byte(rnd.Uint32())
		}
		all = append(all, d)
		at += f.step
	}
	for len(all) < f.pairs {
		d := dissect.Datagram{Time: at, Src: server, Dst: server}
		binary.BigEndian.PutUint32(d.Src.IP[12:], rnd.Uint32())
		d.Src.Port = uint16(rnd.Uint32())
		if len(all) > 0 && f.chosen {
			s.shardOf(&all[0]) // the first of all: it makes the key
			if s.shardOf(&d) != s.shardOf(&trace[0]) {
				continue
			}
		}
		add(d.Src, d.Dst)
	}
	if first := all; f.each > 1 || f.answers {
		for range f.each - 1 {
			for i := range first {
				add(first[i].Src, first[i].Dst)
			}
		}
		for i := range first {
			if f.answers {
				add(first[i].Dst, first[i].Src)
			}
		}
	}
	return all
}

// A table of what is followed in a trace, whatever frames stand before it.
type followed struct {
	conns, findings []string
	leftOut         uint64
	pairs           int // that were remembered at most
}

var frameNumbers = regexp.MustCompile(`frames? \d+|#\d+`)

// followAll tracks datagrams, ordered by time, as of a file or as of a live run, whose clock
// looks at what fell silent once a second and takes out what ended.
func followAll(all []dissect.Datagram, live bool) followed {
	slices.SortStableFunc(all, func(a, b dissect.Datagram) int { return int(a.Time - b.Time) })
	var findings Findings
	var r Run
	cfg := session.Config{Protocols: protocols.All(protocols.Options{})}
	if live {
		cfg.Idle, cfg.Endings = session.DefaultIdle, true
		findings.Watch(true)
	}
	findings.Attach(&r)
	tables := newTables(cfg, r.Sink)
	r.tables = tables
	watch := Watch{run: &r}
	var s spread
	var got followed
	ticked := all[0].Time
	for i := range all {
		d := all[i]
		d.Frame = uint64(i + 1)
		if live && d.Time-ticked >= int64(tickEvery) {
			ticked = d.Time
			watch.tick(ticked)
		}
		tables[s.shardOf(&d)].Add(&d)
		r.latest = d.Time
		if i%1000 == 0 {
			pairs := 0
			for _, t := range tables {
				_, n, _ := t.Live()
				pairs += n
			}
			got.pairs = max(got.pairs, pairs)
		}
	}
	tables.close(all[len(all)-1].Time)
	var conns []*session.Conn
	for _, t := range tables {
		if got.leftOut += t.LeftOut(); !live {
			conns = append(conns, t.Conns()...)
		}
	}
	if live {
		conns, _ = watch.All()
	}
	session.Number(conns)
	for _, c := range conns {
		text := fmt.Sprintf("%s %s %v-%v %v %v %s complete %v", c.Protocol.Name, c.Dialect, c.A, c.B, c.State, c.ClosedBy, c.Reason, c.Complete)
		for dir := range dissect.Dirs {
			d := &c.Dir[dir]
			text += fmt.Sprintf("; %d frames %d bytes %d retries %d copies %d missing %+v", d.Frames, d.Bytes, d.Retries, d.Duplicates, d.Missing(), d.Lost())
		}
		got.conns = append(got.conns, text)
	}
	for _, f := range findings.All() {
		got.findings = append(got.findings, f.Rule.ID+": "+frameNumbers.ReplaceAllString(f.Message, "frame N"))
	}
	return got
}

// TestFloodHidesNobody: connections and findings are the same with a flood of address pairs
// before them, or all the time, as without it; and where pairs of the flood itself were
// given up though more than one datagram of them came, that is counted. Two of the traces
// are tried with each flood, or all of them: see everyCase.
func TestFloodHidesNobody(t *testing.T) {
	floodHidesNobody(t, false, floods, "dp8/full-signed-lossy.pcap", "dp8/midstream-unsigned.pcap", "dp4/windows-lossy.pcap", "hazel/lossy-current.pcap", "knet/lossy-reference.pcap")
}

// TestFloodHidesNobodyLive: nor does it in a live run.
func TestFloodHidesNobodyLive(t *testing.T) {
	floodHidesNobody(t, true, liveFloods, "dp8/full-signed-lossy.pcap", "dp4/windows-lossy.pcap", "hazel/lossy-current.pcap", "knet/lossy-reference.pcap")
}

func floodHidesNobody(t *testing.T, live bool, floods []flood, traces ...string) {
	t.Helper()
	for i, name := range traces {
		trace := captured.Tracked(t, filepath.Join("../../testdata/pcaps", name))
		want := followAll(slices.Clone(trace), live)
		if len(want.conns) == 0 || len(want.findings) == 0 && !strings.Contains(name, "hazel") {
			t.Fatalf("%s: %d connections, %d findings", name, len(want.conns), len(want.findings))
		}
		for k, f := range floods {
			if k%len(traces) != i && (k+2)%len(traces) != i && !everyCase() {
				continue
			}
			got := followAll(append(f.datagrams(trace), trace...), live)
			if !slices.Equal(got.conns, want.conns) {
				t.Errorf("%s, %s: connections\n%s\nwant\n%s", name, f.name, strings.Join(got.conns, "\n"), strings.Join(want.conns, "\n"))
			}
			if !slices.Equal(got.findings, want.findings) {
				t.Errorf("%s, %s: findings\n%s\nwant\n%s", name, f.name, strings.Join(got.findings, "\n"), strings.Join(want.findings, "\n"))
			}
			if (got.leftOut > 0) != f.told {
				t.Errorf("%s, %s: %d pairs left out", name, f.name, got.leftOut)
			}
			if most := Shards*(session.MaxSingle+session.MaxOneWay+session.MaxAnswered+session.MaxForeign) + len(want.conns); got.pairs > most {
				t.Errorf("%s, %s: %d pairs remembered, want %d at most", name, f.name, got.pairs, most)
			}
		}
	}
}
