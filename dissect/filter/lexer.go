package filter

import (
	"strings"
	"unicode/utf8"
)

// tokenKind tells tokens apart.
type tokenKind uint8

const (
	tokEnd    tokenKind = iota // end of the expression
	tokWord                    // name, keyword or unquoted constant
	tokString                  // "…", escapes resolved
	tokRaw                     // r"…"
	tokChar                    // 'a'
	tokSlice                   // [1,3-5], text without the brackets
	tokSymbol                  // an operator or punctuation
)

// A token is one lexical element.
type token struct {
	kind tokenKind
	text string // meaning: escapes of strings are resolved
	at   span
}

// symbols are the operators and punctuation, longer ones first.
var symbols = [...]string{
	"===", "!==", "==", "!=", ">=", "<=", "&&", "||", "^^", "..",
	">", "<", "~", "&", "!", "(", ")", "{", "}", ",",
}

// A lexer splits an expression into tokens.
type lexer struct {
	fault
	src string
	pos int
}

// lex gives all tokens; the last is tokEnd.
func (l *lexer) lex() []token {
	var all []token
	for {
		t := l.next()
		if l.set {
			return []token{{kind: tokEnd}}
		}
		all = append(all, t)
		if t.kind == tokEnd {
			return all
		}
	}
}

// next reads one token.
func (l *lexer) next() token {
	for l.pos < len(l.src) && strings.IndexByte(" \t\r\n", l.src[l.pos]) >= 0 {
		l.pos++
	}
	rest := l.src[l.pos:]
	switch {
	case rest == "":
		return token{tokEnd, "", span{l.pos, l.pos}}
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
		return l.take(tokWord, n)
	}
	return l.symbol()
}

// take makes a token of the next n bytes.
func (l *lexer) take(kind tokenKind, n int) token {
	t := token{kind, l.src[l.pos : l.pos+n], span{l.pos, l.pos + n}}
	l.pos += n
	return t
}

// symbol reads an operator.
func (l *lexer) symbol() token {
	rest := l.src[l.pos:]
	for _, s := range symbols {
		if strings.HasPrefix(rest, s) {
			return l.take(tokSymbol, len(s))
		}
	}
	r, n := utf8.DecodeRuneInString(rest)
	at := span{l.pos, l.pos + n}
	switch r {
	case '=':
		l.fail(at, "unexpected = (== compares)")
	case '|':
		l.fail(at, "unexpected | (|| is or)")
	case ']':
		l.fail(at, "this ] closes nothing")
	default:
		l.fail(at, "unexpected character %q", r)
	}
	return token{}
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
func (l *lexer) slice() token {
	n := strings.IndexByte(l.src[l.pos:], ']')
	if n < 0 {
		l.fail(span{l.pos, l.pos + 1}, "this [ is not closed")
		return token{}
	}
	t := l.take(tokSlice, n+1)
	t.text = t.text[1:n]
	return t
}

// quoted reads a string or character constant whose quote stands after skip bytes.
func (l *lexer) quoted(skip int, quote byte, kind tokenKind) token {
	start := l.pos
	l.pos += skip + 1
	var text []byte
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == quote:
			l.pos++
			return token{kind, string(text), span{start, l.pos}}
		case c == '\\' && kind == tokRaw:
			text = l.rawBackslash(text)
		case c == '\\':
			text = l.escape(text)
		default:
			text = append(text, c)
			l.pos++
		}
		if l.set {
			return token{}
		}
	}
	l.fail(span{start, start + skip + 1}, "this quote is not closed")
	return token{}
}

// rawBackslash keeps a backslash, and with it a quote that it protects.
func (l *lexer) rawBackslash(text []byte) []byte {
	n := 1
	if strings.HasPrefix(l.src[l.pos:], `\"`) {
		n = 2
	}
	text = append(text, l.src[l.pos:l.pos+n]...)
	l.pos += n
	return text
}
