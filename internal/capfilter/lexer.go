package capfilter

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/syntax"
)

// Kinds of tokens that other languages do not have.
const (
	tokEscaped syntax.Kind = syntax.Own + iota // \name, which is never a keyword
	tokNumber                                  // of 32 bits
	tokIPv4                                    // 10.1 to 10.1.2.3, whose number has the octets in its upper bytes
	tokIPv6
	tokMAC
)

type (
	token = syntax.Token
	span  = syntax.Span
)

// symbols are the operators and punctuation, longer ones first.
var symbols = []string{
	"&&", "||", "<<", ">>", "<=", ">=", "==", "!=",
	"<", ">", "=", "!", "(", ")", "[", "]", ":", "/", "+", "-", "*", "%", "&", "|", "^",
}

// A lexer splits an expression into tokens.
type lexer struct{ *syntax.Lexer }

// next reads one token.
func next(in *syntax.Lexer) token {
	l, rest := lexer{in}, in.Rest()
	if rest[0] == '\\' {
		return l.escaped(rest)
	}
	if n, t := colonAddress(rest), wordLength(rest); n > t {
		kind := tokIPv6
		if isMAC(rest[:n]) {
			kind = tokMAC
		}
		return l.Take(kind, n)
	} else if t > 0 {
		return l.word(rest[:t])
	}
	return l.Symbol(symbols, nil)
}

// numeric consumes the text of a constant that is a number.
func (l lexer) numeric(kind syntax.Kind, text string, n uint32) token {
	t := l.Take(kind, len(text))
	t.Number = float64(n)
	return t
}

// escaped reads a name after a backslash.
func (l lexer) escaped(rest string) token {
	n := wordLength(rest[1:])
	if n == 0 {
		l.Fail(l.Next(1), "a name is missing after \\")
		return token{}
	}
	t := l.Take(tokEscaped, n+1)
	t.Text = t.Text[1:]
	return t
}

// wordLength is the length of the word at the start of s: letters, digits, and
// inside it the characters of names, addresses and ranges.
func wordLength(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isAlnum(c) || c == '.' && i > 0:
			n = i + 1
		case i == 0 || c != '-' && c != '_':
			return n
		}
	}
	return n
}

func isAlnum(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || isDigit(c) }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isHex(c byte) bool   { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// colonAddress is the length of the longest address with colons at the start of
// s, 0 for none.
func colonAddress(s string) int {
	n, last := 0, 0
	for n < len(s) && n < 46 && (isHex(s[n]) || s[n] == ':' || s[n] == '.') {
		if s[n] == ':' {
			last = n
		}
		n++
	}
	for ; n > last && last > 0; n-- {
		if isMAC(s[:n]) || isIPv6(s[:n]) {
			return n
		}
	}
	return 0
}

// isIPv6 tells IPv6 addresses, which have no zone here.
func isIPv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6()
}

// isMAC tells MAC addresses.
func isMAC(s string) bool {
	_, ok := parseMAC(s)
	return ok
}

// word makes the token of a word: the first that fits of a MAC address, a
// number, an IPv4 address and a name.
func (l lexer) word(text string) token {
	if isMAC(text) {
		return l.Take(tokMAC, len(text))
	}
	if isNumber(text) {
		return l.numeric(tokNumber, text, l.number(text))
	}
	if parts := strings.Split(text, "."); len(parts) > 1 && len(parts) < 5 && allDigits(parts) {
		return l.numeric(tokIPv4, text, l.octets(parts))
	}
	return l.Take(syntax.Word, len(text))
}

// isNumber tells what is a number by its look: decimal, octal after 0, or
// hexadecimal after 0x.
func isNumber(s string) bool {
	if hex, ok := strings.CutPrefix(strings.ToLower(s), "0x"); ok {
		return hex != "" && strings.Trim(hex, "0123456789abcdef") == ""
	}
	return allDigits([]string{s})
}

// allDigits says whether all parts are decimal digits.
func allDigits(parts []string) bool {
	for _, p := range parts {
		if p == "" || strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return true
}

// number reads a number of 32 bits.
func (l lexer) number(text string) uint32 {
	at := l.Next(len(text))
	n, err := strconv.ParseUint(text, 0, 64)
	switch {
	case err != nil && text[0] == '0' && strings.ContainsAny(text, "89") && allDigits([]string{text}):
		l.Fail(at, "%s starts with 0 and is no octal number", text)
	case err != nil || n > 0xffffffff:
		l.Fail(at, "%s does not fit in 32 bits", text)
	}
	return uint32(n)
}

// octets reads the parts of an IPv4 address to the upper bytes.
func (l lexer) octets(parts []string) uint32 {
	var n uint32
	for i, p := range parts {
		v, err := strconv.ParseUint(p, 10, 8)
		if err != nil {
			l.Fail(l.Next(len(strings.Join(parts, "."))), "%s in an IPv4 address is above 255", p)
		}
		n |= uint32(v) << (24 - 8*i)
	}
	return n
}
