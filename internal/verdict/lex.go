package verdict

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/dpdissect/dpdissect/dissect/syntax"
)

// A token of a budget that is a number has its value.
type token = syntax.Token

const tokNumber = syntax.Own

// signs are what stands between numbers, longer ones first.
var signs = []string{"<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "(", ")", "%"}

// hints say more of characters that begin nothing.
var hints = map[rune]string{'=': "unexpected = (== compares)"}

// units are what a number may be followed by. Times become milliseconds, sizes
// bytes.
var units = map[string]float64{
	"us": 1e-3, "µs": 1e-3, "ms": 1, "s": 1e3, "min": 60e3,
	"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
}

const unitNames = "%, us, ms, s, min, B, kB, MB, GB, KiB, MiB or GiB"

// next reads a number, a name or a sign.
func next(l *syntax.Lexer) token {
	rest := l.Rest()
	if n := numberLength(rest); n > 0 {
		return number(l, n)
	}
	if n := strings.IndexFunc(rest+" ", func(r rune) bool { return !inName(r) }); n > 0 && rest[0] != '.' {
		return l.Take(syntax.Word, n)
	}
	return l.Symbol(signs, hints)
}

// inName reports whether a name may have a character, if not at its beginning.
func inName(r rune) bool {
	return r == '_' || r == '.' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r > unicode.MaxASCII
}

// numberLength is the length of the number at the beginning of s: digits, with one point before
// or among them.
func numberLength(s string) int {
	digits := strings.TrimLeft(s, "0123456789")
	if fraction, ok := strings.CutPrefix(digits, "."); ok {
		fraction = strings.TrimLeft(fraction, "0123456789")
		if len(s)-len(fraction) > 1 {
			return len(s) - len(fraction)
		}
	}
	return len(s) - len(digits)
}

// number reads a number of n bytes.
func number(l *syntax.Lexer, n int) token {
	t := l.Take(tokNumber, n)
	var err error
	if t.Number, err = strconv.ParseFloat(t.Text, 64); err != nil {
		l.Fail(t.At, "%s is not a number", t.Text)
	}
	return t
}
