package filter

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// escapeLetters and escapeBytes are the escapes of one letter and their bytes.
const (
	escapeLetters = `'"\abfnrtv`
	escapeBytes   = "'\"\\\a\b\f\n\r\t\v"
)

// escape reads one escape sequence and appends what it stands for.
func (l lexer) escape(text []byte) []byte {
	rest := l.Rest()[1:]
	if rest == "" {
		l.Pos++ // the string is not closed, which is the better message
		return text
	}
	if i := strings.IndexByte(escapeLetters, rest[0]); i >= 0 {
		l.Pos += 2
		return append(text, escapeBytes[i])
	}
	switch c := rest[0]; {
	case c == 'x':
		return l.number(text, 1, 1, 2, 16)
	case c == 'u':
		return l.number(text, 1, 4, 4, 16)
	case c == 'U':
		return l.number(text, 1, 8, 8, 16)
	case '0' <= c && c <= '7':
		return l.number(text, 0, 1, 3, 8)
	}
	_, n := utf8.DecodeRuneInString(rest)
	l.Fail(l.Next(1+n), `unknown escape \%s (\\ is a backslash, r"…" a string without escapes)`, rest[:n])
	return text
}

// number reads a numeric escape of least to most digits after skip letters.
func (l lexer) number(text []byte, skip, least, most, base int) []byte {
	start := l.Pos + 1 + skip
	end := start
	for end < len(l.Src) && end-start < most && digit(l.Src[end]) < base {
		end++
	}
	v, err := strconv.ParseUint(l.Src[start:end], base, 32)
	wide := least >= 4 // \u and \U name code points, the others bytes
	if err != nil || end-start < least || !wide && v > 0xff || wide && !utf8.ValidRune(rune(v)) {
		l.Fail(l.Next(end-l.Pos), "bad escape %s", l.Src[l.Pos:end])
		return text
	}
	l.Pos = end
	if wide {
		return utf8.AppendRune(text, rune(v))
	}
	return append(text, byte(v))
}

// digit is the value of a hexadecimal digit, or 99.
func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 99
}
