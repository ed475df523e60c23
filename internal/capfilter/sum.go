package capfilter

// precedence of the operators of sums; higher ones bind tighter. Beside others ^
// and % need parentheses (see unclear).
var precedence = map[string]int{
	"|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6,
}

// tightest is tighter than all of them.
const tightest = 7

// comparisons are the operators of relations.
var comparisons = map[string]string{"=": "=", "==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

// relation parses a relation, or gives nil and consumes nothing if none stands
// here. Only the operator tells: a parenthesis or number may start other things.
// What is certainly a sum and no relation is a fault.
func (p *parser) relation() *relation {
	if p.set || !p.sumComes() {
		return nil
	}
	back, depth := p.pos, p.depth
	certain := p.sumCertain()
	l := p.sum(1)
	op := p.peek()
	if comparisons[op.text] == "" || op.kind != tokSymbol {
		switch {
		case certain && !p.set:
			p.missing("a comparison such as = or >")
		case !certain:
			p.fault, p.pos, p.depth = fault{}, back, depth
		}
		return nil
	}
	p.take()
	r := p.sum(1)
	if p.set {
		return nil
	}
	return &relation{l.at.to(r.at), comparisons[op.text], l, r}
}

// sumComes says whether the next token may start a sum.
func (p *parser) sumComes() bool {
	t := p.peek()
	return t.kind == tokNumber || t.is("(") || p.sumCertain()
}

// sumCertain says whether the next token starts a sum and can't start anything else.
func (p *parser) sumCertain() bool {
	t := p.peek()
	_, number := numbers[t.text]
	return t.is("len") || t.is("length") || t.is("-") || t.kind == tokWord && (number || p.ahead(1).is("[") && isKeyword(t.text))
}

// sum parses operators that bind at least as tight as level.
func (p *parser) sum(level int) *sum {
	x := p.operandOfSum()
	for {
		op := p.peek()
		n := precedence[op.text]
		if p.set || op.kind != tokSymbol || n < level {
			return x
		}
		p.take()
		r := p.sum(n + 1)
		x = &sum{at: x.at.to(r.at), kind: sumBinary, op: op.text, l: x, r: r}
	}
}

// operandOfSum parses a number, len, a load, a negation or a parenthesis.
func (p *parser) operandOfSum() *sum {
	t := p.peek()
	number, named := numbers[t.text]
	switch {
	case t.kind == tokNumber:
		p.take()
		return &sum{at: t.at, num: t.num}
	case t.kind == tokWord && named:
		p.take()
		return &sum{at: t.at, num: number}
	case t.is("len") || t.is("length"):
		p.take()
		return &sum{at: t.at, kind: sumLen}
	case t.is("-"):
		p.take()
		p.enter(t.at)
		defer p.leave()
		x := p.sum(tightest)
		return &sum{at: t.at.to(x.at), kind: sumNegate, l: x}
	case t.is("("):
		return p.sumGroup()
	case t.kind == tokWord && p.ahead(1).is("["):
		return p.load()
	case t.kind == tokWord && !isKeyword(t.text):
		p.fail(t.at, "unknown word %s (numbers have spaces around operators)", t.text)
	default:
		p.missing("a number")
	}
	return &sum{at: t.at}
}

// sumGroup parses a sum in parentheses.
func (p *parser) sumGroup() *sum {
	open := p.take()
	p.enter(open.at)
	defer p.leave()
	x := p.sum(1)
	end := p.peek()
	if !p.accept(")") {
		p.unclosed(open)
		return x
	}
	whole := *x
	whole.at, whole.closed = open.at.to(end.at), true
	return &whole
}

// load parses proto[index:size].
func (p *parser) load() *sum {
	proto, open := p.take(), p.take()
	p.enter(open.at)
	defer p.leave()
	if !indexable[proto.text] {
		p.fail(proto.at, "bytes of %s can't be looked at", proto.text)
	}
	x := &sum{at: proto.at, kind: sumLoad, proto: proto.text, size: 1, l: p.sum(1)}
	if p.accept(":") {
		n := p.take()
		if n.kind != tokNumber || n.num != 1 && n.num != 2 && n.num != 4 {
			p.fail(n.at, "the size must be 1, 2 or 4 bytes")
		}
		x.size = int(n.num)
	}
	x.at = x.at.to(p.peek().at)
	if !p.accept("]") {
		p.unclosed(open)
	}
	return x
}
