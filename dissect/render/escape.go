package render

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

var number = []byte{'#'}

// AppendEscaped appends text taken from packets so that it cannot drive a
// terminal: control characters, ESC, C1, bidirectional and other invisible
// controls and invalid UTF-8 become visible escapes such as \x1b and \u202e.
// Printable Unicode stays. The result never holds a byte below 0x20 nor 0x7f. Nor can it give
// commands to the system of continuous integration that shows the output: Azure Pipelines
// takes ##vso[ for one, and GitHub ##[, wherever they stand in a line, so that # after
// another # is escaped, also where that is the last byte of dst.
func AppendEscaped[S []byte | string](dst []byte, s S) []byte {
	for {
		n := plain(s)
		dst = append(dst, s[:n]...)
		if n == len(s) {
			return dst
		}
		s = s[n:]
		if s[0] == '#' && !bytes.HasSuffix(dst, number) {
			dst, s = append(dst, '#'), s[1:]
		} else {
			r, size := decodeRune(s)
			dst, s = appendRune(dst, s[:size], r), s[size:]
		}
	}
}

// Logged is AppendEscaped for what begins a line: GitHub takes :: for a command there.
func Logged(s string) string {
	s = string(AppendEscaped(nil, s))
	if rest := strings.TrimLeft(s, " "); strings.HasPrefix(rest, "::") {
		s = s[:len(s)-len(rest)] + `\x3a` + rest[1:]
	}
	return s
}

// appendRune appends a character that is # after another one or not printable ASCII.
func appendRune[S []byte | string](dst []byte, s S, r rune) []byte {
	switch {
	case r == utf8.RuneError && len(s) == 1, r == '#':
		return appendX(dst, s[0])
	case r >= utf8.RuneSelf && unicode.IsPrint(r):
		return append(dst, s...)
	}
	return appendControl(dst, r)
}

func appendControl(dst []byte, r rune) []byte {
	switch {
	case r == '\n':
		return append(dst, '\\', 'n')
	case r == '\r':
		return append(dst, '\\', 'r')
	case r == '\t':
		return append(dst, '\\', 't')
	case r < 0x80:
		return appendX(dst, byte(r))
	case r <= 0xffff:
		return appendU(dst, r)
	}
	dst = append(dst, '\\', 'U')
	for s := 28; s >= 0; s -= 4 {
		dst = append(dst, hexDigits[r>>s&15])
	}
	return dst
}

func appendX(dst []byte, b byte) []byte {
	return append(dst, '\\', 'x', hexDigits[b>>4], hexDigits[b&15])
}

func appendU(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// plain counts the bytes before the first that is # or not printable ASCII, eight at a time.
func plain[S []byte | string](s S) int {
	const lows, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 {
		x := load8(s, i)
		del, number := x^0x7f*lows, x^'#'*lows
		if (x|(x-0x20*lows)|(del-lows)&^del|(number-lows)&^number)&highs != 0 {
			break
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] < 0x7f && s[i] != '#' {
		i++
	}
	return i
}

func load8[S []byte | string](s S, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// printable reports whether most of b is printable ASCII, so that it is worth
// showing as text.
func printable(b []byte) bool {
	n := 0
	for _, c := range b {
		if c >= ' ' && c < 0x7f {
			n++
		}
	}
	return len(b) > 0 && n*4 >= len(b)*3
}
