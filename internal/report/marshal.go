package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf16"
)

// marshalled is json.Marshal, with what turns lines around or is not seen written as \u202e: as
// in all other strings of reports, text from packets speaks to no terminal.
func marshalled(v any) ([]byte, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return seen(plain), nil
}

// seen writes what is not seen in JSON, or turns lines around, as \u202e.
func seen(plain []byte) []byte {
	if !slices.ContainsFunc(plain, func(b byte) bool { return b >= 0x7f }) {
		return plain
	}
	out := make([]byte, 0, len(plain))
	for _, r := range string(plain) { // beyond ASCII there is only what stands in strings
		switch {
		case r < 0x7f || unicode.IsPrint(r):
			out = append(out, string(r)...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
