package capfilter

import "golang.org/x/net/bpf"

// A block makes one test and goes on to another block.
type block struct {
	test
	next  [2]*block // where the test is false, true; the same for both if it only may reject
	known *fact     // the tests that every way to it has made, nil if no way leads to it
}

// A graph is a program as blocks without loops.
type graph struct {
	root    *block
	yes, no *block   // the ends of the program
	blocks  []*block // each after all that it leads to
	full    bool     // there are more than maxBlocks
}

// maxBlocks bounds the work for one expression.
const maxBlocks = 10240

// newGraph makes the blocks of a condition.
func newGraph(c cond) *graph {
	g := &graph{yes: &block{}, no: &block{}}
	g.root = c.lower(g, g.yes, g.no)
	return g
}

func (c both) lower(g *graph, yes, no *block) *block {
	return c.l.lower(g, c.r.lower(g, yes, no), no)
}

func (c either) lower(g *graph, yes, no *block) *block {
	return c.l.lower(g, yes, c.r.lower(g, yes, no))
}

func (c inverse) lower(g *graph, yes, no *block) *block { return c.x.lower(g, no, yes) }

func (c always) lower(_ *graph, yes, no *block) *block {
	if c {
		return yes
	}
	return no
}

func (t test) lower(g *graph, yes, no *block) *block {
	if len(g.blocks) == maxBlocks {
		g.full = true
		return no
	}
	b := &block{test: t, next: [2]*block{no, yes}}
	g.blocks = append(g.blocks, b)
	return b
}

// ends says whether a block ends the program.
func (b *block) ends() bool { return b.val == nil }

// A fact is the outcome of a test, and all facts before it.
type fact struct {
	test
	outcome int // 1 for true
	before  *fact
	number  int // how many come before it
}

// outcomeOf is that of a test where the facts are known, -1 if they leave it open.
// Its value has been computed then, so that making it again could not reject.
func (f *fact) outcomeOf(t test) int {
	for ; f.before != nil; f = f.before {
		switch {
		case f.val != t.val:
		case f.test == t:
			return f.outcome
		case f.op == bpf.JumpEqual && f.outcome == 1 && f.rhs == nil && t.rhs == nil:
			if holds(t.op, f.k, t.k) {
				return 1
			}
			return 0
		}
	}
	return -1
}

// common are the facts that two ways share; nil stands for a way that is not there.
func common(a, b *fact) *fact {
	if a == nil {
		return b
	}
	for a != b {
		if a.number < b.number {
			a, b = b, a
		}
		a = a.before
	}
	return a
}

// skip leads every way past the tests whose outcome is known on it from tests that
// it has made before: no verdict changes by that.
func (g *graph) skip() {
	g.root.known = &fact{}
	for i := len(g.blocks) - 1; i >= 0; i-- {
		b := g.blocks[i]
		if b.known == nil {
			continue
		}
		for outcome := range b.next {
			known := &fact{b.test, outcome, b.known, b.known.number + 1}
			to := b.next[outcome]
			for !to.ends() {
				o := known.outcomeOf(to.test)
				if o < 0 {
					break
				}
				to = to.next[o]
			}
			b.next[outcome] = to
			to.known = common(to.known, known)
		}
	}
}

// merge makes one of blocks that do the same, and leaves out those that reject
// whatever their test gives.
func (g *graph) merge() {
	type work struct {
		test
		next [2]*block
	}
	first := map[work]*block{}
	became := map[*block]*block{}
	kept := g.blocks[:0]
	for _, b := range g.blocks {
		if b.known == nil {
			continue
		}
		for o, n := range b.next {
			if m := became[n]; m != nil {
				b.next[o] = m
			}
		}
		w := work{b.test, b.next}
		switch same := first[w]; {
		case b.next[0] == g.no && b.next[1] == g.no:
			became[b] = g.no
		case same != nil:
			became[b] = same
		default:
			first[w] = b
			kept = append(kept, b)
		}
	}
	g.blocks = kept
	if m := became[g.root]; m != nil {
		g.root = m
	}
}
