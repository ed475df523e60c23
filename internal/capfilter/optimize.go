package capfilter

// optimize leads ways past tests whose outcome is known and puts tests of the
// same value together, until nothing changes: first of tests as they are written,
// then with constants folded. It gives a test of which it is not certain what
// tcpdump makes, where packets are too short for its load: one that decides
// nothing, since both outcomes lead to the same place, a relation that others
// decide, in each case if tests were also moved; or one that is repeated.
func (g *graph) optimize() (doubtful *test) {
	if t := g.repeated(func(b *block) bool {
		return !b.relation && b.reduced.k == 0 && b.reduced.val.kind == valBinary
	}); t != nil {
		return t
	}
	g.settle()
	for _, b := range g.blocks {
		b.comparison = b.reduced
	}
	g.folded = true
	g.settle()
	if g.doubtful != nil {
		return g.doubtful
	}
	if g.decided != nil && g.moved {
		return g.decided
	}
	if g.dropped != nil && (g.dropped.relation || g.moved) {
		return g.dropped
	}
	return g.repeated(func(b *block) bool { return b.relation })
}

// settle improves the graph until nothing changes.
func (g *graph) settle() {
	for again := true; again && len(g.blocks) <= maxBlocks; {
		again = g.thread()
		if again {
			g.order()
		}
		grouped := false
		for _, b := range g.blocks {
			yes := g.group(b, 1)
			grouped = g.group(b, 0) || yes || grouped
		}
		if grouped {
			g.order()
			g.moved, again = true, true
		}
	}
}

// repeated finds a test that is made again on some ways behind it, of relations or
// of bits of an address that are 0. tcpdump takes some of those for known on all
// ways, or for their opposite, and its programs then select other packets.
func (g *graph) repeated(of func(*block) bool) *test {
	earlier := map[comparison][]*block{}
	for _, b := range g.blocks {
		if !of(b) {
			continue
		}
		for _, e := range earlier[b.comparison] {
			if g.leads(e, b) {
				return b.test
			}
		}
		earlier[b.comparison] = append(earlier[b.comparison], b)
	}
	return nil
}

// leads says whether a way leads from one block to another.
func (g *graph) leads(from, to *block) bool {
	seen := make([]bool, len(g.blocks)+2)
	seen[from.id] = true
	for _, b := range g.blocks[from.id:to.id] {
		if seen[b.id] {
			seen[b.next[0].id], seen[b.next[1].id] = true, true
		}
	}
	return seen[to.id]
}

// confusing finds a test on which tcpdump's programs go wrong: it compares a value
// behind an IPv4 header with another value, which takes the place of the header's
// length, and another test looks at the same value and then behind the header.
func (g *graph) confusing() *test {
	k := map[*value]int{}
	for _, b := range g.blocks {
		k[b.val]++
	}
	for _, b := range g.blocks {
		if b.rhs != nil && b.val.needsX() && k[b.val] > 1 {
			return b.test
		}
	}
	return nil
}

// known are, for each block, the edges that every way to it takes, as bits.
type known struct {
	words  int
	sets   []uint64
	byVal  map[*value][]*block // the blocks that test a value
	folded bool                // constants count
	never  []uint64            // edges that constants rule out
}

// bit gives the place of the bit of an edge.
func (e edge) bit() int { return 2*e.from.id + e.outcome }

func (k *known) of(b *block) []uint64 { return k.sets[b.id*k.words : (b.id+1)*k.words] }

// dominating finds the edges that every way to a block takes.
func (g *graph) dominating() *known {
	n := len(g.blocks)
	k := &known{words: (2*n + 63) / 64, byVal: map[*value][]*block{}, folded: g.folded}
	k.sets, k.never = make([]uint64, (n+2)*k.words), make([]uint64, k.words)
	for _, b := range g.blocks {
		if o := b.constant(); o >= 0 {
			bit := edge{b, 1 - o}.bit()
			k.never[bit/64] |= 1 << (bit % 64)
		}
		k.byVal[b.val] = append(k.byVal[b.val], b)
		set := k.of(b)
		for i, e := range g.in[b.id] {
			from := k.of(e.from)
			word, mask := e.bit()/64, uint64(1)<<(e.bit()%64)
			for w := range set {
				s := from[w]
				if w == word {
					s |= mask
				}
				if i == 0 {
					set[w] = s
				} else {
					set[w] &= s
				}
			}
		}
	}
	return k
}

// thread leads every edge past the blocks whose outcome is known on it. Those that
// others lead to come first.
func (g *graph) thread() (changed bool) {
	for r := g.root; g.folded && !r.ends() && r.constant() >= 0; r = g.root {
		g.root, changed = r.next[r.constant()], true
	}
	if changed {
		g.order()
	}
	k := g.dominating()
	for i := len(g.blocks) - 1; i >= 0; i-- {
		b := g.blocks[i]
		for o := range b.next {
			if to := g.follow(k, edge{b, o}); to != b.next[o] {
				b.next[o], changed = to, true
			}
		}
	}
	r := g.root
	if r.ends() || r.next[0] != r.next[1] {
		return changed
	}
	g.drop(r)
	if r.loads() && !r.next[0].ends() {
		return changed // tcpdump keeps the load at the very start
	}
	g.root = r.next[0]
	return true
}

