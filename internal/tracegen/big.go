package tracegen

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dpdissect/dpdissect/internal/tracegen/dp8peer"
	"github.com/dpdissect/dpdissect/internal/tracegen/sim"
)

// Big writes a capture of n frames: two ends that talk without end over a path
// that loses 2% of the packets. Memory does not grow with n. The truth has the
// counts and no messages; rtt covers the last numbers only and is left out.
func Big(w io.Writer, n int, seed uint64, signing string) (*Truth, error) {
	mode, ok := map[string]uint32{"none": dp8peer.Unsigned, "fast": dp8peer.Fast, "full": dp8peer.Full}[signing]
	if !ok {
		return nil, fmt.Errorf("unknown signing %q: want none, fast or full", signing)
	}
	s := setup(mode, lossy(0.01)).both(noCoalescing) // 1% on each segment
	s.Lean = true
	t := newDP8Trace(s, seed)
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
	t.dialogue(talk, talk, nil)
	t.Net.Clock.Run(1<<62, func() bool { return t.Net.Frames() >= n || t.failed != nil })
	truth := t.ledger.report(&Scenario{Name: fmt.Sprintf("big-%s-%d", signing, n), Seed: seed,
		Clause: "none", Proves: "speed", Expect: "counts as in the truth"}, t.Trace)
	for i := range truth.Connections {
		for k, d := range truth.Connections[i].Directions {
			d.RTT = nil
			truth.Connections[i].Directions[k] = d
		}
	}
	return truth, errors.Join(t.failed, out.Flush())
}
