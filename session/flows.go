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

// newFlow makes a flow.
func (t *Table) newFlow(key flowKey, d *dissect.Datagram) *Flow {
	t.flowSeq++
	f := &Flow{table: t, key: key, seq: t.flowSeq, last: d.Time, first: d.Frame, latest: d.Frame}
	f.up = f.side(d) == 1
	t.flows[key] = f
	if f.force = t.forced(key); f.force != nil {
		f.leads = (neighbours{t}).leadsOf(f.force.Protocol)
	}
	t.comesBack(f)
	f.join(single)
	return f
}

// inOrder gives the flows in the order in which they were made, so that what is said of
// several at a time never depends on the order of a map.
func (t *Table) inOrder() []*Flow {
	flows := slices.Collect(maps.Values(t.flows))
	slices.SortFunc(flows, func(a, b *Flow) int { return cmp.Compare(a.seq, b.seq) })
	return flows
}
