package filter

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/syntax"
)

// A Filter is a compiled expression. It may be used by several goroutines.
type Filter struct {
	expr string
	test test
	tree bool
	late bool

	notices bool
}

// Compile checks an expression against the names of a set and compiles it. An
// empty expression matches all frames. The error is an *syntax.Error.
func Compile(expr string, set *Set) (*Filter, error) {
	tree, fault := parse(expr)
	c := compiler{set: set, Fault: fault}
	f := &Filter{expr: expr, test: func(*dissect.Frame, Times) bool { return true }}
	if tree != nil && !c.Failed {
		f.test = c.expr(tree)
	}
	if err := c.Err(expr); err != nil {
		return nil, err
	}
	f.tree, f.late, f.notices = c.tree, c.late, c.notices
	return f, nil
}

// Match reports whether the filter selects a frame. Times come from a Clock; a
// filter that tests neither frame.time_relative nor frame.time_delta takes the
// zero Times.
func (f *Filter) Match(fr *dissect.Frame, t Times) bool { return f.test(fr, t) }

// NeedsTree reports whether the filter looks at Frame.Tree. Without a tree all
// its fields are absent.
func (f *Filter) NeedsTree() bool { return f.tree }

// Late reports whether the filter looks at what is known of a frame only when it
// is printed: its connection's id, the frame that acknowledges it, findings.
func (f *Filter) Late() bool { return f.late }

// Notices reports whether the filter asks for ICMP notices by name: where none does,
// datagrams alone are shown.
func (f *Filter) Notices() bool { return f.notices }

// String is the expression as it was given.
func (f *Filter) String() string { return f.expr }

// A compiler turns a tree of nodes into closures. Its first fault sticks.
type compiler struct {
	syntax.Fault
	set  *Set
	tree bool
	late bool

	notices bool
}

// expr compiles a node.
func (c *compiler) expr(x expr) test {
	if c.Failed {
		return nil
	}
	switch x := x.(type) {
	case *logic:
		return c.logic(x)
	case *negation:
		return inverse(c.expr(x.x))
	case *truth:
		return c.truth(x)
	case *comparison:
		return c.comparison(x)
	}
	return c.membership(x.(*membership))
}

// logic compiles terms joined by one operator.
func (c *compiler) logic(x *logic) test {
	tests := make([]test, len(x.terms))
	for i, t := range x.terms {
		tests[i] = c.expr(t)
	}
	switch x.op {
	case "and":
		return allTests(tests)
	case "or":
		return anyTest(tests)
	}
	return oddTests(tests)
}

// truth compiles an operand that stands alone: flags and masks want a value
// other than 0, all others want to be there.
func (c *compiler) truth(x *truth) test {
	o := c.operand(x.x)
	_, mask := x.x.(*masked)
	switch {
	case c.Failed:
		return nil
	case mask || o.class == classBool:
		return kit[uint64]{source: uintSource}.quantified(x.mode, o, func(v uint64) bool { return v != 0 })
	case x.mode != modeDefault:
		c.Fail(x.at, "any and all need a comparison")
	case o.computed:
		c.Fail(o.at, "%s needs a comparison", o.name)
	}
	return c.present(o)
}

// present compiles the presence of an operand.
func (c *compiler) present(o *operand) test {
	if o.here != nil {
		return o.here
	}
	return kinds[o.class].present(o)
}

// comparison compiles a relation, with the field on the left if only one side has one.
func (c *compiler) comparison(x *comparison) test {
	lhs, lhsConstant := c.constant(x.lhs)
	if lhsConstant {
		return c.mirrored(x, lhs)
	}
	o := c.operand(x.lhs)
	if c.Failed || !c.allowed(x, o) {
		return nil
	}
	if a := c.asConstant(x.rhs, o); a != nil {
		return c.relation(x, c.inDay(o, a), a)
	}
	return c.pair(x, o, c.operand(x.rhs))
}

// mirrored compiles a comparison whose left side is a constant.
func (c *compiler) mirrored(x *comparison, a *atom) test {
	if _, both := c.constant(x.rhs); both || x.op >= opContains {
		c.Fail(a.At, "the left side of %s must be a field, but %s is a constant", relopNames[x.op], a.Text)
		return nil
	}
	o := c.operand(x.rhs)
	y := *x
	y.op = x.op.mirrored()
	if c.Failed || !c.allowed(&y, o) {
		return nil
	}
	return c.relation(&y, c.inDay(o, a), a)
}

// allowed checks that values of the operand can stand left of the operator.
func (c *compiler) allowed(x *comparison, o *operand) bool {
	text := o.class == classBytes || o.class == classText
	switch {
	case o.class == classPresence:
		c.Fail(o.at, "%s has no value; only its presence can be tested", o.name)
	case x.op >= opContains && !text:
		c.Fail(o.at, "%s is %s, but %s needs text or bytes", o.name, o.phrase(), relopNames[x.op])
	case o.class == classBool && x.op > opNe:
		c.Fail(x.at, "%s is a flag, and flags have no order", o.name)
	}
	return !c.Failed
}

// relation compiles the relation of an operand to a constant.
func (c *compiler) relation(x *comparison, o *operand, a *atom) test {
	switch x.op {
	case opContains:
		return c.contains(x.mode, o, a)
	case opMatches:
		return c.matches(x.mode, o, a)
	}
	if x.op > opNe {
		o.words = nil // a text can be ordered against any other
	}
	return kinds[o.class].constant(c, x.op, x.mode, o, a)
}

// pair compiles the relation between two fields.
func (c *compiler) pair(x *comparison, a, b *operand) test {
	if c.Failed {
		return nil
	}
	a, b = a.unified(b), b.unified(a)
	switch {
	case x.op == opMatches:
		c.Fail(b.at, "matches needs a string")
		return nil
	case a.class != b.class:
		c.Fail(b.at, "%s is %s and %s is %s, which can't be compared", a.name, a.phrase(), b.name, b.phrase())
		return nil
	case x.op == opContains:
		return containsPair(x.mode, a, b)
	}
	return kinds[a.class].pair(x.op, x.mode, a, b)
}

// membership compiles in and not in.
func (c *compiler) membership(x *membership) test {
	if a, constant := c.constant(x.x); constant {
		c.Fail(a.At, "the left side of in must be a field, but %s is a constant", a.Text)
	}
	o := c.operand(x.x)
	if c.Failed {
		return nil
	}
	if o.class == classPresence {
		c.Fail(o.at, "%s has no value; only its presence can be tested", o.name)
		return nil
	}
	if len(x.items) > 0 {
		o = c.inDay(o, x.items[0].lo)
	}
	return kinds[o.class].member(c, x, o)
}
