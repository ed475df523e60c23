package verdict

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/dissect/filter"
)

// A token is a part of a budget: a number, a name or a sign.
type token struct {
	kind  byte // '0' number, 'a' name, 0 the end, else the first byte of the sign
	text  string
	at    int // byte
	value float64
}

// units are what a number may be followed by. Times become milliseconds, sizes
// bytes.
var units = map[string]float64{
	"us": 1e-3, "µs": 1e-3, "ms": 1, "s": 1e3, "min": 60e3,
	"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
}

const unitNames = "%, us, ms, s, min, B, kB, MB, GB, KiB, MiB or GiB"

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isName(c byte) bool {
	return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

// mark makes an error that marks a part of an expression.
func mark(expr string, at, length int, format string, args ...any) error {
	column := utf8.RuneCountInString(expr[:at]) + 1
	runes := max(1, utf8.RuneCountInString(expr[at:at+length]))
	return &filter.Error{Expr: expr, Column: column, Length: runes, Message: fmt.Sprintf(format, args...)}
}

// lex takes an expression apart.
func lex(expr string) (all []token, err error) {
	for i := 0; i < len(expr); {
		c := expr[i]
		t := token{kind: c, at: i}
		switch {
		case c == ' ' || c == '\t':
			i++
			continue
		case isDigit(c) || c == '.' && i+1 < len(expr) && isDigit(expr[i+1]):
			t.kind, t.text = '0', number(expr[i:])
			if t.value, err = strconv.ParseFloat(t.text, 64); err != nil {
				return nil, mark(expr, i, len(t.text), "%s is not a number", t.text)
			}
		case isName(c):
			t.kind, t.text = 'a', name(expr[i:])
		case strings.HasPrefix(expr[i:], "<=") || strings.HasPrefix(expr[i:], ">=") || strings.HasPrefix(expr[i:], "==") || strings.HasPrefix(expr[i:], "!="):
			t.kind, t.text = 'c', expr[i:i+2]
		case c == '<' || c == '>':
			t.kind, t.text = 'c', expr[i:i+1]
		case strings.IndexByte("+-*/()%", c) >= 0:
			t.text = expr[i : i+1]
		case c == '=':
			return nil, mark(expr, i, 1, "= is not a comparison: want ==")
		default:
			return nil, mark(expr, i, 1, "%q has no meaning here", expr[i:i+1])
		}
		i += len(t.text)
		all = append(all, t)
	}
	return append(all, token{at: len(expr)}), nil
}

// number is the digits at the beginning of s, with one point.
func number(s string) string {
	i, point := 0, false
	for i < len(s) && (isDigit(s[i]) || s[i] == '.' && !point) {
		point = point || s[i] == '.'
		i++
	}
	return s[:i]
}

// name is the word at the beginning of s, points included.
func name(s string) string {
	i := 0
	for i < len(s) && (isName(s[i]) || isDigit(s[i]) || s[i] == '.') {
		i++
	}
	return s[:i]
}
