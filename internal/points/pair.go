package points

import (
	"hash/maphash"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// What is asked of two captures of one session.
const (
	leastShared  = 4               // datagrams that both hold and that are unique in both
	leastPart    = 2               // both hold at least one of so many of the stretch
	leastAnyID   = 0.9             // and this share where the identification of IP differs
	orderedPart  = 2               // fewer than one of so many is overtaken by another
	mostDelay    = 5 * time.Second // by which delays differ from the median
	unsteadyPart = 10              // of at most one of so many by more
)

// A match is a datagram that two files hold.
type match struct{ a, b int }

// A Pair is two captures of one session.
type Pair struct {
	A, B *Prints
	// Twice says that nothing shows which of the two points comes first: two captures at
	// one place, or one file given twice.
	Twice bool
	shift []int64 // by how much B's time is slower than A's, the median for each flow of A, ns
	known []bool  // the shift
	up    []int8  // of each flow of A: 1 A comes first, -1 B does, 0 not known
}

// Recognise finds the captures that hold the same session among several files.
func Recognise(paths []string, opts capture.Options) []*Pair {
	seed := maphash.MakeSeed()
	heads := make([]*Prints, len(paths))
	for i, path := range paths {
		heads[i] = read(path, opts, seed, 0, headPrints, -1<<63)
	}
	var pairs []*Pair
	for i := range heads {
		for k := i + 1; k < len(heads); k++ {
			if p := recognise(heads[i], heads[k], opts); p != nil {
				pairs = append(pairs, p)
			}
		}
	}
	return pairs
}

// recognise judges two files by their beginnings, or by the beginning of the later one and
// what the other holds from then on.
func recognise(a, b *Prints, opts capture.Options) *Pair {
	if !a.timed || !b.timed || a.untimely || b.untimely || !meet(a, b) {
		return nil
	}
	prefix := min(a.cut, b.cut)
	if prefix == 0 {
		prefix = max(a.cut, b.cut)
	}
	again := func(p *Prints, from int64) *Prints {
		return read(p.Path, opts, p.seed, prefix, headPrints, from)
	}
	if prefix > 0 {
		a, b = again(a, -1<<63), again(b, -1<<63)
	}
	if p := judge(a, b); p != nil {
		return p
	}
	switch margin := int64(time.Minute); {
	case !a.all && b.first > a.last:
		a = again(a, b.first-margin)
	case !b.all && a.first > b.last:
		b = again(b, a.first-margin)
	default:
		return nil
	}
	return judge(a, b)
}

// meet reports whether the times of two files may overlap: what was captured one after
// the other is no session seen twice.
func meet(a, b *Prints) bool {
	return (!a.all || b.first <= a.last) && (!b.all || a.first <= b.last)
}

// judge decides whether two lists hold the same session.
func judge(a, b *Prints) *Pair {
	matches := shared(a, b)
	if len(matches) < leastShared {
		return nil
	}
	lo, hi := matches[0], matches[0]
	overtaken := 0
	for _, m := range matches {
		lo.a, hi.a, lo.b, hi.b = min(lo.a, m.a), max(hi.a, m.a), min(lo.b, m.b), max(hi.b, m.b)
	}
	seen := map[int32]int{} // of each flow, the latest place in b
	for _, m := range matches {
		f := a.list[m.a].flow
		if last, ok := seen[f]; ok && m.b < last {
			overtaken++
		}
		seen[f] = max(seen[f], m.b)
	}
	if overtaken*orderedPart >= len(matches) {
		return nil
	}
	pair := &Pair{A: a, B: b}
	pair.measure(matches)
	all := max(a.uniques(lo.a, hi.a, pair), b.uniques(lo.b, hi.b, pair))
	if len(matches)*leastPart < all || pair.otherIDs(matches) && float64(len(matches)) < leastAnyID*float64(all) || !pair.steady(matches) {
		return nil
	}
	return pair
}

// otherIDs reports whether most datagrams have another identification of IP in B than in
// A. Few routers change it: it is the mark of another session that says the same.
func (p *Pair) otherIDs(matches []match) bool {
	other := 0
	for _, m := range matches {
		if x, y := p.A.list[m.a].ipid, p.B.list[m.b].ipid; x != y && x != 0 && y != 0 {
			other++
		}
	}
	return other*2 > len(matches)
}

// shared finds the datagrams that two files hold and that are unique in both, in A's order.
func shared(a, b *Prints) (all []match) {
	at := make(map[uint64]int, len(b.list))
	for i := range b.list {
		if b.list[i].once {
			at[b.list[i].hash] = i
		}
	}
	for i := range a.list {
		if !a.list[i].once {
			continue
		}
		if k, ok := at[a.list[i].hash]; ok {
			all = append(all, match{i, k})
		}
	}
	return all
}

// uniques counts the unique datagrams from one place to another of the flows that both
// files hold: one of them may have captured others, too.
func (p *Prints) uniques(from, to int, pair *Pair) (n int) {
	for i := from; i <= to; i++ {
		if p.list[i].once && pair.holds(p.flows[p.list[i].flow]) {
			n++
		}
	}
	return n
}

// holds reports whether datagrams of a flow are in both files.
func (p *Pair) holds(f flow) bool {
	i, ok := p.A.index[f]
	return ok && p.known[i]
}

// measure finds out, for each flow, how B's times differ from A's and which point is
// nearer to the sender. Clocks may differ by any amount: it is the difference between
// the two directions of one pair of addresses that tells, or the TTL.
func (p *Pair) measure(matches []match) {
	a, b := p.A, p.B
	deltas := make([][]int64, len(a.flows))
	hops := make([]int, len(a.flows))
	for _, m := range matches {
		x, y := &a.list[m.a], &b.list[m.b]
		deltas[x.flow] = append(deltas[x.flow], y.time-x.time)
		hops[x.flow] += int(x.ttl) - int(y.ttl)
	}
	p.shift, p.known, p.up = make([]int64, len(a.flows)), make([]bool, len(a.flows)), make([]int8, len(a.flows))
	for i, d := range deltas {
		if len(d) > 0 {
			slices.Sort(d)
			p.shift[i], p.known[i] = d[len(d)/2], true
		}
	}
	p.Twice = true
	for i := range a.flows {
		p.up[i] = p.before(i, hops[i])
		p.Twice = p.Twice && p.up[i] == 0
	}
}

// leastDelay is what two directions must differ by to tell which point comes first: two
// captures at one place differ by less.
const leastDelay = int64(500 * time.Microsecond)

// before tells whether the datagrams of a flow pass A first.
func (p *Pair) before(i, hops int) int8 {
	if !p.known[i] {
		return 0
	}
	if hops != 0 {
		if hops > 0 {
			return 1
		}
		return -1
	}
	f := p.A.flows[i]
	k, ok := p.A.index[flow{f.dst, f.src}]
	if !ok || !p.known[k] {
		return 0
	}
	switch d := p.shift[i] - p.shift[k]; {
	case d > leastDelay:
		return 1
	case d < -leastDelay:
		return -1
	}
	return 0
}

// steady reports whether the delays of nearly all datagrams agree.
func (p *Pair) steady(matches []match) bool {
	far := 0
	for _, m := range matches {
		x, y := &p.A.list[m.a], &p.B.list[m.b]
		if d := y.time - x.time - p.shift[x.flow]; d > int64(mostDelay) || d < -int64(mostDelay) {
			far++
		}
	}
	return far*unsteadyPart <= len(matches)
}
