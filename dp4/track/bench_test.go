package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4/rules"
	"github.com/dpdissect/dpdissect/session"
)

// benchmarkTrack measures the way of a datagram through the tracker, in ns a
// datagram, when nothing but the counters is wanted.
func benchmarkTrack(b *testing.B, cfg worldConfig) {
	w := newWorld(1, cfg)
	list := make([]dissect.Datagram, len(w.tap))
	for i := range w.tap {
		x := &w.tap[i]
		list[i] = dissect.Datagram{Frame: uint64(i + 1), Time: x.at, HasTime: true, Src: hosts[x.from], Dst: hosts[x.from.Other()],
			Payload: x.payload, Length: len(x.payload), IPID: x.ipid, Sum: uint64(i + 1)}
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); {
		tab := session.NewTable(session.Config{Protocols: []*session.Protocol{rules.New()}})
		for i := range list {
			tab.Add(&list[i])
		}
		tab.Close(w.now)
		n += len(list)
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/datagram")
	}
}

func BenchmarkTrackClean(b *testing.B) { benchmarkTrack(b, worldConfig{messages: 10000}) }

func BenchmarkTrackLossy(b *testing.B) {
	benchmarkTrack(b, worldConfig{messages: 10000, before: 0.01, after: 0.01, double: 0.01, jitter: 4, nacks: true})
}
