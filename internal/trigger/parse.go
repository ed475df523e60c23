package trigger

import (
	"strconv"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/dissect/filter"
)

// maxDepth bounds parentheses and nots.
const maxDepth = 100

// Compile reads an expression. The error is a *filter.Error, which marks the place.
func Compile(text string) (*Trigger, error) {
	p := &parser{text: text}
	p.next()
	root := p.disjunction()
	if p.tok != "" {
		p.fail("want 'and' or 'or' here")
	}
	if p.err != nil {
		return nil, p.err
	}
	return &Trigger{text: text, root: root}, nil
}

type parser struct {
	text  string
	at    int    // after tok
	start int    // of tok
	tok   string // "" at the end
	depth int
	held  int // comparisons that must hold for a time
	err   error
}

// next reads a token: an operator, a parenthesis, or a run of other characters.
func (p *parser) next() {
	for p.at < len(p.text) && strings.ContainsRune(" \t\r\n", rune(p.text[p.at])) {
		p.at++
	}
	p.start = p.at
	rest := p.text[p.at:]
	for _, op := range []string{"&&", "||", ">=", "<=", "==", "!=", ">", "<", "=", "!", "(", ")", "%"} {
		if strings.HasPrefix(rest, op) {
			p.tok, p.at = op, p.at+len(op)
			return
		}
	}
	n := strings.IndexAny(rest, " \t\r\n&|<>=!()%")
	if n < 0 {
		n = len(rest)
	} else if n == 0 {
		n = 1 // a lone & or |: no word
	}
	p.tok, p.at = rest[:n], p.at+n
}

func (p *parser) fail(message string) {
	if p.err != nil {
		return
	}
	column := len([]rune(p.text[:p.start])) + 1
	if p.tok == "" {
		message += ", at the end"
	}
	p.err = &filter.Error{Expr: p.text + " ", Column: column, Length: max(1, len([]rune(p.tok))), Message: message}
	p.tok, p.at = "", len(p.text)
}

func (p *parser) accept(toks ...string) bool {
	for _, t := range toks {
		if p.tok == t && t != "" {
			p.next()
			return true
		}
	}
	return false
}

func (p *parser) disjunction() node {
	n := p.conjunction()
	for p.accept("or", "||") {
		n = either{n, p.conjunction()}
	}
	return n
}

func (p *parser) conjunction() node {
	n := p.negation()
	for p.accept("and", "&&") {
		n = both{n, p.negation()}
	}
	return n
}

func (p *parser) negation() node {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		p.fail("too deeply nested")
		return nil
	}
	if p.accept("not", "!") {
		return not{p.negation()}
	}
	if p.accept("(") {
		n := p.disjunction()
		if !p.accept(")") {
			p.fail("want ')' here")
		}
		return n
	}
	return p.primary()
}

func (p *parser) primary() node {
	w := lookup(p.tok)
	if w == nil {
		p.fail(unknown(p.tok))
		return nil
	}
	p.next()
	if w.event != nil {
		if p.tok == "for" {
			p.fail(w.name + " is an event: only measures take a duration, as in 'loss > 5% for 5s'")
		}
		return happened{w}
	}
	op := p.tok
	if !p.accept(">", ">=", "<", "<=", "==", "=", "!=") {
		p.fail("want a comparison of " + w.name + ", as in '" + w.name + " > 5" + w.unit + "'")
		return nil
	}
	if op == "=" {
		op = "=="
	}
	n := compared{w: w, op: op, limit: p.number(w)}
	if p.accept("for") {
		n.hold, n.place = p.duration(), p.held
		p.held++
	}
	return n
}

// duration reads how long something must be so: "5s", "500ms", "2m", or seconds.
func (p *parser) duration() int64 {
	d, err := time.ParseDuration(p.tok)
	if n, e := strconv.ParseFloat(p.tok, 64); e == nil && n < 1e6 {
		d, err = time.Duration(n*1e9), nil
	}
	if err != nil || d <= 0 || d > 24*time.Hour {
		p.fail("want a duration, as in 'for 5s'")
		return 0
	}
	p.next()
	return int64(d)
}

// number reads a limit with the unit of its word, which may be left out.
func (p *parser) number(w *word) float64 {
	text := p.tok
	for _, u := range []string{"ms", "s"} {
		if w.unit == "ms" && strings.HasSuffix(text, u) {
			v, err := strconv.ParseFloat(strings.TrimSuffix(text, u), 64)
			if err == nil && u == "s" {
				v *= 1000
			}
			if err != nil || !(v >= 0) {
				break
			}
			p.next()
			return v
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0) {
		p.fail("want a number" + map[string]string{"%": " of percent", "ms": " of milliseconds"}[w.unit])
		return 0
	}
	p.next()
	if w.unit == "%" {
		p.accept("%")
	}
	return v
}

func lookup(name string) *word {
	for i := range words {
		if words[i].name == name {
			return &words[i]
		}
	}
	return nil
}

func unknown(tok string) string {
	names := make([]string, len(words))
	for i := range words {
		names[i] = words[i].name
	}
	list := strings.Join(names, " ")
	if tok == "" {
		return "want one of " + list
	}
	return "unknown word " + tok + ": want one of " + list
}
