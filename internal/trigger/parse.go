package trigger

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/dissect/spell"
	"github.com/dpdissect/dpdissect/dissect/syntax"
)

type token = syntax.Token

// symbols are the operators and punctuation, longer ones first.
var symbols = []string{"&&", "||", ">=", "<=", "==", "!=", ">", "<", "=", "!", "(", ")", "%"}

// Compile reads an expression. The error is a *syntax.Error, which marks the place.
func Compile(text string) (*Trigger, error) {
	p := &parser{Parser: syntax.NewParser(text, next)}
	p.Joined = "words are joined by and, or"
	root := p.disjunction()
	p.Finish()
	if p.Failed {
		return nil, p.Err(text)
	}
	return &Trigger{text: text, root: root}, nil
}

// next reads an operator, a parenthesis, or a run of other characters.
func next(l *syntax.Lexer) token {
	if n := strings.IndexAny(l.Rest()+" ", " \t\r\n&|<>=!()%"); n > 0 {
		return l.Take(syntax.Word, n)
	}
	return l.Symbol(symbols, nil)
}

type parser struct {
	syntax.Parser
	held int // comparisons that must hold for a time
}

func (p *parser) disjunction() node {
	n := p.conjunction()
	for p.Accept("or", "||") {
		n = either{n, p.conjunction()}
	}
	return n
}

func (p *parser) conjunction() node {
	n := p.negation()
	for p.Accept("and", "&&") {
		n = both{n, p.negation()}
	}
	return n
}

func (p *parser) negation() node {
	t := p.Peek()
	p.Enter(t.At)
	defer p.Leave()
	if p.Accept("not", "!") {
		return not{p.negation()}
	}
	if p.Accept("(") {
		n := p.disjunction()
		if !p.Accept(")") {
			p.Unclosed(t)
		}
		return n
	}
	return p.primary()
}

func (p *parser) primary() node {
	t := p.Peek()
	w := lookup(t.Text)
	if w == nil {
		p.unknown(t)
		return nil
	}
	p.Take()
	if w.event != nil {
		if p.Peek().Is("for") {
			p.Fail(p.Peek().At, "%s is an event: only measures take a duration, as in 'loss > 5%% for 5s'", w.name)
		}
		return happened{w}
	}
	op := p.Peek().Text
	if !p.Accept(">", ">=", "<", "<=", "==", "=", "!=") {
		p.Missing(fmt.Sprintf("a comparison, as in '%s > 5%s',", w.name, w.unit))
		return nil
	}
	if op == "=" {
		op = "=="
	}
	n := compared{w: w, op: op, limit: p.number(w)}
	if p.Accept("for") {
		n.hold, n.place = p.duration(), p.held
		p.held++
	}
	return n
}

// duration reads how long something must be so: "5s", "500ms", "2m", or seconds.
func (p *parser) duration() int64 {
	text := p.Peek().Text
	d, err := time.ParseDuration(text)
	if n, e := strconv.ParseFloat(text, 64); e == nil && n < 1e6 {
		d, err = time.Duration(n*1e9), nil
	}
	if err != nil || d <= 0 || d > 24*time.Hour {
		p.want("a duration, as in 'for 5s'")
		return 0
	}
	p.Take()
	return int64(d)
}

// number reads a limit with the unit of its word, which may be left out.
func (p *parser) number(w *word) float64 {
	digits, factor := p.Peek().Text, 1.0
	if w.unit == "ms" {
		if ms, ok := strings.CutSuffix(digits, "ms"); ok {
			digits = ms
		} else if s, ok := strings.CutSuffix(digits, "s"); ok {
			digits, factor = s, 1000
		}
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(v >= 0) {
		p.want("a number" + map[string]string{"%": " of percent", "ms": " of milliseconds"}[w.unit])
		return 0
	}
	p.Take()
	if w.unit == "%" {
		p.Accept("%")
	}
	return v * factor
}

// want fails where something else stands, or nothing.
func (p *parser) want(what string) {
	if t := p.Peek(); t.Kind != syntax.End {
		p.Fail(t.At, "%s is not %s", t.Text, what)
	}
	p.Missing(what)
}

func lookup(name string) *word {
	for i := range words {
		if words[i].name == name {
			return &words[i]
		}
	}
	return nil
}

// unknown fails for what is no word of the language.
func (p *parser) unknown(t token) {
	names := make([]string, len(words))
	for i := range words {
		names[i] = words[i].name
	}
	list := strings.Join(names, " ")
	if t.Kind == syntax.Word {
		p.Fail(t.At, "unknown word %s%s: want one of %s", t.Text, spell.DidYouMean(t.Text, names), list)
	}
	p.Missing("a word (" + list + ")")
}
