package capfilter

import "golang.org/x/net/bpf"

// ethernet is the link type that Check compiles for.
const ethernet = 1

// Compile gives the program for packets of a link type, by its LINKTYPE_ number.
// It returns 0 for packets that the expression does not select, else the most
// bytes that tcpdump would keep. The empty expression selects all packets. The
// error is a *SyntaxError.
func Compile(expr string, linkType uint32) ([]bpf.Instruction, error) {
	tree, f := parse(expr)
	if f.set {
		return nil, f.err(expr)
	}
	if tree == nil {
		return []bpf.Instruction{bpf.RetConstant{Val: acceptLength}}, nil
	}
	whole := span{tree.place().start, tree.place().end}
	gen := generator{values: values{}, link: links[linkType]}
	if gen.link == nil {
		f.fail(whole, "capture filters don't know link type %d", linkType)
		return nil, f.err(expr)
	}
	c := gen.condition(tree)
	if gen.set {
		return nil, gen.err(expr)
	}
	prog, f := assemble(newGraph(c), whole)
	return prog, f.err(expr)
}

// assemble makes the program of a graph.
func assemble(g *graph, whole span) (prog []bpf.Instruction, f fault) {
	doubtful := g.optimize()
	if len(g.blocks) > maxBlocks {
		f.fail(whole, "the expression needs more than %d tests", maxBlocks)
		return nil, f
	}
	if doubtful != nil {
		f.fail(doubtful.at, "the rest of the expression decides this test in part, or repeats it: write it once, where it is needed")
		return nil, f
	}
	if bad := g.confusing(); bad != nil {
		f.fail(bad.at, "tcpdump makes a wrong program of this; write the test behind the others, or with a constant")
		return nil, f
	}
	g.merge()
	if g.root == g.no {
		f.fail(whole, "no packet can match this")
		return nil, f
	}
	if prog = g.emit(); prog == nil {
		f.fail(whole, "the program needs more than the %d instructions that there is room for", maxCompiled)
	}
	return prog, f
}

// Check says whether Compile takes an expression for Ethernet. The error is a
// *SyntaxError.
func Check(expr string) error {
	_, err := Compile(expr, ethernet)
	return err
}
