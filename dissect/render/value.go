package render

import (
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
)

// appendUint appends a number in the notation of its field. Hex is padded to
// the bytes the number has on the wire.
func appendUint(dst []byte, f *dissect.Field, size int, v uint64) []byte {
	switch f.Base {
	case dissect.Hex:
		if f.Size != 0 {
			size = f.Size
		}
		return append0x(dst, v, 2*size)
	case dissect.ID32:
		return append0x(dst, v, 8)
	case dissect.Mask64:
		return append0x(dst, v, 16)
	case dissect.Version:
		return appendVersion(dst, v)
	}
	return strconv.AppendUint(dst, v, 10)
}

func appendVersion(dst []byte, v uint64) []byte {
	dst = strconv.AppendUint(dst, v>>16, 10)
	dst = append(dst, '.')
	return strconv.AppendUint(dst, v&0xffff, 10)
}

// appendPlain appends a value without names and units: what a column holds.
func appendPlain(dst []byte, t *dissect.Tree, n *dissect.Node) []byte {
	switch n.Field.Kind {
	case dissect.Uint:
		return appendUint(dst, n.Field, n.Len, n.Val)
	case dissect.Bool:
		return strconv.AppendBool(dst, n.Val != 0)
	case dissect.Bytes:
		return appendHex(dst, t.Bytes(n))
	case dissect.Text:
		return AppendEscaped(dst, t.Text(n))
	}
	return append(dst, '1') // a group is there or not
}

// appendRanges appends wire numbers in their order, runs of three and more as
// "8-11".
func appendRanges(dst []byte, ids []int64) []byte {
	for i := 0; i < len(ids); {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		end := i + 1
		for end < len(ids) && ids[end] == ids[end-1]+1 {
			end++
		}
		if end-i < 3 {
			end = i + 1
		}
		dst = strconv.AppendInt(dst, ids[i], 10)
		if end > i+1 {
			dst = append(dst, '-')
			dst = strconv.AppendInt(dst, ids[end-1], 10)
		}
		i = end
	}
	return dst
}
