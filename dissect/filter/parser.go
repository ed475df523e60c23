package filter

// Limits on expressions, so that none takes unbounded memory or stack.
const (
	MaxLength = 64 << 10 // bytes
	MaxDepth  = 100      // parentheses, negations and function calls inside each other
)

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
type parser struct {
	fault
	tokens []token
	pos    int
	depth  int
}

// parse gives the tree of an expression, nil for an empty one.
func parse(src string) (expr, fault) {
	if len(src) > MaxLength {
		f := fault{}
		f.fail(span{MaxLength, len(src)}, "the expression is longer than %d bytes", MaxLength)
		return nil, f
	}
	l := lexer{src: src}
	p := parser{tokens: l.lex(), fault: l.fault}
	if p.set || p.peek().kind == tokEnd {
		return nil, p.fault
	}
	x := p.expression()
	if t := p.peek(); t.kind != tokEnd {
		p.unexpected(t)
	}
	return x, p.fault
}

// peek is the next token. After a fault it is the end, so that loops end.
func (p *parser) peek() token {
	if p.set {
		return token{kind: tokEnd}
	}
	return p.tokens[p.pos]
}

// last is the token before the next one.
func (p *parser) last() token { return p.tokens[max(0, p.pos-1)] }

// take consumes the next token.
func (p *parser) take() token {
	t := p.peek()
	if t.kind != tokEnd {
		p.pos++
	}
	return t
}

// keyword is what the next token does if it is a keyword, else "".
func (p *parser) keyword() string {
	if t := p.peek(); t.kind == tokWord || t.kind == tokSymbol {
		return keywords[t.text]
	}
	return ""
}

// symbol consumes a piece of punctuation if it comes next.
func (p *parser) symbol(s string) bool {
	if t := p.peek(); t.kind != tokSymbol || t.text != s {
		return false
	}
	p.pos++
	return true
}

// unexpected fails at a token that can't continue a complete expression.
func (p *parser) unexpected(t token) {
	switch {
	case t.text == ")" && t.kind == tokSymbol:
		p.fail(t.at, "this ) closes nothing")
	case t.kind == tokSlice:
		p.fail(t.at, "a slice must follow a field directly")
	default:
		p.fail(t.at, "unexpected %s (tests are joined by and, or, xor)", t.text)
	}
}

// missing fails where something should follow the last token.
func (p *parser) missing(what string) {
	t := p.peek()
	if t.kind == tokEnd {
		p.fail(p.last().at, "%s is missing after %s", what, p.last().text)
		return
	}
	p.fail(t.at, "%s is missing before %s", what, t.text)
}

// enter goes one level deeper; leave comes back.
func (p *parser) enter(at span) {
	if p.depth++; p.depth > MaxDepth {
		p.fail(at, "nested more than %d deep", MaxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

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
		p.take()
		x.terms = append(x.terms, next())
	}
	return x
}

// unary parses negations, parentheses and relations.
func (p *parser) unary() expr {
	t := p.peek()
	switch {
	case p.keyword() == "not":
		p.take()
		p.enter(t.at)
		defer p.leave()
		return &negation{p.unary()}
	case p.symbol("("):
		p.enter(t.at)
		defer p.leave()
		x := p.expression()
		if !p.symbol(")") {
			p.unclosed(t)
		}
		return x
	}
	return p.relation()
}

// unclosed fails for a parenthesis or brace that something else than its end follows.
func (p *parser) unclosed(open token) {
	if t := p.peek(); t.kind != tokEnd {
		p.unexpected(t)
		return
	}
	p.fail(open.at, "this %s is not closed", open.text)
}
