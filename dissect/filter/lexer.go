package filter

import (
	"strings"

	"github.com/dpdissect/dpdissect/dissect/syntax"
)

// Kinds of tokens that other languages do not have.
const (
	tokString = syntax.Own + iota // "…", escapes resolved
	tokRaw                        // r"…"
	tokChar                       // 'a'
	tokSlice                      // [1,3-5], text without the brackets
)

type (
	token = syntax.Token
	span  = syntax.Span
)

// symbols are the operators and punctuation, longer ones first.
var symbols = []string{
	"===", "!==", "==", "!=", ">=", "<=", "&&", "||", "^^", "..",
	">", "<", "~", "&", "!", "(", ")", "{", "}", ",",
}

// hints say more of characters that begin nothing.
var hints = map[rune]string{'=': "unexpected = (== compares)", '|': "unexpected | (|| is or)", ']': "this ] closes nothing"}

// A lexer splits an expression into tokens.
type lexer struct{ *syntax.Lexer }

// next reads one token.
func next(in *syntax.Lexer) token {
	l, rest := lexer{in}, in.Rest()
	switch {
	case rest[0] == '"':
		return l.quoted(0, '"', tokString)
	case rest[0] == '\'':
		return l.quoted(0, '\'', tokChar)
	case strings.HasPrefix(rest, `r"`) || strings.HasPrefix(rest, `R"`):
		return l.quoted(1, '"', tokRaw)
	case rest[0] == '[':
		return l.slice()
	}
	if n := wordLength(rest); n > 0 {
		return l.Take(syntax.Word, n)
	}
	return l.Symbol(symbols, hints)
}

// wordLength is the length of the word at the start of s. Words hold all that
// names, numbers, addresses, byte strings and times are made of; ".." ends one.
func wordLength(s string) int {
	for i := 0; i < len(s); i++ {
		if !isWord(s[i]) || strings.HasPrefix(s[i:], "..") {
			return i
		}
	}
	return len(s)
}

func isWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("_.:/+-", c) >= 0
}

// slice reads from a bracket to the closing one.
func (l lexer) slice() token {
	n := strings.IndexByte(l.Rest(), ']')
	if n < 0 {
		l.Fail(l.Next(1), "this [ is not closed")
		return token{}
	}
	t := l.Take(tokSlice, n+1)
	t.Text = t.Text[1:n]
	return t
}

// quoted reads a string or character constant whose quote stands after skip bytes.
func (l lexer) quoted(skip int, quote byte, kind syntax.Kind) token {
	begin := l.Next(skip + 1)
	l.Pos += skip + 1
	var text []byte
	for l.Rest() != "" && !l.Failed {
		switch c := l.Src[l.Pos]; {
		case c == quote:
			l.Pos++
			return token{Kind: kind, Text: string(text), At: begin.To(l.Next(0))}
		case c == '\\' && kind == tokRaw:
			text = l.rawBackslash(text)
		case c == '\\':
			text = l.escape(text)
		default:
			text = append(text, c)
			l.Pos++
		}
	}
	l.Fail(begin, "this quote is not closed")
	return token{}
}

// rawBackslash keeps a backslash, and with it a quote that it protects.
func (l lexer) rawBackslash(text []byte) []byte {
	n := 1
	if strings.HasPrefix(l.Rest(), `\"`) {
		n = 2
	}
	text = append(text, l.Rest()[:n]...)
	l.Pos += n
	return text
}
