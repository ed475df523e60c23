package session

import (
	"cmp"
	"maps"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// find gives the flow of a datagram, new when there is none.
func (t *Table) find(d *dissect.Datagram) *Flow {
	slot := &t.cache[(d.Src.IP[15]^d.Dst.IP[15]^byte(d.Src.Port)^byte(d.Dst.Port))&255]
	if f := *slot; f != nil && f.key.isOf(d) {
		return f
	}
	key := keyOf(&d.Src, &d.Dst)
	f := t.flows[key]
	if f == nil {
		f = t.newFlow(key, d)
	}
	*slot = f
	return f
}

// newFlow makes a flow. When too many are undecided already, nothing is kept of
// a further one: its datagrams are plain UDP until others fell silent.
func (t *Table) newFlow(key flowKey, d *dissect.Datagram) *Flow {
	force := t.forced(key)
	if force == nil && t.undecided >= MaxUndecided {
		if t.now-t.swept >= sweepGap {
			t.sweep()
		}
		if t.undecided >= MaxUndecided {
			return &t.stranger
		}
	}
	t.flowSeq++
	f := &Flow{table: t, key: key, seq: t.flowSeq, last: d.Time}
	t.flows[key] = f
	if f.force = force; force == nil {
		t.undecided++
	} else {
		f.leads = (neighbours{t}).leadsOf(force.Protocol)
	}
	t.tell(f, d)
	f.pending = true
	return f
}

// inOrder gives the flows in the order in which they were made, so that what is said of
// several at a time never depends on the order of a map.
func (t *Table) inOrder() []*Flow {
	flows := slices.Collect(maps.Values(t.flows))
	slices.SortFunc(flows, func(a, b *Flow) int { return cmp.Compare(a.seq, b.seq) })
	return flows
}
