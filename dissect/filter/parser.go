package filter

import "github.com/dpdissect/dpdissect/dissect/syntax"

// relops are the relations by spelling.
var relops = map[string]struct {
	op   relop
	mode mode
}{
	"==": {opEq, modeAny}, "eq": {opEq, modeAny}, "any_eq": {opEq, modeAny},
	"!=": {opNe, modeAll}, "ne": {opNe, modeAll}, "all_ne": {opNe, modeAll},
	"===": {opEq, modeAll}, "all_eq": {opEq, modeAll},
	"!==": {opNe, modeAny}, "any_ne": {opNe, modeAny},
	">": {opGt, modeAny}, "gt": {opGt, modeAny}, "<": {opLt, modeAny}, "lt": {opLt, modeAny},
	">=": {opGe, modeAny}, "ge": {opGe, modeAny}, "<=": {opLe, modeAny}, "le": {opLe, modeAny},
	"contains": {opContains, modeAny}, "matches": {opMatches, modeAny}, "~": {opMatches, modeAny},
}

// keywords are the words that are no names, by what they do.
var keywords = map[string]string{
	"and": "and", "&&": "and", "or": "or", "||": "or", "xor": "xor", "^^": "xor",
	"not": "not", "!": "not", "in": "in", "any": "any", "all": "all",
	"&": "&", "bitand": "&", "bitwise_and": "&",
}

// A parser is a recursive descent over the tokens of one expression.
type parser struct{ syntax.Parser }

// parse gives the tree of an expression, nil for an empty one.
func parse(src string) (expr, syntax.Fault) {
	p := parser{syntax.NewParser(src, next)}
	p.Joined, p.Stray = "tests are joined by and, or, xor", stray
	if p.Peek().Kind == syntax.End {
		return nil, p.Fault
	}
	x := p.expression()
	p.Finish()
	return x, p.Fault
}

// stray says why a token can't continue a complete expression, "" for nothing special.
func stray(t token) string {
	if t.Kind == tokSlice {
		return "a slice must follow a field directly"
	}
	return ""
}

// keyword is what the next token does if it is a keyword, else "".
func (p *parser) keyword() string {
	if t := p.Peek(); t.Kind == syntax.Word || t.Kind == syntax.Symbol {
		return keywords[t.Text]
	}
	return ""
}

// expression parses what may stand in parentheses.
func (p *parser) expression() expr {
	return p.joined("or", func() expr {
		return p.joined("xor", func() expr {
			return p.joined("and", p.unary)
		})
	})
}

// joined parses terms joined by one operator.
func (p *parser) joined(op string, next func() expr) expr {
	first := next()
	if p.keyword() != op {
		return first
	}
	x := &logic{op, []expr{first}}
	for p.keyword() == op {
		p.Take()
		x.terms = append(x.terms, next())
	}
	return x
}

// unary parses negations, parentheses and relations.
func (p *parser) unary() expr {
	t := p.Peek()
	switch {
	case p.keyword() == "not":
		p.Take()
		p.Enter(t.At)
		defer p.Leave()
		return &negation{p.unary()}
	case p.Accept("("):
		p.Enter(t.At)
		defer p.Leave()
		x := p.expression()
		if !p.Accept(")") {
			p.Unclosed(t)
		}
		return x
	}
	return p.relation()
}
