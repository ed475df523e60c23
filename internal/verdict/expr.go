package verdict

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/syntax"
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

// A parser reads a budget.
type parser struct {
	syntax.Parser
	percent bool // a literal has a per cent sign
}

func newParser(text string) *parser {
	p := &parser{Parser: syntax.NewParser(text, next)}
	p.Joined = "numbers are joined by + - * /"
	p.Stray = func(t token) string {
		if isComparison(t) {
			return "a second comparison: a budget has only one"
		}
		return ""
	}
	return p
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

// ParseBudget reads a budget. The error is a *syntax.Error that marks the place.
func ParseBudget(text string) (*Budget, error) {
	p := newParser(text)
	b := &Budget{Text: strings.TrimSpace(text)}
	b.left = p.sum()
	c := p.Take()
	if !isComparison(c) {
		p.Fail(c.At, "want a comparison: < <= > >= == or !=")
	}
	b.compare, b.limit = c.Text, strings.TrimSpace(text[p.Peek().At.Start:])
	b.right = p.sum()
	b.percent = p.percent
	p.Finish()
	if constant(b.left) && constant(b.right) {
		p.Fail(syntax.Span{End: len(text)}, "the budget refers to no number of the analysis")
	}
	if p.Failed {
		return nil, p.Err(text)
	}
	if constant(b.left) {
		b.left, b.right, b.compare = b.right, b.left, mirrored[b.compare]
		b.limit = strings.TrimSpace(text[:c.At.Start])
	}
	return b, nil
}

// mirrored is a comparison with its sides exchanged.
var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

func isComparison(t token) bool { return t.Kind == syntax.Symbol && mirrored[t.Text] != "" }

func (p *parser) sum() *node {
	x := p.product()
	for op := p.Peek(); p.Accept("+", "-"); op = p.Peek() {
		x = &node{op: op.Text[0], x: x, y: p.product()}
	}
	return x
}

func (p *parser) product() *node {
	x := p.unary()
	for op := p.Peek(); p.Accept("*", "/"); op = p.Peek() {
		y := p.unary()
		if op.Text == "/" && !p.Failed {
			y = shareOf(x, y)
		}
		x = &node{op: op.Text[0], x: x, y: y}
	}
	return x
}

func (p *parser) unary() *node {
	t := p.Peek()
	p.Enter(t.At)
	defer p.Leave()
	switch {
	case p.Accept("-"):
		return &node{op: '-', x: p.unary()}
	case p.Accept("("):
		x := p.sum()
		if !p.Accept(")") {
			p.Unclosed(t)
		}
		return x
	case t.Kind == tokNumber:
		p.Take()
		return &node{op: '0', value: t.Number * p.unit()}
	case t.Kind == syntax.Word:
		p.Take()
		place, side, err := findQuantity(t.Text)
		if err != nil {
			p.Fail(t.At, "%v", err)
		}
		return nameNode(place, side)
	}
	p.Missing("a number or a name")
	return &node{op: '0'}
}

// unit takes the unit after a number.
func (p *parser) unit() float64 {
	t := p.Peek()
	switch {
	case p.Accept("%"):
		p.percent = true
		return 0.01
	case t.Kind == syntax.Word:
		p.Take()
		u, ok := units[t.Text]
		if !ok {
			p.Fail(t.At, "unknown unit %s: want %s", t.Text, unitNames)
		}
		return u
	}
	return 1
}

// parseQuantity reads a number with its unit.
func parseQuantity(s string) (float64, error) {
	p := newParser(s)
	x := p.sum()
	p.Finish()
	if e, ok := errors.AsType[*syntax.Error](p.Err(s)); ok {
		return 0, errors.New(e.Message)
	}
	if constant(x) {
		if v, absent := x.eval(nil); absent == none {
			return v, nil
		}
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
