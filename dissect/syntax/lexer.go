package syntax

import (
	"strings"
	"unicode/utf8"
)

// MaxLength bounds the bytes of an expression: none takes unbounded memory.
const MaxLength = 64 << 10

// A Kind tells tokens apart. Kinds of a language's own begin at Own.
type Kind uint8

const (
	End    Kind = iota // of the expression
	Word               // a name, a keyword or a constant
	Symbol             // an operator or punctuation
	Own
)

// A Token is one lexical element.
type Token struct {
	Kind   Kind
	Text   string // as written, or what that means where a language has escapes
	At     Span
	Number float64 // of a constant, where the language reads it with its token
}

// Is reports whether the token is a word or symbol.
func (t Token) Is(text string) bool {
	return t.Text == text && (t.Kind == Word || t.Kind == Symbol)
}

// A Lexer splits an expression into tokens.
type Lexer struct {
	Fault
	Src string
	Pos int // byte of Src that is read next
}

// Rest gives the text of which no token was taken yet.
func (l *Lexer) Rest() string { return l.Src[l.Pos:] }

// Take makes a token of the next n bytes.
func (l *Lexer) Take(kind Kind, n int) Token {
	t := Token{Kind: kind, Text: l.Rest()[:n], At: l.Next(n)}
	l.Pos += n
	return t
}

// Next is where the next n bytes are.
func (l *Lexer) Next(n int) Span { return Span{l.Pos, l.Pos + n} }

// Symbol reads one of the symbols, of which longer ones stand first, or fails. Hints are what
// is said of other characters that people write.
func (l *Lexer) Symbol(symbols []string, hints map[rune]string) Token {
	for _, s := range symbols {
		if strings.HasPrefix(l.Rest(), s) {
			return l.Take(Symbol, len(s))
		}
	}
	r, n := utf8.DecodeRuneInString(l.Rest())
	if hint := hints[r]; hint != "" {
		l.Fail(l.Next(n), "%s", hint)
	}
	l.Fail(l.Next(n), "unexpected character %q", r)
	return Token{}
}

// tokens are all tokens, each of which next reads where no space stands. The last one is End.
func (l *Lexer) tokens(next func(*Lexer) Token) (all []Token) {
	if len(l.Src) > MaxLength {
		l.Fail(Span{MaxLength, len(l.Src)}, "the expression is longer than %d bytes", MaxLength)
	}
	for !l.Failed {
		l.Pos = len(l.Src) - len(strings.TrimLeft(l.Rest(), " \t\r\n"))
		if l.Rest() == "" {
			break
		}
		all = append(all, next(l))
	}
	return append(all, Token{At: l.Next(0)})
}
