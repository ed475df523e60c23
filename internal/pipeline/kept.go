package pipeline

import (
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

// isLight reports whether to track so many datagrams costs less than handing them over does:
// nearly all are of pairs that look like no protocol, and are only counted.
func isLight(added, rested uint64) bool { return rested*8 >= added*7 }

// keep gives the reader the light shards that nobody has anything to do for. The lock is
// held.
func (w *crew) keep() {
	for i := range w.kept {
		if k := &w.kept[i]; !k.is && w.light[i] && !w.busy[i] && len(w.tasks[i]) == 0 {
			*k = keptShard{true, 0, w.run.tables[i].Rested()}
		}
	}
}

// track tracks a packet of a shard that the reader keeps.
func (k *keptShard) track(r *Run, shard int, p *capture.Packet) {
	r.add(shard, &p.Datagram)
	if k.added++; k.added == lookAtKept {
		k.weigh(r.tables[shard])
	}
}

// weigh hands a shard back that is no longer light. It is given to the others again with
// the next batch, and the reader must not see it as light until it was tracked there.
func (k *keptShard) weigh(t *session.Table) {
	rested := t.Rested()
	k.is = isLight(k.added, rested-k.rested)
	k.added, k.rested = 0, rested
}
