package render

import (
	"unicode"
	"unicode/utf8"
)

// AppendJSONString appends s as a JSON string (RFC 8259). Invalid UTF-8 becomes
// \ufffd. What a terminal might act on (DEL, C1, bidirectional controls) is
// written as \u escapes, so that records may be looked at with cat.
func AppendJSONString[S []byte | string](dst []byte, s S) []byte {
	dst = append(dst, '"')
	for len(s) > 0 {
		n := jsonPlain(s)
		dst = append(dst, s[:n]...)
		if s = s[n:]; len(s) == 0 {
			break
		}
		r, size := decodeRune(s)
		if r >= 0x80 && unicode.IsPrint(r) && (r != utf8.RuneError || size > 1) {
			dst = append(dst, s[:size]...)
		} else {
			dst = appendJSONRune(dst, r)
		}
		s = s[size:]
	}
	return append(dst, '"')
}

func appendJSONRune(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if r > 0xffff {
		r -= 0x10000
		dst = appendU(dst, 0xd800+r>>10)
		r = 0xdc00 + r&0x3ff
	}
	return appendU(dst, r)
}

// jsonPlain counts the bytes before the first that needs a look.
func jsonPlain[S []byte | string](s S) int {
	const lows, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(s); n += 8 {
		x := load8(s, n)
		del, quote, slash := x^0x7f*lows, x^'"'*lows, x^'\\'*lows
		if (x|(x-0x20*lows)|(del-lows)&^del|(quote-lows)&^quote|(slash-lows)&^slash)&highs != 0 {
			break
		}
	}
	for n < len(s) && jsonSafe[s[n]] {
		n++
	}
	return n
}

var jsonSafe = func() (t [256]bool) {
	for c := ' '; c < 0x7f; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

func decodeRune[S []byte | string](s S) (rune, int) {
	var b [utf8.UTFMax]byte
	return utf8.DecodeRune(b[:copy(b[:], s)])
}
