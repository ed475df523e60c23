package filter

import "github.com/dpdissect/dpdissect/dissect/syntax"

// relation parses an operand alone, a chain of comparisons or a membership.
func (p *parser) relation() expr {
	start := p.Peek().At
	m := p.quantifier()
	lhs := p.operand()
	if p.Failed {
		return nil
	}
	if not, ok := p.memberOperator(); ok {
		return &membership{m, not, lhs, p.items()}
	}
	if _, ok := p.relop(); !ok {
		return &truth{m, lhs, start.To(lhs.place())}
	}
	return p.chain(m, lhs)
}

// chain parses the comparisons after their first operand.
func (p *parser) chain(m mode, lhs term) expr {
	var links []expr
	for {
		spelling, ok := p.relop()
		if !ok {
			break
		}
		t := p.Take()
		rhs := p.operand()
		if p.Failed {
			return nil
		}
		rel := relops[spelling]
		link := &comparison{rel.op, rel.mode, t.At, lhs, rhs}
		if m != modeDefault {
			link.mode = m
		}
		links = append(links, link)
		lhs = rhs
	}
	if len(links) == 1 {
		return links[0]
	}
	return &logic{"and", links}
}

// relop is the spelling of the relation that comes next.
func (p *parser) relop() (string, bool) {
	t := p.Peek()
	if t.Kind != syntax.Word && t.Kind != syntax.Symbol {
		return "", false
	}
	_, ok := relops[t.Text]
	return t.Text, ok
}

// quantifier consumes any or all.
func (p *parser) quantifier() mode {
	switch p.keyword() {
	case "any":
		p.Take()
		return modeAny
	case "all":
		p.Take()
		return modeAll
	}
	return modeDefault
}

// memberOperator consumes in or not in.
func (p *parser) memberOperator() (not, ok bool) {
	if p.keyword() == "not" && p.Ahead(1).Is("in") {
		p.Take()
		not = true
	}
	if p.keyword() != "in" {
		return false, false
	}
	p.Take()
	return not, true
}

// items parses the set of a membership.
func (p *parser) items() []item {
	open := p.Peek()
	if !p.Accept("{") {
		p.Missing("a set in braces")
		return nil
	}
	var all []item
	for !p.Failed {
		it := item{lo: p.constant()}
		if p.Accept("..") {
			it.hi = p.constant()
		}
		all = append(all, it)
		if p.Accept("}") {
			break
		}
		if !p.Accept(",") {
			p.separator(open)
		}
	}
	return all
}

// separator fails for what stands between two items of a set.
func (p *parser) separator(open token) {
	if t := p.Peek(); t.Kind != syntax.End {
		p.Fail(t.At, "unexpected %s (constants of a set are separated by commas)", t.Text)
	}
	p.Unclosed(open)
}

// constantComes reports whether the next token is a constant or a name.
func (p *parser) constantComes() bool {
	k := p.Peek().Kind
	_, isRelop := p.relop()
	return !isRelop && p.keyword() == "" && (k == syntax.Word || k >= tokString && k <= tokChar)
}

// constant parses an element of a set or a mask.
func (p *parser) constant() *atom {
	if !p.constantComes() {
		p.Missing("a constant")
		return &atom{}
	}
	a := atom(p.Take())
	return &a
}

// operand parses a name, constant or function with its slices and masks.
func (p *parser) operand() term {
	x := p.primary()
	for !p.Failed {
		switch t := p.Peek(); {
		case t.Kind == tokSlice:
			p.Take()
			x = p.sliced(x, t)
		case p.keyword() == "&":
			p.Take()
			x = &masked{x, p.constant()}
		default:
			return x
		}
		p.Enter(p.Last().At)
		defer p.Leave()
	}
	return nil
}

// primary parses a function call, a name or a constant.
func (p *parser) primary() term {
	t := p.Peek()
	if t.Kind == syntax.Word && p.Ahead(1).Is("(") && p.callable(t) {
		return p.call()
	}
	if !p.constantComes() {
		p.missingOperand()
		return nil
	}
	a := atom(p.Take())
	return &a
}

// callable reports whether a word before a parenthesis can only be a function.
func (p *parser) callable(t token) bool {
	_, isRelop := relops[t.Text]
	return !isRelop && keywords[t.Text] == ""
}

// missingOperand says what should stand here.
func (p *parser) missingOperand() {
	what := "a test"
	if _, ok := relops[p.Last().Text]; ok {
		what = "a value"
	}
	if t := p.Peek(); p.Pos == 0 || t.Kind == tokSlice {
		p.Fail(t.At, "unexpected %s (expected a field name)", t.Text)
	}
	p.Missing(what)
}

// call parses a function call.
func (p *parser) call() term {
	name, open := p.Take(), p.Take()
	p.Enter(name.At)
	defer p.Leave()
	if t := p.Peek(); t.Is(")") {
		p.Fail(name.At.To(t.At), "%s needs a field", name.Text)
		return nil
	}
	arg := p.operand()
	if t := p.Peek(); t.Is(",") {
		p.Fail(t.At, "%s needs one field", name.Text)
	}
	if !p.Accept(")") {
		p.Unclosed(open)
	}
	return &call{name.Text, arg, name.At.To(p.Last().At)}
}
