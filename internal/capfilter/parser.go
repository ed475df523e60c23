package capfilter

// Limits on expressions, so that none takes unbounded memory or stack.
const (
	MaxLength = 64 << 10 // bytes
	MaxDepth  = 100      // parentheses, brackets and negations inside each other
)

// A parser is a recursive descent over the tokens of one expression.
type parser struct {
	fault
	tokens []token
	pos    int
	depth  int
}

// parse gives the tree of an expression, nil for an empty one.
func parse(src string) (node, fault) {
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
	x, _ := p.expression(quals{})
	if t := p.peek(); t.kind != tokEnd {
		p.unexpected(t)
	}
	return x, p.fault
}

// peek is the next token. After a fault it is the end, so that loops end.
func (p *parser) peek() token { return p.ahead(0) }

// ahead is the token n after the next one.
func (p *parser) ahead(n int) token {
	if p.set {
		return token{kind: tokEnd}
	}
	return p.tokens[min(p.pos+n, len(p.tokens)-1)]
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

// is says whether a token is a word or symbol.
func (t token) is(text string) bool {
	return t.text == text && (t.kind == tokWord || t.kind == tokSymbol)
}

// accept consumes a word or symbol if it comes next.
func (p *parser) accept(text string) bool {
	if !p.peek().is(text) {
		return false
	}
	p.pos++
	return true
}

// unexpected fails at a token that can't continue a complete expression.
func (p *parser) unexpected(t token) {
	switch {
	case t.is(")"):
		p.fail(t.at, "this ) closes nothing")
	case t.kind == tokWord && otherWords[t.text]:
		p.fail(t.at, "%s is not supported", t.text)
	}
	p.fail(t.at, "unexpected %s (tests are joined by and, or)", t.text)
}

// missing fails where something should follow the last token.
func (p *parser) missing(what string) {
	t := p.peek()
	if t.kind != tokEnd {
		p.fail(t.at, "%s is missing before %s", what, t.text)
	} else if p.pos == 0 {
		p.fail(t.at, "%s is missing", what)
	} else {
		p.fail(p.last().at, "%s is missing after %s", what, p.last().text)
	}
}

// enter goes one level deeper; leave comes back.
func (p *parser) enter(at span) {
	if p.depth++; p.depth > MaxDepth {
		p.fail(at, "nested more than %d deep", MaxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

// unclosed fails for a bracket that something else than its end follows.
func (p *parser) unclosed(open token) {
	if t := p.peek(); t.kind != tokEnd {
		p.unexpected(t)
		return
	}
	p.fail(open.at, "this %s is not closed", open.text)
}

// expression parses terms joined by and, or. What it gives beside the tree are
// the qualifiers that an id to its right takes; around are those of the place
// where the expression stands, which an opening parenthesis hands on.
func (p *parser) expression(around quals) (node, quals) {
	x, q := p.term(around)
	for {
		or := p.peek().is("or") || p.peek().is("||")
		if !or && !p.peek().is("and") && !p.peek().is("&&") {
			return x, q
		}
		p.take()
		r, rq := p.operand(q)
		x, q = &logic{or, x, r}, rq
	}
}

// operand parses what follows and, or: a term, or an id that takes q.
func (p *parser) operand(q quals) (node, quals) {
	if p.idComes() {
		return p.ids(q), q
	}
	return p.term(q)
}

// term parses a negation, a parenthesis, a relation or a primitive.
func (p *parser) term(around quals) (node, quals) {
	t := p.peek()
	if t.is("not") || t.is("!") {
		p.take()
		p.enter(t.at)
		defer p.leave()
		x, q := p.term(around)
		return &negation{t.at, x}, q
	}
	if r := p.relation(); r != nil {
		return r, quals{at: r.at}
	}
	if t.is("(") {
		return p.group(around), around
	}
	return p.primitive()
}

// group parses an expression in parentheses. It begins with a term: where ids
// can stand, operand has looked for them already.
func (p *parser) group(around quals) node {
	open := p.take()
	p.enter(open.at)
	defer p.leave()
	x, _ := p.expression(around)
	if !p.accept(")") {
		p.unclosed(open)
	}
	return x
}

// idComes says whether an id stands after the parentheses and negations that
// come next, and no relation.
func (p *parser) idComes() bool {
	n := 0
	for t := p.ahead(n); t.is("(") || t.is("not") || t.is("!"); t = p.ahead(n) {
		n++
	}
	if !p.ahead(n).isID() {
		return false
	}
	if p.ahead(n).kind != tokNumber {
		return true
	}
	back := p.pos
	defer func() { p.pos = back }()
	for ; n >= 0; n-- {
		if p.relation() != nil {
			return false
		}
		p.pos++
	}
	return true
}

// isID says whether a token can only be an id, or the start of a relation.
func (t token) isID() bool {
	return t.kind >= tokEscaped && t.kind <= tokMAC || t.kind == tokWord && !isKeyword(t.text)
}

// ids parses what qualifiers apply to: an id, or ids in parentheses.
func (p *parser) ids(q quals) node {
	t := p.peek()
	if t.is("not") || t.is("!") {
		p.take()
		p.enter(t.at)
		defer p.leave()
		return &negation{t.at, p.ids(q)}
	}
	if !t.is("(") {
		return p.id(q)
	}
	p.take()
	p.enter(t.at)
	defer p.leave()
	x := p.ids(q)
	for !p.accept(")") {
		n := p.peek()
		or := n.is("or") || n.is("||")
		if !or && !n.is("and") && !n.is("&&") {
			p.unclosed(t)
			return x
		}
		p.take()
		x = &logic{or, x, p.ids(q)}
	}
	return x
}

// id parses one id, and the mask after a network.
func (p *parser) id(q quals) node {
	t := p.peek()
	switch {
	case !t.isID():
		p.missing(q.wanted())
		return nil
	case !q.ok:
		p.fail(t.at, "what is %s? A word like host, net or port is missing before it", t.text)
		return nil
	}
	p.take()
	return &identified{q, t, p.mask(t)}
}

// mask parses what may stand after a network.
func (p *parser) mask(id token) *mask {
	switch sep := p.peek(); {
	case sep.is("/") && (id.kind == tokIPv4 || id.kind == tokIPv6):
		p.take()
		if n := p.take(); n.kind == tokNumber {
			return &mask{at: n.at, bits: n.num, whole: id.at.to(n.at)}
		}
		p.fail(sep.at, "the bits of the network are missing after /")
	case sep.is("mask") && id.kind == tokIPv4:
		p.take()
		if a := p.take(); a.kind == tokIPv4 {
			return &mask{at: a.at, addr: &a, whole: id.at.to(a.at)}
		}
		p.fail(sep.at, "a mask like 255.255.0.0 is missing after mask")
	}
	return nil
}

// wanted says what an id of these qualifiers is.
func (q quals) wanted() string {
	switch q.typ {
	case "port":
		return "the number of a port"
	case "portrange":
		return "a range of ports"
	case "proto":
		return "a number or name of a protocol"
	}
	return "an address"
}
