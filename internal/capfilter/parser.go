package capfilter

import "github.com/dpdissect/dpdissect/dissect/syntax"

// A parser is a recursive descent over the tokens of one expression.
type parser struct{ syntax.Parser }

// parse gives the tree of an expression, nil for an empty one.
func parse(src string) (node, syntax.Fault) {
	p := parser{syntax.NewParser(src, next)}
	p.Joined, p.Stray = "tests are joined by and, or", stray
	if p.Peek().Kind == syntax.End {
		return nil, p.Fault
	}
	x, _ := p.expression(quals{})
	p.Finish()
	return x, p.Fault
}

// stray says why a token can't continue a complete expression, "" for nothing special.
func stray(t token) string {
	if t.Kind == syntax.Word && otherWords[t.Text] {
		return t.Text + " is not supported"
	}
	return ""
}

// expression parses terms joined by and, or. What it gives beside the tree are
// the qualifiers that an id to its right takes; around are those of the place
// where the expression stands, which an opening parenthesis hands on.
func (p *parser) expression(around quals) (node, quals) {
	x, q := p.term(around)
	for {
		or := p.Peek().Is("or") || p.Peek().Is("||")
		if !or && !p.Peek().Is("and") && !p.Peek().Is("&&") {
			return x, q
		}
		p.Take()
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
	t := p.Peek()
	if t.Is("not") || t.Is("!") {
		p.Take()
		p.Enter(t.At)
		defer p.Leave()
		x, q := p.term(around)
		return &negation{t.At, x}, q
	}
	if r := p.relation(); r != nil {
		return r, quals{at: r.at}
	}
	if t.Is("(") {
		return p.group(around), around
	}
	return p.primitive()
}

// group parses an expression in parentheses. It begins with a term: where ids
// can stand, operand has looked for them already.
func (p *parser) group(around quals) node {
	open := p.Take()
	p.Enter(open.At)
	defer p.Leave()
	x, _ := p.expression(around)
	if !p.Accept(")") {
		p.Unclosed(open)
	}
	return x
}

// idComes says whether an id stands after the parentheses and negations that
// come next, and no relation.
func (p *parser) idComes() bool {
	n := 0
	for t := p.Ahead(n); t.Is("(") || t.Is("not") || t.Is("!"); t = p.Ahead(n) {
		n++
	}
	if !isID(p.Ahead(n)) {
		return false
	}
	if p.Ahead(n).Kind != tokNumber {
		return true
	}
	back := p.Pos
	defer func() { p.Pos = back }()
	for ; n >= 0; n-- {
		if p.relation() != nil {
			return false
		}
		p.Pos++
	}
	return true
}

// isID says whether a token can only be an id, or the start of a relation.
func isID(t token) bool {
	return t.Kind >= tokEscaped || t.Kind == syntax.Word && !isKeyword(t.Text)
}

// ids parses what qualifiers apply to: an id, or ids in parentheses.
func (p *parser) ids(q quals) node {
	t := p.Peek()
	if t.Is("not") || t.Is("!") {
		p.Take()
		p.Enter(t.At)
		defer p.Leave()
		return &negation{t.At, p.ids(q)}
	}
	if !t.Is("(") {
		return p.id(q)
	}
	p.Take()
	p.Enter(t.At)
	defer p.Leave()
	x := p.ids(q)
	for !p.Accept(")") {
		n := p.Peek()
		or := n.Is("or") || n.Is("||")
		if !or && !n.Is("and") && !n.Is("&&") {
			p.Unclosed(t)
			return x
		}
		p.Take()
		x = &logic{or, x, p.ids(q)}
	}
	return x
}

// id parses one id, and the mask after a network.
func (p *parser) id(q quals) node {
	t := p.Peek()
	switch {
	case !isID(t):
		p.Missing(q.wanted())
		return nil
	case !q.ok:
		p.Fail(t.At, "what is %s? A word like host, net or port is missing before it", t.Text)
		return nil
	}
	p.Take()
	return &identified{q, t, p.mask(t)}
}

// mask parses what may stand after a network.
func (p *parser) mask(id token) *mask {
	switch sep := p.Peek(); {
	case sep.Is("/") && (id.Kind == tokIPv4 || id.Kind == tokIPv6):
		p.Take()
		if n := p.Take(); n.Kind == tokNumber {
			return &mask{at: n.At, bits: uint32(n.Number), whole: id.At.To(n.At)}
		}
		p.Fail(sep.At, "the bits of the network are missing after /")
	case sep.Is("mask") && id.Kind == tokIPv4:
		p.Take()
		if a := p.Take(); a.Kind == tokIPv4 {
			return &mask{at: a.At, addr: &a, whole: id.At.To(a.At)}
		}
		p.Fail(sep.At, "a mask like 255.255.0.0 is missing after mask")
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
