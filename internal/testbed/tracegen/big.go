package tracegen

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp4peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp8peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/hazelpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/knetpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// bigKinds are what Big makes captures of: two ends that talk without end.
var bigKinds = map[string]func(t *Trace, talk Traffic){
	"none": bigDP8(dp8peer.Unsigned),
	"fast": bigDP8(dp8peer.Fast),
	"full": bigDP8(dp8peer.Full),
	"dp4":  func(t *Trace, talk Traffic) { dp4Stage(t, dp4peer.Windows(), dp4peer.Windows()).join(1, 2, talk, talk) },
	"knet": func(t *Trace, talk Traffic) {
		knetStage(t, knetpeer.Library(), knetpeer.Library()).calls(talk, talk, nil)
	},
	"knet-spec": func(t *Trace, talk Traffic) { knetStage(t, knetpeer.Page(), knetpeer.Page()).calls(talk, talk, nil) },
	"hazel":     func(t *Trace, talk Traffic) { hazelStage(t, hazelpeer.Now(), hazelpeer.Now()).calls(talk, talk, nil) },
}

// BigKinds are the names Big knows.
func BigKinds() []string { return slices.Sorted(maps.Keys(bigKinds)) }

func bigDP8(mode uint32) func(t *Trace, talk Traffic) {
	return func(t *Trace, talk Traffic) {
		s := setup(mode, t.Paths).both(noCoalescing)
		s.Setup = t.Setup
		dp8Stage(t, s).dialogue(talk, talk, nil)
	}
}

// Big writes a capture of n frames: two ends that talk without end over a path
// that loses 2% of the packets. Memory does not grow with n, but for kNet, whose
// ends remember every message as its library does. The truth has the counts and no messages; rtt covers the last numbers only and is left out.
func Big(w io.Writer, n int, seed uint64, kind string) (*Truth, error) {
	start, ok := bigKinds[kind]
	if !ok {
		return nil, fmt.Errorf("unknown kind %q: want one of %v", kind, BigKinds())
	}
	t := newTrace(Setup{Paths: lossy(0.01), Compact: true}, seed) // 1% on each segment
	out, err := t.record(w)
	if err != nil {
		return nil, err
	}
	write := t.Net.Sink
	t.Net.Sink = func(p sim.Packet) {
		write(p)
		if p.Frame == n {
			t.Net.Tap.Stop = t.Net.Clock.Now() // the capture is full
		}
	}
	talk := Traffic{N: 1 << 40, Every: 8 * time.Millisecond, Burst: 4, Min: 40, Max: 120, Reliable: 0.75, Sequential: 1, User: 0.05}
	start(t, talk)
	t.Net.Clock.Run(1<<62, func() bool { return t.Net.Frames() >= n || t.failed != nil })
	truth := t.truthWatch.report(&Scenario{Name: fmt.Sprintf("big-%s-%d", kind, n), Seed: seed,
		Clause: "none", Proves: "speed", Expect: "counts as in the truth"}, t)
	for i := range truth.Connections {
		for k, d := range truth.Connections[i].Directions {
			d.RTT = nil
			truth.Connections[i].Directions[k] = d
		}
	}
	return truth, errors.Join(t.failed, out.Flush())
}
