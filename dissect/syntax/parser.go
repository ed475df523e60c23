package syntax

// MaxDepth bounds parentheses, negations and the like inside each other: no expression takes
// unbounded stack.
const MaxDepth = 100

// A Parser goes through the tokens of one expression, for a recursive descent.
type Parser struct {
	Fault
	Pos int // of the next token

	// Stray says why a token can't stand where an expression should go on or end, "" for
	// nothing special. Joined says of all others what would go on with it.
	Stray  func(t Token) string
	Joined string

	tokens []Token
	depth  int
}

// NewParser splits an expression into tokens. next reads one that begins at the lexer's Rest,
// which is not empty and begins with no space.
func NewParser(src string, next func(*Lexer) Token) Parser {
	l := Lexer{Src: src}
	tokens := l.tokens(next)
	return Parser{Fault: l.Fault, tokens: tokens}
}

// Peek is the next token. After a fault it is the end, so that loops end.
func (p *Parser) Peek() Token { return p.Ahead(0) }

// Ahead is the token n after the next one.
func (p *Parser) Ahead(n int) Token {
	if p.Failed {
		return Token{}
	}
	return p.tokens[min(p.Pos+n, len(p.tokens)-1)]
}

// Last is the token before the next one; at the start it is empty.
func (p *Parser) Last() (t Token) {
	if p.Pos > 0 {
		t = p.tokens[p.Pos-1]
	}
	return t
}

// Take consumes the next token; the end is never consumed.
func (p *Parser) Take() Token {
	t := p.Peek()
	if t.Kind != End {
		p.Pos++
	}
	return t
}

// Accept consumes the next token if it is one of the words or symbols.
func (p *Parser) Accept(texts ...string) bool {
	for _, text := range texts {
		if p.Peek().Is(text) {
			p.Pos++
			return true
		}
	}
	return false
}

// Finish fails unless the expression ends here.
func (p *Parser) Finish() {
	if t := p.Peek(); t.Kind != End {
		p.Unexpected(t)
	}
}

// Unexpected fails at a token that can't continue a complete expression.
func (p *Parser) Unexpected(t Token) {
	if p.Stray != nil {
		if reason := p.Stray(t); reason != "" {
			p.Fail(t.At, "%s", reason)
		}
	}
	if t.Kind == Symbol && t.Text == ")" {
		p.Fail(t.At, "this ) closes nothing")
	}
	p.Fail(t.At, "unexpected %s (%s)", t.Text, p.Joined)
}

// Missing fails where something should follow the last token.
func (p *Parser) Missing(what string) {
	switch t := p.Peek(); {
	case t.Kind != End:
		p.Fail(t.At, "%s is missing before %s", what, t.Text)
	case p.Pos == 0:
		p.Fail(t.At, "%s is missing", what)
	default:
		p.Fail(p.Last().At, "%s is missing after %s", what, p.Last().Text)
	}
}

// Unclosed fails for a bracket that something else than its end follows.
func (p *Parser) Unclosed(open Token) {
	if t := p.Peek(); t.Kind != End {
		p.Unexpected(t)
		return
	}
	p.Fail(open.At, "this %s is not closed", open.Text)
}

// Enter goes one level deeper; Leave comes back.
func (p *Parser) Enter(at Span) {
	if p.depth++; p.depth > MaxDepth {
		p.Fail(at, "nested more than %d deep", MaxDepth)
	}
}

// Leave comes back from a level.
func (p *Parser) Leave() { p.depth-- }
