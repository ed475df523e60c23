package tracegen

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp8peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/hazelpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/knetpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// callKinds are the connections Call knows: as those of Big, but with an end.
var callKinds = map[string]func(t *Trace, talk Traffic){
	"none": func(t *Trace, talk Traffic) {
		s := setup(dp8peer.Unsigned, t.Paths)
		s.Setup = t.Setup
		dp8Stage(t, s).dialogue(talk, talk, gracefully)
	},
	"full": func(t *Trace, talk Traffic) {
		s := setup(dp8peer.Full, t.Paths)
		s.Setup = t.Setup
		dp8Stage(t, s).dialogue(talk, talk, gracefully)
	},
	"dp4": bigKinds["dp4"],
	"knet": func(t *Trace, talk Traffic) {
		k := knetStage(t, knetpeer.Library(), knetpeer.Library())
		k.calls(talk, talk, k.farewell())
	},
	"knet-spec": func(t *Trace, talk Traffic) {
		k := knetStage(t, knetpeer.Page(), knetpeer.Page())
		k.calls(talk, talk, k.farewell())
	},
	"hazel": func(t *Trace, talk Traffic) {
		hazelStage(t, hazelpeer.Now(), hazelpeer.Now()).calls(talk, talk, bye)
	},
}

// CallKinds are the names Call knows.
func CallKinds() []string { return slices.Sorted(maps.Keys(callKinds)) }

// Call writes a capture of one connection that lasts about as long as it is
// told, over a path that loses 2% of the packets, and then ends as its protocol
// does: DirectPlay 4 just falls silent. Each side says something every pause on
// average; the page of kNet sends 15 datagrams a second at first.
func Call(w io.Writer, kind string, seed uint64, lasts, pause time.Duration) error {
	start, ok := callKinds[kind]
	if !ok {
		return fmt.Errorf("unknown kind %q: want one of %v", kind, CallKinds())
	}
	t := newTrace(Setup{Paths: lossy(0.01), Compact: true}, seed)
	out, err := t.record(w)
	if err != nil {
		return err
	}
	last := time.Duration(0)
	write := t.Net.Sink
	t.Net.Sink = func(p sim.Packet) {
		write(p)
		last = p.Time
	}
	talk := Traffic{N: int(lasts / pause), Every: pause, Burst: 1, Min: 20, Max: 100, Reliable: 0.75, Sequential: 1, User: 0.05}
	start(t, talk)
	limit := lasts + lasts/2 + 10*time.Second
	t.Net.Clock.Run(limit, func() bool { return t.failed != nil || t.Net.Clock.Now()-last > 5*time.Second && t.Net.Frames() > 0 })
	return errors.Join(t.failed, out.Flush())
}