// drop notes that a block which decides nothing goes. Those that lead to a
// rejection reject with and without their load.
func (g *graph) drop(b *block) {
	if b.loads() && b.next[0] != g.no && (g.dropped == nil || b.relation) {
		g.dropped = b.test
	}
}

// constant is the outcome of a comparison of constants, -1 if it looks at the packet.
func (c *comparison) constant() int {
	if c.val.kind != valConst || c.rhs != nil {
		return -1
	}
	if c.op.holds(c.val.k, c.k) {
		return 1
	}
	return 0
}

// loads says whether a test may reject the packet.
func (t *comparison) loads() bool { return t.val.loads || t.rhs != nil && t.rhs.loads }

// follow gives where an edge leads in the end.
func (g *graph) follow(k *known, e edge) *block {
	b := e.from.next[e.outcome]
	for !b.ends() {
		if outcome := k.outcome(e, b); outcome >= 0 {
			if b.relation && b.constant() < 0 && k.possible(e) {
				g.decided = b.test
			}
			b = b.next[outcome]
		} else if b.next[0] == b.next[1] {
			if k.possible(e) {
				g.drop(b)
			}
			b = b.next[0]
		} else {
			break
		}
	}
	return b
}

// possible says whether an edge can be reached at all.
func (k *known) possible(e edge) bool {
	for i, w := range k.of(e.from) {
		if w&k.never[i] != 0 {
			return false
		}
	}
	return k.never[e.bit()/64]>>(e.bit()%64)&1 == 0
}

// outcome is that of a block's test on an edge, -1 if it is open.
func (k *known) outcome(e edge, b *block) int {
	if o := b.constant(); o >= 0 && k.folded {
		return o
	}
	set := k.of(e.from)
	for _, d := range k.byVal[b.val] {
		if d.rhs != b.rhs {
			continue
		}
		for o := range 2 {
			bit := edge{d, o}.bit()
			if (d != e.from || o != e.outcome) && set[bit/64]>>(bit%64)&1 == 0 {
				continue
			}
			if d.op == b.op && d.k == b.k {
				return o
			}
			if d.op == testEqual && b.op == testEqual && o == 1 {
				return 0
			}
		}
	}
	return -1
}

// group looks at the chain of blocks that starts at b and leads on where tests
// have the outcome that is not sense; all of them go to the same place on sense.
// If the value that was tested just before b is tested again behind tests of
// others, that test moves up to its like. The order of tests that all lead to
// one place may change: only which load may reject first depends on it.
func (g *graph) group(b *block, sense int) bool {
	into := g.in[b.id]
	val := sharedValue(into)
	if val == nil || b == g.root {
		return false
	}
	target, on := b.next[sense], 1-sense
	links := func(c *block) bool { // c belongs to the chain
		return !c.ends() && c.next[sense] == target && (c == b || len(g.in[c.id]) == 1)
	}
	top, behind := b, into
	for links(top) && top.val == val {
		behind, top = []edge{{top, on}}, top.next[on]
	}
	if !links(top) {
		return false
	}
	last := top
	for c := last.next[on]; ; last, c = c, c.next[on] {
		if !links(c) {
			return false
		}
		if c.val == val {
			if c.rhs != nil {
				g.doubtful = c.test // tcpdump moves some of those only
			}
			g.lift(last, c, top, on, behind)
			return true
		}
	}
}

// lift moves c from behind last to before top, where the edges behind lead.
func (g *graph) lift(last, c, top *block, on int, behind []edge) {
	after := c.next[on]
	g.replace(after, edge{c, on}, edge{last, on})
	last.next[on], c.next[on] = after, top
	for _, e := range behind {
		e.from.next[e.outcome] = c
	}
	g.in[c.id] = append([]edge(nil), behind...)
	g.in[top.id] = []edge{{c, on}}
}

// replace puts one edge in the place of another that leads to a block.
func (g *graph) replace(b *block, old, with edge) {
	for i, e := range g.in[b.id] {
		if e == old {
			g.in[b.id][i] = with
		}
	}
}

// sharedValue is the value that the test before every edge is of, or nil.
func sharedValue(edges []edge) *value {
	var val *value
	for _, e := range edges {
		if val != nil && e.from.val != val {
			return nil
		}
		val = e.from.val
	}
	return val
}

// merge makes one of blocks that do the same.
func (g *graph) merge() {
	type same struct {
		val, rhs *value
		op       testOp
		k        uint32
		no, yes  *block
	}
	first := map[same]*block{}
	became := map[*block]*block{}
	for i := len(g.blocks) - 1; i >= 0; i-- {
		b := g.blocks[i]
		for o, n := range b.next {
			if m := became[n]; m != nil {
				b.next[o] = m
			}
		}
		key := same{b.val, b.rhs, b.op, b.k, b.next[0], b.next[1]}
		if f := first[key]; f != nil {
			became[b] = f
		} else {
			first[key] = b
		}
	}
	g.order()
}
