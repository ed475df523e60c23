package verdict

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/filter"
)

// A node is a part of an arithmetic expression.
type node struct {
	op    byte // '0' constant, 'a' name, '-' with one operand negates; else + - * /
	value float64
	num   *quantity
	place int  // of num among quantities
	side  int8 // of a name: 0 both, 1 a, 2 b
	x, y  *node
}

// nameNode is the name of a quantity of a side.
func nameNode(place int, side int8) *node {
	return &node{op: 'a', num: &quantities[place], place: place, side: side}
}

// maxDepth bounds how deep parentheses nest.
const maxDepth = 100

// A parser reads a budget.
type parser struct {
	expr    string
	tokens  []token
	depth   int
	percent bool // a literal has a per cent sign
	err     error
}

// A Budget is a comparison of two expressions over the numbers of an analysis.
type Budget struct {
	Text     string // as written
	Name     string // "" when it has none
	Optional bool   // that a number is not known does no harm

	left, right *node // right is the limit
	compare     string
	limit       string // the limit as written
	percent     bool
}

// ParseBudget reads a budget. The error is a *filter.Error that marks the place.
func ParseBudget(text string) (*Budget, error) {
	p := &parser{expr: text}
	if p.tokens, p.err = lex(text); p.err != nil {
		return nil, p.err
	}
	b := &Budget{Text: strings.TrimSpace(text)}
	b.left = p.sum()
	c := p.next()
	if c.kind != 'c' {
		p.fail(c, "want a comparison: < <= > >= == or !=")
	}
	from := p.tokens[0].at
	b.compare = c.text
	b.right = p.sum()
	if t := p.next(); t.kind == 'c' {
		p.fail(t, "a second comparison: a budget has only one")
	} else if t.kind != 0 {
		p.fail(t, "want the end")
	}
	if p.err != nil {
		return nil, p.err
	}
	b.percent = p.percent
	b.limit = strings.TrimSpace(text[min(from, len(text)):])
	if constant(b.left) && constant(b.right) {
		return nil, mark(text, 0, len(text), "the budget refers to no number of the analysis")
	}
	if constant(b.left) {
		b.left, b.right, b.compare = b.right, b.left, mirrored[b.compare]
		b.limit = strings.TrimSpace(text[:c.at])
	}
	return b, nil
}

// mirrored is a comparison with its sides exchanged.
var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

func (p *parser) fail(t token, format string, args ...any) {
	if p.err == nil {
		p.err = mark(p.expr, t.at, len(t.text), format, args...)
	}
}

// next takes a token; the end is never taken.
func (p *parser) next() token {
	t := p.tokens[0]
	if t.kind != 0 {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *parser) sum() *node {
	x := p.product()
	for k := p.tokens[0].kind; k == '+' || k == '-'; k = p.tokens[0].kind {
		p.next()
		x = &node{op: k, x: x, y: p.product()}
	}
	return x
}

func (p *parser) product() *node {
	x := p.unary()
	for k := p.tokens[0].kind; k == '*' || k == '/'; k = p.tokens[0].kind {
		p.next()
		y := p.unary()
		if k == '/' && p.err == nil {
			y = shareOf(x, y)
		}
		x = &node{op: k, x: x, y: y}
	}
	return x
}

func (p *parser) unary() *node {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.tokens[0], "too deep")
		return &node{op: '0'}
	}
	defer func() { p.depth-- }()
	switch t := p.next(); t.kind {
	case '-':
		return &node{op: '-', x: p.unary()}
	case '(':
		x := p.sum()
		if c := p.next(); c.kind != ')' {
			p.fail(t, "this ( is not closed")
		}
		return x
	case '0':
		return &node{op: '0', value: t.value * p.unit()}
	case 'a':
		place, side, err := findQuantity(t.text)
		if err != nil {
			p.fail(t, "%v", err)
		}
		return nameNode(place, side)
	default:
		p.fail(t, "want a number or a name")
		return &node{op: '0'}
	}
}

// unit takes the unit after a number.
func (p *parser) unit() float64 {
	switch t := p.tokens[0]; t.kind {
	case '%':
		p.next()
		p.percent = true
		return 0.01
	case 'a':
		p.next()
		u, ok := units[t.text]
		if !ok {
			p.fail(t, "unknown unit %s: want %s", t.text, unitNames)
		}
		return u
	}
	return 1
}

// parseQuantity reads a number with its unit.
func parseQuantity(s string) (float64, error) {
	p := &parser{expr: s}
	if p.tokens, p.err = lex(s); p.err == nil {
		x := p.sum()
		if t := p.next(); t.kind != 0 {
			p.fail(t, "want the end")
		}
		if p.err == nil && constant(x) {
			if v, absent := x.eval(nil); absent == none {
				return v, nil
			}
		}
	}
	if e, ok := errors.AsType[*filter.Error](p.err); ok {
		return 0, errors.New(e.Message)
	}
	return 0, fmt.Errorf("%s is not a number", s)
}

// visit calls f for each name of an expression.
func (n *node) visit(f func(*node)) {
	if n == nil {
		return
	}
	if n.op == 'a' {
		f(n)
	}
	n.x.visit(f)
	n.y.visit(f)
}

func constant(n *node) bool {
	is := true
	n.visit(func(*node) { is = false })
	return is
}

// eval computes an expression. of gives the values of names. The worst absence of
// any part is that of the whole.
func (n *node) eval(of func(*node) (float64, absence)) (float64, absence) {
	switch {
	case n.op == '0':
		return finite(n.value, none)
	case n.op == 'a':
		return of(n)
	case n.y == nil:
		v, a := n.x.eval(of)
		return -v, a
	}
	x, ax := n.x.eval(of)
	y, ay := n.y.eval(of)
	a := max(ax, ay)
	switch n.op {
	case '+':
		return finite(x+y, a)
	case '-':
		return finite(x-y, a)
	case '*':
		return finite(x*y, a)
	}
	if y == 0 {
		return 0, max(a, inapplicable)
	}
	return finite(x/y, a)
}

// finite is a value, or that there is none where it is infinite or no number.
func finite(v float64, a absence) (float64, absence) {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, boundless
	}
	return v, a
}
