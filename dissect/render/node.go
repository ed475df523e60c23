package render

import (
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
)

const previewBytes = 32

// appendNodeText appends "Label: value" with names, units and previews.
func appendNodeText(dst []byte, t *dissect.Tree, n *dissect.Node) []byte {
	f := n.Field
	dst = append(dst, f.Label...)
	switch f.Kind {
	case dissect.Group, dissect.Array:
		return dst
	case dissect.Uint:
		return appendNamed(append(dst, ": "...), n)
	case dissect.Bool:
		return append(dst, boolText(n.Val != 0)...)
	case dissect.Bytes:
		return appendPreview(append(dst, ": "...), t.Bytes(n), f.Size == 0)
	case dissect.Text:
		return AppendEscaped(append(dst, ": "...), t.Text(n))
	}
	return appendIDs(append(dst, ": "...), t.IDs(n))
}

func boolText(set bool) string {
	if set {
		return ": True"
	}
	return ": False"
}

func appendIDs(dst []byte, ids []int64) []byte {
	if len(ids) == 0 {
		return append(dst, "none"...)
	}
	dst = append(appendRanges(dst, ids), " ("...)
	dst = strconv.AppendInt(dst, int64(len(ids)), 10)
	return append(dst, ')')
}

// appendNamed appends "CONNECT (0x01)", "1234 ms" or "0x11, RETRY, SACK1".
func appendNamed(dst []byte, n *dissect.Node) []byte {
	f := n.Field
	name := f.ValueName(n.Val)
	if name != "" {
		dst = append(append(dst, name...), " ("...)
	}
	dst = appendUint(dst, f, n.Len, n.Val)
	if name != "" {
		dst = append(dst, ')')
	}
	if f.Unit != "" {
		unit := f.Unit
		if n.Val == 1 && unit[len(unit)-1] == 's' && len(unit) > 2 {
			unit = unit[:len(unit)-1]
		}
		dst = append(append(dst, ' '), unit...)
	}
	for i := range f.Bits {
		if b := &f.Bits[i]; n.Val&b.Mask != 0 {
			dst = appendUpper(append(dst, ", "...), b.Name)
		}
	}
	return dst
}

func appendUpper(dst []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// appendPreview appends the first bytes in hex and, when most of them are
// printable, as text. Fields of a fixed size are secrets and the like: no text.
func appendPreview(dst, b []byte, text bool) []byte {
	if len(b) == 0 {
		return append(dst, "<none>"...)
	}
	head, more := b, ""
	if len(b) > previewBytes {
		head, more = b[:previewBytes], "…"
	}
	dst = append(appendHex(dst, head), more...)
	dst = append(dst, " ("...)
	dst = appendCount(dst, len(b), "byte")
	dst = append(dst, ')')
	if text && printable(head) {
		dst = append(dst, ` "`...)
		dst = append(AppendEscaped(dst, head), more...)
		dst = append(dst, '"')
	}
	return dst
}

// appendCount appends "1 byte" or "2 bytes".
func appendCount(dst []byte, n int, unit string) []byte {
	dst = append(strconv.AppendInt(dst, int64(n), 10), ' ')
	dst = append(dst, unit...)
	if n != 1 {
		dst = append(dst, 's')
	}
	return dst
}

// bitWidth counts the bits that a flag field has on the wire.
func bitWidth(n *dissect.Node) int {
	switch {
	case n.Field.Size != 0:
		return 8 * n.Field.Size
	case n.Len != 0:
		return 8 * min(n.Len, 8)
	}
	all := n.Val
	for i := range n.Field.Bits {
		all |= n.Field.Bits[i].Mask
	}
	width := 8
	for width < 64 && all>>width != 0 {
		width += 8
	}
	return width
}

// appendBit appends ".... ...1 = Retry: Set".
func appendBit(dst []byte, width int, v uint64, b *dissect.Bit) []byte {
	for i := width - 1; i >= 0; i-- {
		c := byte('.')
		if b.Mask>>i&1 != 0 {
			c = '0' + byte(v>>i&1)
		}
		dst = append(dst, c)
		if i%4 == 0 && i != 0 {
			dst = append(dst, ' ')
		}
	}
	dst = append(dst, " = "...)
	if b.Label != "" {
		dst = append(dst, b.Label...)
	} else {
		dst = append(dst, b.Name...)
	}
	if v&b.Mask != 0 {
		return append(dst, ": Set"...)
	}
	return append(dst, ": Not set"...)
}
