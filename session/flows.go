package session

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// find gives the flow of a datagram, new when there is none, and the side of it that sent the
// datagram (Flow.half).
func (t *Table) find(place uint8, d *dissect.Datagram) (*Flow, dissect.Dir) {
	slot := &t.cache[place]
	if f := *slot; f != nil {
		if side, is := f.key.sideOf(d); is {
			return f, side
		}
	}
	key := keyOf(&d.Src, &d.Dst)
	f := t.flows[key]
	if f == nil {
		f = t.newFlow(key, d)
	}
	*slot = f
	return f, f.half(d)
}

// placeOf gives the place of an address pair among the flows found last; both directions have
// the same one. All that tells pairs apart is mixed: those of a server differ in one address or
// one port alone.
func placeOf(d *dissect.Datagram) uint8 {
	hi, lo := bits.Mul64(mixed(&d.Src), mixed(&d.Dst))
	return uint8((hi ^ lo) >> 32)
}

func mixed(e *dissect.Endpoint) uint64 {
	const odd = 0x9E3779B97F4A7C15 // half of its bits are set, without a pattern
	return binary.LittleEndian.Uint64(e.IP[8:]) ^ uint64(e.Port) ^ odd
}

// newFlow makes a flow.
func (t *Table) newFlow(key flowKey, d *dissect.Datagram) *Flow {
	t.flowSeq++
	f := &Flow{table: t, key: key, seq: t.flowSeq, last: d.Time, first: d.Frame, latest: d.Frame}
	f.up = f.half(d) == 1
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
