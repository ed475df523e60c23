package capfilter

import "github.com/dpdissect/dpdissect/dissect/syntax"

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
	if p.Failed || !p.sumComes() {
		return nil
	}
	back := p.Parser
	certain := p.sumCertain()
	l := p.sum(1)
	op := p.Peek()
	if comparisons[op.Text] == "" || op.Kind != syntax.Symbol {
		switch {
		case certain && !p.Failed:
			p.Missing("a comparison such as = or >")
		case !certain:
			p.Parser = back
		}
		return nil
	}
	p.Take()
	r := p.sum(1)
	if p.Failed {
		return nil
	}
	return &relation{l.at.To(r.at), comparisons[op.Text], l, r}
}

// sumComes says whether the next token may start a sum.
func (p *parser) sumComes() bool {
	t := p.Peek()
	return t.Kind == tokNumber || t.Is("(") || p.sumCertain()
}

// sumCertain says whether the next token starts a sum and can't start anything else.
func (p *parser) sumCertain() bool {
	t := p.Peek()
	_, number := numbers[t.Text]
	return t.Is("len") || t.Is("length") || t.Is("-") || t.Kind == syntax.Word && (number || p.Ahead(1).Is("[") && isKeyword(t.Text))
}

// sum parses operators that bind at least as tight as level.
func (p *parser) sum(level int) *sum {
	x := p.operandOfSum()
	for {
		op := p.Peek()
		n := precedence[op.Text]
		if p.Failed || op.Kind != syntax.Symbol || n < level {
			return x
		}
		p.Take()
		r := p.sum(n + 1)
		x = &sum{at: x.at.To(r.at), kind: sumBinary, op: op.Text, l: x, r: r}
	}
}

// operandOfSum parses a number, len, a load, a negation or a parenthesis.
func (p *parser) operandOfSum() *sum {
	t := p.Peek()
	number, named := numbers[t.Text]
	switch {
	case t.Kind == tokNumber:
		p.Take()
		return &sum{at: t.At, num: uint32(t.Number)}
	case t.Kind == syntax.Word && named:
		p.Take()
		return &sum{at: t.At, num: number}
	case t.Is("len") || t.Is("length"):
		p.Take()
		return &sum{at: t.At, kind: sumLen}
	case t.Is("-"):
		p.Take()
		p.Enter(t.At)
		defer p.Leave()
		x := p.sum(tightest)
		return &sum{at: t.At.To(x.at), kind: sumNegate, l: x}
	case t.Is("("):
		return p.sumGroup()
	case t.Kind == syntax.Word && p.Ahead(1).Is("["):
		return p.load()
	case t.Kind == syntax.Word && !isKeyword(t.Text):
		p.Fail(t.At, "unknown word %s (numbers have spaces around operators)", t.Text)
	default:
		p.Missing("a number")
	}
	return &sum{at: t.At}
}

// sumGroup parses a sum in parentheses.
func (p *parser) sumGroup() *sum {
	open := p.Take()
	p.Enter(open.At)
	defer p.Leave()
	x := p.sum(1)
	end := p.Peek()
	if !p.Accept(")") {
		p.Unclosed(open)
		return x
	}
	whole := *x
	whole.at, whole.closed = open.At.To(end.At), true
	return &whole
}

// load parses proto[index:size].
func (p *parser) load() *sum {
	proto, open := p.Take(), p.Take()
	p.Enter(open.At)
	defer p.Leave()
	if !indexable[proto.Text] {
		p.Fail(proto.At, "bytes of %s can't be looked at", proto.Text)
	}
	x := &sum{at: proto.At, kind: sumLoad, proto: proto.Text, size: 1, l: p.sum(1)}
	if p.Accept(":") {
		n := p.Take()
		if n.Kind != tokNumber || n.Number != 1 && n.Number != 2 && n.Number != 4 {
			p.Fail(n.At, "the size must be 1, 2 or 4 bytes")
		}
		x.size = int(n.Number)
	}
	x.at = x.at.To(p.Peek().At)
	if !p.Accept("]") {
		p.Unclosed(open)
	}
	return x
}
