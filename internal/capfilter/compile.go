package capfilter

import "github.com/dpdissect/dpdissect/dissect/syntax"

import "golang.org/x/net/bpf"

// ethernet is the link type that Check compiles for.
const ethernet = 1

// Compile gives the program for packets of a link type, by its LINKTYPE_ number.
// It returns 0 for packets that the expression does not select, else the most
// bytes that tcpdump would keep. The empty expression selects all packets. The
// error is a *syntax.Error.
func Compile(expr string, linkType uint32) ([]bpf.Instruction, error) {
	tree, f := parse(expr)
	if f.Failed {
		return nil, f.Err(expr)
	}
	if tree == nil {
		return []bpf.Instruction{bpf.RetConstant{Val: acceptLength}}, nil
	}
	gen := generator{values: values{}, link: links[linkType]}
	if gen.link == nil {
		gen.Fail(tree.place(), "capture filters don't know link type %d", linkType)
		return nil, gen.Err(expr)
	}
	c := gen.condition(tree)
	if gen.Failed {
		return nil, gen.Err(expr)
	}
	prog, f := assemble(c, tree.place())
	return prog, f.Err(expr)
}

// assemble makes the program of a condition.
func assemble(c cond, whole span) (prog []bpf.Instruction, f syntax.Fault) {
	g := newGraph(c)
	if g.full {
		f.Fail(whole, "the expression needs more than %d tests", maxBlocks)
		return nil, f
	}
	g.skip()
	g.merge()
	if g.root == g.no {
		f.Fail(whole, "no packet can match this")
		return nil, f
	}
	if prog = layout(g, g.bodies()); len(prog) > maxCompiled {
		f.Fail(whole, "the program needs more than the available %d instructions", maxCompiled)
		return nil, f
	}
	return prog, f
}

// Check says whether Compile takes an expression for Ethernet. The error is a
// *syntax.Error.
func Check(expr string) error {
	_, err := Compile(expr, ethernet)
	return err
}
