package whole

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// nullSink takes everything and keeps nothing.
type nullSink struct{}

func (nullSink) Frame(fr *dissect.Frame, c *session.Conn) {}
func (nullSink) Acked(seq.Position, uint64)               {}
func (nullSink) Message(m *session.Message)               {}
func (nullSink) Finding(f *session.Finding)               {}

// TestMutatedCaptures damages the traces in every way a network, a capture or another
// host can: nothing panics, and every datagram is counted once, as that of a
// connection or as another one. Half of the rounds are forced, in any dialect. A trace has
// every other round, or all of them: see everyCase.
func TestMutatedCaptures(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	files, _ := filepath.Glob("../../../testdata/pcaps/*/*.pcap")
	if len(files) == 0 {
		t.Fatal("no traces")
	}
	for i, f := range files {
		all := captured.Datagrams(t, f)
		if len(all) > 2000 {
			continue
		}
		for round := range 12 {
			if round%2 != i%2 && !everyCase() {
				continue
			}
			tab := session.NewTable(mutatedConfig(rnd, round))
			want := uint64(0)
			for i := range all {
				d := mutated(rnd, all[i])
				tab.Add(&d)
				if d.Kind == dissect.UDP {
					want++
				}
			}
			tab.Close(0)
			if decoded, _, other := tab.Totals(); decoded+other != want {
				t.Errorf("%s, round %d: %d of connections and %d others, want %d in all", filepath.Base(f), round, decoded, other, want)
			}
		}
	}
}

// mutatedConfig asks for something else in each round.
func mutatedConfig(rnd *rand.Rand, round int) session.Config {
	cfg := session.Config{Protocols: protocols.All(protocols.Options{}), Links: round%2 == 0, Trees: round%3 == 0,
		Summaries: true, Messages: session.MessageMode(round % 3), Incomplete: true, Sink: nullSink{}}
	if round < 6 {
		return cfg
	}
	force := session.Force{Hi: 65535, Protocol: cfg.Protocols[round%len(cfg.Protocols)]}
	if all := force.Protocol.Dialects; len(all) > 0 {
		force.Dialect = all[rnd.IntN(len(all))]
	}
	cfg.Force = []session.Force{force}
	return cfg
}

// mutated damages one datagram in six and more.
func mutated(rnd *rand.Rand, d dissect.Datagram) dissect.Datagram {
	d.Payload = slices.Clone(d.Payload)
	switch n := rnd.IntN(120); {
	case n < 20 && len(d.Payload) > 0:
		for range 1 + rnd.IntN(4) {
			d.Payload[rnd.IntN(len(d.Payload))] = byte(rnd.Uint32())
		}
	case n < 26:
		d.Payload = d.Payload[:rnd.IntN(len(d.Payload)+1)]
		if n < 23 {
			d.Length = len(d.Payload)
		}
	case n < 29:
		d.Time += rnd.Int64N(100) * 1e9
	case n < 32:
		d.Src, d.Dst = d.Dst, d.Src
	case n < 34:
		d.Kind = dissect.Unreachable
	case n < 37:
		d.BadChecksum = true
	}
	return d
}
