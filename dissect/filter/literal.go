package filter

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/spell"
	"github.com/dpdissect/dpdissect/dissect/syntax"
)

// A notation says how constants of an operand are written.
type notation struct {
	name   string          // of the operand, for messages
	values []dissect.Value // named values
	base   dissect.Base
	size   int      // bytes of a number, 0 for any
	octets bool     // numbers are written as byte strings of size bytes
	plain  bool     // bytes are text, also without quotes
	words  []string // all values that a text can have, nil when open
}

// quoted reports whether a constant is a string.
func (a *atom) quoted() bool { return a.Kind == tokString || a.Kind == tokRaw }

// point is the interval of one value.
func point[V any](v V) interval[V] { return interval[V]{v, v} }

// parseNumber reads a non-negative integer in any base, or a character.
func parseNumber(a *atom) (uint64, bool) {
	if a.Kind == tokChar {
		if r := []rune(a.Text); len(r) == 1 && len(a.Text) == 1 {
			return uint64(a.Text[0]), true
		}
		return 0, false
	}
	v, err := strconv.ParseUint(a.Text, 0, 64)
	return v, err == nil && !strings.Contains(a.Text, "_")
}

// parseBool reads true, false or a number.
func parseBool(n *notation, a *atom) (interval[uint64], string) {
	if v, ok := parseNumber(a); ok && !a.quoted() {
		return point(truthNumber(v != 0)), ""
	}
	switch strings.ToLower(a.Text) {
	case "true":
		return point[uint64](1), ""
	case "false":
		return point[uint64](0), ""
	}
	return interval[uint64]{}, fmt.Sprintf("%s is neither true nor false, but %s is a flag", a.Text, n.name)
}

// parseUint reads a number, the name of a value, or what the notation allows.
func parseUint(n *notation, a *atom) (interval[uint64], string) {
	if n.octets {
		return parseOctets(n, a)
	}
	if v, ok := n.named(a.Text); ok {
		return point(v), ""
	}
	if v, ok := n.version(a.Text); ok {
		return point(v), ""
	}
	v, ok := parseNumber(a)
	switch {
	case !ok || a.quoted() && (n.base == dissect.Dec || n.base == dissect.Hex):
		return interval[uint64]{}, n.noNumber(a)
	case 0 < n.size && n.size < 8 && v>>(8*n.size) != 0:
		return interval[uint64]{}, fmt.Sprintf("%s is too big for %s, maximum %d", a.Text, n.name, uint64(1)<<(8*n.size)-1)
	}
	return point(v), ""
}

// named looks up the name of a value, in any case when no name has that case.
func (n *notation) named(s string) (v uint64, ok bool) {
	for i := range n.values {
		if n.values[i].Name == s {
			return n.values[i].Value, true
		}
		if !ok && strings.EqualFold(n.values[i].Name, s) {
			v, ok = n.values[i].Value, true
		}
	}
	return v, ok
}

// version reads "1.6".
func (n *notation) version(s string) (uint64, bool) {
	major, minor, ok := strings.Cut(s, ".")
	if n.base != dissect.Version || !ok {
		return 0, false
	}
	hi, err1 := strconv.ParseUint(major, 10, 16)
	lo, err2 := strconv.ParseUint(minor, 10, 16)
	return hi<<16 | lo, err1 == nil && err2 == nil
}

// noNumber explains why a constant is none for a number.
func (n *notation) noNumber(a *atom) string {
	if _, err := strconv.ParseInt(a.Text, 0, 64); err == nil && strings.HasPrefix(a.Text, "-") {
		return fmt.Sprintf("%s is never negative", n.name)
	}
	if len(n.values) == 0 {
		if a.quoted() {
			return fmt.Sprintf("%q is a string, but %s is a number", a.Text, n.name)
		}
		return fmt.Sprintf("%s is not a number", a.Text)
	}
	names := make([]string, len(n.values))
	for i := range n.values {
		names[i] = n.values[i].Name
	}
	return fmt.Sprintf("%s has no value named %s%s", n.name, a.Text, spell.DidYouMean(a.Text, names))
}

// parseOctets reads a number of a few bytes as a byte string.
func parseOctets(n *notation, a *atom) (interval[uint64], string) {
	b, problem := parseBytes(n, a)
	if problem == "" && len(b.lo) != n.size {
		problem = fmt.Sprintf("%s and the mask of %s differ in length", a.Text, n.name)
	}
	var v uint64
	for _, c := range b.lo {
		v = v<<8 | uint64(c)
	}
	return point(v), problem
}

// parseInt reads an id.
func parseInt(n *notation, a *atom) (interval[int64], string) {
	if v, ok := parseNumber(a); ok && v <= math.MaxInt64 && !a.quoted() {
		return point(int64(v)), ""
	}
	v, err := strconv.ParseInt(a.Text, 0, 64)
	if err != nil || a.Kind != syntax.Word || strings.ContainsAny(a.Text, "_+") {
		return interval[int64]{}, n.noNumber(&atom{Kind: a.Kind, Text: strings.TrimPrefix(a.Text, "-")})
	}
	return point(v), ""
}

// parseBytes reads a string, a byte string, a small hexadecimal number or a character.
func parseBytes(n *notation, a *atom) (interval[[]byte], string) {
	if a.Kind != syntax.Word || n.plain {
		return point([]byte(a.Text)), ""
	}
	if digits, ok := strings.CutPrefix(strings.ToLower(a.Text), "0x"); ok {
		if v, err := strconv.ParseUint(digits, 16, 8); err == nil && digits[0] != '+' {
			return point([]byte{byte(v)}), ""
		}
		return interval[[]byte]{}, fmt.Sprintf("%s is not a single byte; longer constants are written 01:02", a.Text)
	}
	b, ok := byteString(a.Text)
	if !ok {
		return interval[[]byte]{}, fmt.Sprintf("%s is not a byte string such as 01:02:ab, but %s is bytes", a.Text, n.name)
	}
	return point(b), ""
}

// byteString reads hexadecimal digits in groups, separated by ':', '.' or '-'.
func byteString(s string) (b []byte, ok bool) {
	for _, group := range strings.Split(strings.Map(colons, s), ":") {
		if len(group) == 1 {
			group = "0" + group
		}
		if len(group) == 0 || len(group)%2 != 0 {
			return nil, false
		}
		for i := 0; i < len(group); i += 2 {
			hi, lo := digit(group[i]), digit(group[i+1])
			if hi > 15 || lo > 15 {
				return nil, false
			}
			b = append(b, byte(hi<<4|lo))
		}
	}
	return b, true
}

func colons(r rune) rune {
	if r == '.' || r == '-' {
		return ':'
	}
	return r
}

// parseText takes any constant as text; a closed set of words must hold it.
func parseText(n *notation, a *atom) (interval[string], string) {
	if n.words == nil {
		return point(a.Text), ""
	}
	for _, w := range n.words {
		if w == a.Text || w == strings.ReplaceAll(a.Text, "_", "-") {
			return point(w), ""
		}
	}
	return interval[string]{}, fmt.Sprintf("%s is never %q%s", n.name, a.Text, spell.DidYouMean(a.Text, n.words))
}
