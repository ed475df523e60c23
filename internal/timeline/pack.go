package timeline

import (
	"maps"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Rest implements session.Recounter: the lines of a connection that is over are packed, for a
// capture can have a million of them. Those of pictures stay: few connections have one.
func (t *Timeline) Rest(c *session.Conn) {
	x := t.conns[c]
	if x == nil || t.length != nil {
		return
	}
	for dir := range dissect.Dirs {
		t.note(x, c, dir, x.at)
	}
	t.packer.Reset()
	x.pack(&t.packer)
	t.packed[c] = t.packer.Packed()
	delete(t.conns, c)
	if t.last == c {
		t.last, t.lastLines = nil, nil
	}
}

// linesOf gives the lines of a connection, nil where it has none. Packed lines stay packed.
func (t *Timeline) linesOf(c *session.Conn) *lines {
	x := t.conns[c]
	if packed, ok := t.packed[c]; ok && x == nil {
		x = new(lines)
		x.pack(seq.Unpack(packed))
	}
	return x
}

// pack writes or reads the lines of a connection that has no picture, as the Packer does.
func (x *lines) pack(p *seq.Packer) {
	steps := int64(len(x.steps))
	p.Bools(&x.started)
	p.Times(&x.at)
	p.Ints(&steps)
	x.steps = sized(x.steps, steps)
	for i := range x.steps {
		p.Times(&x.steps[i].from)
		p.Ints(&x.steps[i].by)
	}
	for i := range x.dir {
		x.dir[i].pack(p)
	}
}

// sized gives the list when it is written, and one of the length that was written when it is read.
func sized[T any](list []T, n int64) []T {
	if int64(len(list)) != n {
		return make([]T, n)
	}
	return list
}

func (l *line) pack(p *seq.Packer) {
	n := int64(len(l.list))
	p.Ints(&n)
	packCounts(p, &l.taken)
	l.list, l.told = sized(l.list, n), l.taken
	for i := range l.list {
		if l.list[i] == nil {
			l.list[i] = new(Interval)
		}
		v := l.list[i]
		v.pack(p)
		for c := range v.Counts {
			l.told[c] += v.Counts[c]
		}
	}
}

func (v *Interval) pack(p *seq.Packer) {
	v.freeze()
	sums := int64(len(v.sums))
	p.Times(&v.From, &v.To)
	packCounts(p, &v.Counts)
	p.Ints(&v.InFlight.Numbers, &v.InFlight.Bytes, &sums)
	p.Bools(&v.HasInFlight)
	v.sums = sized(v.sums, sums)
	for i := range v.sums {
		v.sums[i].pack(p)
	}
	v.Cells.pack(p)
}

func packCounts(p *seq.Packer, v *measure.Values) {
	var counts [measure.Counters]*int64
	for c := range counts {
		counts[c] = &v[c]
	}
	p.Ints(counts[:]...)
}

func (c *Cells) pack(p *seq.Packer) {
	n := int64(len(*c))
	p.Ints(&n)
	if int64(len(*c)) == n {
		for _, cell := range slices.Sorted(maps.Keys(*c)) {
			at, count := int64(cell), (*c)[cell]
			p.Ints(&at, &count)
		}
		return
	}
	*c = make(Cells, n)
	for range n {
		var at, count int64
		p.Ints(&at, &count)
		(*c)[seq.Cell(at)] = count
	}
}

func (s *summed) pack(p *seq.Packer) {
	of := int64(s.of)
	p.Ints(&of, &s.Min, &s.P50, &s.P95, &s.Max)
	p.Uints(&s.Samples)
	s.of = seq.Measure(of)
}
