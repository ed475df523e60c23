package filter

// relation parses an operand alone, a chain of comparisons or a membership.
func (p *parser) relation() expr {
	start := p.peek().at
	m := p.quantifier()
	lhs := p.operand()
	if p.set {
		return nil
	}
	if not, ok := p.memberOperator(); ok {
		return &membership{m, not, lhs, p.items()}
	}
	if _, ok := p.relop(); !ok {
		return &truth{m, lhs, start.to(lhs.place())}
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
		t := p.take()
		rhs := p.operand()
		if p.set {
			return nil
		}
		rel := relops[spelling]
		link := &comparison{rel.op, rel.mode, t.at, lhs, rhs}
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
	t := p.peek()
	if t.kind != tokWord && t.kind != tokSymbol {
		return "", false
	}
	_, ok := relops[t.text]
	return t.text, ok
}

// quantifier consumes any or all.
func (p *parser) quantifier() mode {
	switch p.keyword() {
	case "any":
		p.take()
		return modeAny
	case "all":
		p.take()
		return modeAll
	}
	return modeDefault
}

// memberOperator consumes in or not in.
func (p *parser) memberOperator() (not, ok bool) {
	if next := p.tokens[min(p.pos+1, len(p.tokens)-1)]; p.keyword() == "not" && next.kind == tokWord && next.text == "in" {
		p.take()
		not = true
	}
	if p.keyword() != "in" {
		return false, false
	}
	p.take()
	return not, true
}

// items parses the set of a membership.
func (p *parser) items() []item {
	open := p.peek()
	if !p.symbol("{") {
		p.missing("a set in braces")
		return nil
	}
	var all []item
	for !p.set {
		it := item{lo: p.constant()}
		if p.symbol("..") {
			it.hi = p.constant()
		}
		all = append(all, it)
		if p.symbol("}") {
			break
		}
		if !p.symbol(",") {
			p.separator(open)
		}
	}
	return all
}

// separator fails for what stands between two items of a set.
func (p *parser) separator(open token) {
	if t := p.peek(); t.kind != tokEnd {
		p.fail(t.at, "unexpected %s (constants of a set are separated by commas)", t.text)
		return
	}
	p.fail(open.at, "this { is not closed")
}

// constant parses an element of a set or a mask.
func (p *parser) constant() *atom {
	t := p.peek()
	if _, isRelop := p.relop(); isRelop || p.keyword() != "" || t.kind < tokWord || t.kind > tokChar {
		p.missing("a constant")
		return &atom{}
	}
	a := atom(p.take())
	return &a
}

// operand parses a name, constant or function with its slices and masks.
func (p *parser) operand() term {
	x := p.primary()
	for !p.set {
		switch t := p.peek(); {
		case t.kind == tokSlice:
			p.take()
			x = p.sliced(x, t)
		case p.keyword() == "&":
			p.take()
			x = &masked{x, p.constant()}
		default:
			return x
		}
		p.enter(p.last().at)
		defer p.leave()
	}
	return nil
}

// primary parses a function call, a name or a constant.
func (p *parser) primary() term {
	t := p.peek()
	if t.kind == tokWord && p.tokens[p.pos+1].kind == tokSymbol && p.tokens[p.pos+1].text == "(" && p.callable(t) {
		return p.call()
	}
	if _, isRelop := p.relop(); isRelop || p.keyword() != "" || t.kind < tokWord || t.kind > tokChar {
		p.missingOperand()
		return nil
	}
	a := atom(p.take())
	return &a
}

// callable reports whether a word before a parenthesis can only be a function.
func (p *parser) callable(t token) bool {
	_, isRelop := relops[t.text]
	return !isRelop && keywords[t.text] == ""
}

// missingOperand says what should stand here.
func (p *parser) missingOperand() {
	what := "a test"
	if _, ok := relops[p.last().text]; ok && p.pos > 0 {
		what = "a value"
	}
	if t := p.peek(); p.pos == 0 || t.kind == tokSlice {
		p.fail(t.at, "unexpected %s (expected a field name)", t.text)
	}
	p.missing(what)
}

// call parses a function call.
func (p *parser) call() term {
	name, open := p.take(), p.take()
	p.enter(name.at)
	defer p.leave()
	if t := p.peek(); t.text == ")" && t.kind == tokSymbol {
		p.fail(name.at.to(t.at), "%s needs a field", name.text)
		return nil
	}
	arg := p.operand()
	if t := p.peek(); !p.set && t.text == "," && t.kind == tokSymbol {
		p.fail(t.at, "%s needs one field", name.text)
	}
	if !p.symbol(")") {
		p.unclosed(open)
	}
	return &call{name.text, arg, name.at.to(p.last().at)}
}
