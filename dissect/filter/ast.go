package filter

// relop is a relation between two operands.
type relop uint8

const (
	opEq relop = iota
	opNe
	opGt
	opLt
	opGe
	opLe
	opContains
	opMatches
)

// relopNames are for messages.
var relopNames = [...]string{"==", "!=", ">", "<", ">=", "<=", "contains", "matches"}

// mirrored is the relation that holds for (b, a) when op holds for (a, b).
func (op relop) mirrored() relop {
	switch op {
	case opGt:
		return opLt
	case opLt:
		return opGt
	case opGe:
		return opLe
	case opLe:
		return opGe
	}
	return op
}

// mode is how many occurrences of a field have to satisfy a relation.
type mode uint8

const (
	modeDefault mode = iota // as the operator says
	modeAny
	modeAll
)

// An expr is a node that is true or false of a frame.
type expr interface{ isExpr() }

// logic joins terms with and, or or xor.
type logic struct {
	op    string // "and", "or", "xor"
	terms []expr
}

// negation is not x.
type negation struct{ x expr }

// truth is an operand that stands alone.
type truth struct {
	mode mode
	x    term
	at   span
}

// comparison relates two operands.
type comparison struct {
	op       relop
	mode     mode
	at       span // of the operator
	lhs, rhs term
}

// membership is x in {…}.
type membership struct {
	mode  mode
	not   bool
	x     term
	items []item
}

// An item of a set is a constant, or a range when hi is there.
type item struct{ lo, hi *atom }

func (*logic) isExpr()      {}
func (*negation) isExpr()   {}
func (*truth) isExpr()      {}
func (*comparison) isExpr() {}
func (*membership) isExpr() {}

// A term is a node that has values.
type term interface{ place() span }

// An atom is a name or a constant; which of the two is decided when compiling.
type atom token

// slice takes ranges of bytes of x.
type slice struct {
	x      term
	ranges []byteRange
	at     span
}

// call applies a function.
type call struct {
	fn  string
	arg term
	at  span
}

// masked is x & mask.
type masked struct {
	x    term
	mask *atom
}

func (a *atom) place() span   { return a.At }
func (s *slice) place() span  { return s.x.place().To(s.at) }
func (c *call) place() span   { return c.at }
func (m *masked) place() span { return m.x.place().To(m.mask.At) }
