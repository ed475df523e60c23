package capfilter

import "github.com/dpdissect/dpdissect/dissect/syntax"

// primitive parses a test that starts with a keyword, and gives the qualifiers
// that ids to its right take.
func (p *parser) primitive() (node, quals) {
	t := p.Peek()
	_, proto := protocols[t.Text]
	switch {
	case t.Kind != syntax.Word || !isKeyword(t.Text):
		p.noPrimitive(t)
	case t.Text == "vlan":
		return p.vlan(), quals{}
	case t.Text == "less" || t.Text == "greater":
		return p.lengths(), quals{}
	case t.Text == "broadcast" || t.Text == "multicast":
		p.Take()
		return &cast{t.At, "", t.Text == "multicast"}, quals{}
	case proto:
		p.Take()
		return p.afterProtocol(t)
	case t.Text == "src" || t.Text == "dst" || types[t.Text] || t.Text == "proto":
		return p.qualified(quals{at: t.At})
	case otherWords[t.Text]:
		p.Fail(t.At, "%s is not supported", t.Text)
	default:
		p.Fail(t.At, "unexpected %s (expected a test)", t.Text)
	}
	return nil, quals{}
}

// noPrimitive fails for what no test starts with.
func (p *parser) noPrimitive(t token) {
	switch {
	case t.Kind == syntax.End:
		p.Missing("a test")
	case t.Kind == syntax.Word:
		p.Fail(t.At, "unknown word %s (names are not looked up)", t.Text)
	case t.Kind == syntax.Symbol:
		p.Fail(t.At, "unexpected %s (expected a test)", t.Text)
	default:
		p.Fail(t.At, "what is %s? A word like host, net or port is missing before it", t.Text)
	}
}

// afterProtocol parses what follows the name of a protocol.
func (p *parser) afterProtocol(t token) (node, quals) {
	switch n := p.Peek(); {
	case n.Is("broadcast") || n.Is("multicast"):
		p.Take()
		return &cast{t.At.To(n.At), t.Text, n.Text == "multicast"}, quals{}
	case n.Is("src") || n.Is("dst") || n.Is("proto") || n.Kind == syntax.Word && types[n.Text]:
		return p.qualified(quals{proto: t.Text, at: t.At})
	case t.Text == "ether" || t.Text == "link":
		p.Missing("host, src, dst, proto or [")
	}
	return &named{t.At, t.Text}, quals{}
}

// qualified parses direction and type, and the ids they belong to.
func (p *parser) qualified(q quals) (node, quals) {
	q.ok = true
	if p.Accept("proto") {
		q.typ = "proto"
	} else {
		q.dir = p.direction()
		if t := p.Peek(); t.Kind == syntax.Word && types[t.Text] {
			q.typ = p.Take().Text
		}
	}
	q.at = q.at.To(p.Last().At)
	return p.ids(q), q
}

// direction parses src, dst, and both joined.
func (p *parser) direction() direction {
	first := p.Peek()
	if !first.Is("src") && !first.Is("dst") {
		return dirAny
	}
	p.Take()
	join, second := p.Peek(), p.Ahead(1)
	or := join.Is("or") || join.Is("||")
	if (or || join.Is("and") || join.Is("&&")) && (second.Is("src") || second.Is("dst")) && second.Text != first.Text {
		p.Pos += 2
		if or {
			return dirAny
		}
		return dirBoth
	}
	if first.Text == "src" {
		return dirSrc
	}
	return dirDst
}

// vlan parses vlan with or without a number.
func (p *parser) vlan() node {
	x := &vlan{at: p.Take().At}
	if n := p.Peek(); n.Kind == tokNumber {
		p.Take()
		x.id, x.at = &n, x.at.To(n.At)
	}
	return x
}

// lengths parses less and greater.
func (p *parser) lengths() node {
	t, n := p.Take(), p.Peek()
	if n.Kind != tokNumber {
		p.Missing("a length in bytes")
		return nil
	}
	p.Take()
	return &lengths{t.At.To(n.At), t.Text == "greater", uint32(n.Number)}
}
