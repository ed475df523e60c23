package tablecmd

import (
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/metrics"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/tables"
)

// Run reads a capture and writes its rows. What can't be read is told by the source; where nothing
// could be, there are no rows. Of a step of several inputs, one that is missing leaves no rows: the old
// state stays, and the step may be repeated.
func (f *Flags) Run(r *pipeline.Run, o tables.Options) error {
	if r.Source.Waits() {
		Waits(&o)
	}
	e := tables.Attach(r, o)
	defer e.Abandon()
	m, err := metrics.Start(r, f.Metrics, o.Build, o.Point)
	if err != nil {
		return err
	}
	defer m.Close()
	pieces := r.State != nil
	if pieces {
		r.State.Kept, r.State.Resumed = e.Kept, e.Resumed
	}
	if err := r.Do(); err != nil {
		return err
	}
	defer m.Finish()
	infos := r.Source.Infos()
	switch {
	case nothing(infos[r.Source.Before():]), pieces && r.Source.Unreadable():
		return nil
	case pieces && r.State.Leave != nil:
		return e.Rest()
	}
	return e.End(metrics.Latest(infos))
}

// nothing reports whether an input failed and none has packets.
func nothing(infos []capture.Info) bool {
	failed := false
	for i := range infos {
		if infos[i].Packets > 0 {
			return false
		}
		failed = failed || infos[i].Failed
	}
	return failed
}

// Short and Long are the help of the command.
const (
	Short = "Write rows for databases: connections, ends, findings, intervals"

	Long = `Write what 'analyze', 'explain' and 'timeline' say as rows for databases, below
DIR: connections, ends (why each ended), findings, intervals, rollup (intervals
summed up over all connections, at 60 s, with no address in it) and, when named,
messages. Several INPUTs are pieces of one capture, read one after the other.

A row is written once, when nothing that comes later can change it: a connection
ten minutes after its last packet, or at the end of the run. Files are named
DIR/TABLE/point=P/date=YYYY-MM-DD/CHAIN.STEP.ndjson and have their names when
they are complete: the same step again replaces them by the same bytes. The key
of a row is point, chain and conn, the number of the connection's first frame.

With -i, pipes and --follow a step ends every 15 minutes (--every).`

	Example = `  dpdissect tables --out rows game.pcap
  dpdissect tables --out rows --point paris --interval 60 -i eth0
  dpdissect tables --out rows --addresses keyed --address-key key game.pcap
  dpdissect tables --out rows --chain match7 one.pcap two.pcap`
)
