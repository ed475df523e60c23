package capfilter

// primitive parses a test that starts with a keyword, and gives the qualifiers
// that ids to its right take.
func (p *parser) primitive() (node, quals) {
	t := p.peek()
	_, proto := protocols[t.text]
	switch {
	case t.kind != tokWord || !isKeyword(t.text):
		p.noPrimitive(t)
	case t.text == "vlan":
		return p.vlan(), quals{}
	case t.text == "less" || t.text == "greater":
		return p.lengths(), quals{}
	case t.text == "broadcast" || t.text == "multicast":
		p.take()
		return &cast{t.at, "", t.text == "multicast"}, quals{}
	case proto:
		p.take()
		return p.afterProtocol(t)
	case t.text == "src" || t.text == "dst" || types[t.text] || t.text == "proto":
		return p.qualified(quals{at: t.at})
	case otherWords[t.text]:
		p.fail(t.at, "%s is not supported", t.text)
	default:
		p.fail(t.at, "unexpected %s (expected a test)", t.text)
	}
	return nil, quals{}
}

// noPrimitive fails for what no test starts with.
func (p *parser) noPrimitive(t token) {
	switch {
	case t.kind == tokEnd:
		p.missing("a test")
	case t.kind == tokWord:
		p.fail(t.at, "unknown word %s (names are not looked up)", t.text)
	case t.kind == tokSymbol:
		p.fail(t.at, "unexpected %s (expected a test)", t.text)
	default:
		p.fail(t.at, "what is %s? A word like host, net or port is missing before it", t.text)
	}
}

// afterProtocol parses what follows the name of a protocol.
func (p *parser) afterProtocol(t token) (node, quals) {
	switch n := p.peek(); {
	case n.is("broadcast") || n.is("multicast"):
		p.take()
		return &cast{t.at.to(n.at), t.text, n.text == "multicast"}, quals{}
	case n.is("src") || n.is("dst") || n.is("proto") || n.kind == tokWord && types[n.text]:
		return p.qualified(quals{proto: t.text, at: t.at})
	case t.text == "ether" || t.text == "link":
		p.missing("host, src, dst, proto or [")
	}
	return &named{t.at, t.text}, quals{}
}

// qualified parses direction and type, and the ids they belong to.
func (p *parser) qualified(q quals) (node, quals) {
	q.ok = true
	if p.accept("proto") {
		q.typ = "proto"
	} else {
		q.dir = p.direction()
		if t := p.peek(); t.kind == tokWord && types[t.text] {
			q.typ = p.take().text
		}
	}
	q.at = q.at.to(p.last().at)
	return p.ids(q), q
}

// direction parses src, dst, and both joined.
func (p *parser) direction() direction {
	first := p.peek()
	if !first.is("src") && !first.is("dst") {
		return dirAny
	}
	p.take()
	join, second := p.peek(), p.ahead(1)
	or := join.is("or") || join.is("||")
	if (or || join.is("and") || join.is("&&")) && (second.is("src") || second.is("dst")) && second.text != first.text {
		p.pos += 2
		if or {
			return dirAny
		}
		return dirBoth
	}
	if first.text == "src" {
		return dirSrc
	}
	return dirDst
}

// vlan parses vlan with or without a number.
func (p *parser) vlan() node {
	x := &vlan{at: p.take().at}
	if n := p.peek(); n.kind == tokNumber {
		p.take()
		x.id, x.at = &n, x.at.to(n.at)
	}
	return x
}

// lengths parses less and greater.
func (p *parser) lengths() node {
	t, n := p.take(), p.peek()
	if n.kind != tokNumber {
		p.missing("a length in bytes")
		return nil
	}
	p.take()
	return &lengths{t.at.to(n.at), t.text == "greater", n.num}
}
