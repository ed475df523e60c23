package session

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// openLeft is how many connections are followed on when some are summed up, so that
// the next ones need not be looked for at once.
const openLeft = MaxOpen * 3 / 4

// maxSummedUp is how many summed-up address pairs a table remembers: what comes of
// an older one is taken for another connection.
const maxSummedUp = 512

// maxEnded limits the address pairs whose connections have all ended that a table of a file
// remembers. The last frame of each is more than RestTime old: what comes of one that is
// forgotten is the start of another connection, or too late to be of the one before.
const maxEnded = 32

// relieveEnded forgets the pairs that were silent the longest when there are too many whose
// connections have all ended. A run without end does not remember any (gone).
func (t *Table) relieveEnded() {
	ended := t.idlest(func(f *Flow) bool { return f.session != nil && f.open == 0 })
	for _, f := range ended[:max(len(ended)-maxEnded, 0)] {
		t.closeOut(f)
	}
}

// relieve sums up the connections that were silent the longest when there are too
// many.
func (t *Table) relieve() {
	for _, f := range t.idlest(func(f *Flow) bool { return f.open > 0 }) {
		if t.open <= openLeft {
			break
		}
		t.sumUp(f)
	}
	if t.counting <= maxSummedUp {
		return
	}
	old := t.idlest(func(f *Flow) bool { return f.summedUp })
	for _, f := range old[:len(old)-maxSummedUp/2] {
		t.forget(f)
	}
	t.counting = maxSummedUp / 2
}

// idlest gives some flows, those first of which nothing came for the longest.
func (t *Table) idlest(which func(*Flow) bool) (list []*Flow) {
	for _, f := range t.flows {
		if which(f) {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b *Flow) int { return cmp.Compare(a.latest, b.latest) })
	return list
}

// sumUp ends the connections of a pair as they stand. Further frames of the pair are counted for
// the one of them that had a frame last.
func (t *Table) sumUp(f *Flow) {
	f.summedUp = true
	t.guard(f, func() {
		latest := f.at
		f.session.Close(t.end)
		f.at = latest
	})
	if f.summedUp { // there was no internal error
		f.session = nil
		t.counting++
		f.packClosed()
	}
}

// countOnly takes a datagram of a pair that was summed up.
func (t *Table) countOnly(f *Flow, d *dissect.Datagram) {
	if d.Kind != dissect.UDP {
		return
	}
	f.last = d.Time
	fr := t.frame(d, f.protocol.Name)
	if f.at.Dir == nil {
		f.closed = append(f.closed, f.at) // to be packed again
	}
	f.at.Count(fr)
	f.at.Unjudged++
	t.show(fr, f.at)
}
