package capfilter

// A block makes one test and goes on to another block. yes and no are blocks of
// their own that end the program.
type block struct {
	*test
	next [2]*block // where the test is false, true
	id   int       // position among the blocks, counted anew by order
}

// A graph is a program as blocks without loops.
type graph struct {
	root     *block
	yes, no  *block
	blocks   []*block // in an order in which ways only lead on, without yes and no
	in       [][]edge // by block: the edges that lead to it
	folded   bool     // constants are folded, and what compares them goes
	moved    bool     // tests were put in another order
	decided  *test    // a relation that other ones decide
	doubtful *test    // one that was moved, and might not have been
	dropped  *test    // one that had a load and decided nothing
}

// An edge is the way from a block where its test has an outcome, 1 for true.
type edge struct {
	from    *block
	outcome int
}

// maxBlocks bounds the work for one expression.
const maxBlocks = 10240

// newGraph makes the blocks of a condition.
func newGraph(c cond) *graph {
	g := &graph{yes: &block{}, no: &block{}}
	g.root = g.lower(c, g.yes, g.no)
	g.order()
	return g
}

// lower makes the blocks of a condition, given where to go on.
func (g *graph) lower(c cond, yes, no *block) *block {
	switch x := c.(type) {
	case both:
		return g.lower(x.l, g.lower(x.r, yes, no), no)
	case either:
		return g.lower(x.l, yes, g.lower(x.r, yes, no))
	case inverse:
		return g.lower(x.x, no, yes)
	case *test:
		return &block{test: x, next: [2]*block{no, yes}}
	case always:
		if x {
			return yes
		}
	}
	return no
}

// ends says whether a block ends the program.
func (b *block) ends() bool { return b.test == nil }

// order lists the blocks that can be reached, and the edges into each. Every
// block comes behind all that lead to it.
func (g *graph) order() {
	g.blocks = g.blocks[:0]
	seen := map[*block]bool{g.yes: true, g.no: true}
	var visit func(b *block)
	visit = func(b *block) {
		if seen[b] {
			return
		}
		seen[b] = true
		visit(b.next[1])
		visit(b.next[0])
		g.blocks = append(g.blocks, b)
	}
	visit(g.root)
	n := len(g.blocks)
	for i := range n / 2 {
		g.blocks[i], g.blocks[n-1-i] = g.blocks[n-1-i], g.blocks[i]
	}
	g.yes.id, g.no.id = n, n+1
	g.in = make([][]edge, n+2)
	for i, b := range g.blocks {
		b.id = i
	}
	for _, b := range g.blocks {
		for o, t := range b.next {
			g.in[t.id] = append(g.in[t.id], edge{b, o})
		}
	}
}
