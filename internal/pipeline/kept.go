package pipeline

import (
	"slices"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/session"
)

// kept are the shards that the reader tracks itself. Only the reader uses it.
type kept [Shards]keptShard

type keptShard struct {
	is     bool   // the reader tracks the shard
	added  uint64 // datagrams since it was looked at
	rested uint64 // of the table, then
}

// lookAtKept is after how many datagrams the reader asks whether a shard is still light.
const lookAtKept = 512

// A weight says whether to track some datagrams costs more than to hand them over does.
type weight uint8

const (
	unknown weight = iota
	light          // most are of pairs that look like no protocol, and are only counted
	heavy
)

// weigh gives the weight of so many datagrams, of which some rested.
func weigh(added, rested uint64) weight {
	if rested*4 >= added*3 {
		return light
	}
	return heavy
}

// keep gives the reader the light shards that nobody has anything to do for. The lock is
// held.
func (w *crew) keep() {
	for i := range w.kept {
		if k := &w.kept[i]; !k.is && w.weights[i] == light && !w.busy[i] && len(w.tasks[i]) == 0 {
			*k = keptShard{true, 0, w.run.tables[i].Rested()}
		}
	}
}

// track tracks a packet of a shard that the reader keeps.
func (k *keptShard) track(r *Run, shard int, place uint8, p *capture.Packet) {
	r.add(shard, place, &p.Datagram)
	if k.added++; k.added == lookAtKept {
		k.weigh(r.tables[shard])
	}
}

// weigh hands a shard back that is no longer light. It is given to the others again with
// the next batch, and the reader must not see it as light until it was tracked there.
func (k *keptShard) weigh(t *session.Table) {
	rested := t.Rested()
	k.is = weigh(k.added, rested-k.rested) == light
	k.added, k.rested = 0, rested
}

// light reports whether what was tracked of late was not worth handing over.
func (w *crew) light() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Contains(w.weights[:], light) && !slices.Contains(w.weights[:], heavy)
}

// alone reads and tracks as a run of one worker does, and hands nothing over, while that is
// light. Nothing waits to be tracked then. It reports whether there may be more packets.
func (w *crew) alone() (more bool, err error) {
	r := w.run
	more = true
	for now := light; more && now == light; {
		udp, rested := r.Source.Totals().UDPDatagrams, r.rested()
		for n := 0; n < lookAtKept && more; n += readAhead {
			if more, err = r.step(); err != nil {
				return false, err
			}
		}
		now = weigh(r.Source.Totals().UDPDatagrams-udp, r.rested()-rested)
	}
	for i := range w.kept {
		w.kept[i].added, w.kept[i].rested = 0, r.tables[i].Rested()
	}
	return more, nil
}

// rested sums up the datagrams that were only counted.
func (r *Run) rested() (n uint64) {
	for _, t := range r.tables {
		n += t.Rested()
	}
	return n
}
