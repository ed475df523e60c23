package dp4

import "github.com/dpdissect/dpdissect/dissect"

// An Index is the index of a player: seven bits a byte, least significant
// first; a set top bit says that another byte follows, up to three (MC-DPL4R
// 2.2.1).
//
//	0..127          0vvvvvvv
//	128..16383      1vvvvvvv 0vvvvvvv
//	16384..65535    1vvvvvvv 1vvvvvvv 000000vv
type Index struct {
	Value uint32
	Width uint8 // bytes on the wire; 0 encodes as short as the value allows
}

// MinWidth is the number of bytes the text prescribes for the value.
func (x Index) MinWidth() int {
	switch {
	case x.Value < 1<<7:
		return 1
	case x.Value < 1<<14:
		return 2
	}
	return 3
}

// read takes an index. A value above MaxIndex and a longer form than needed are
// kept as they are.
func (x *Index) read(r *dissect.Reader, f *dissect.Field) {
	if b := r.Peek(1); b != nil && b[0] < 0x80 {
		x.Value, x.Width = uint32(r.U8(f)), 1
		return
	}
	x.readLong(r, f)
}

func (x *Index) readLong(r *dissect.Reader, f *dissect.Field) {
	*x = Index{}
	off := r.Pos()
	for i := range 3 {
		b := r.Peek(i + 1)
		if b == nil {
			r.FailAt(f, off+i, "truncated: want 1 byte, have 0")
			return
		}
		x.Value |= uint32(b[i]&0x7f) << (7 * i)
		if b[i] < 0x80 {
			r.Skip(f, i+1)
			r.Tree().Add(f, off, i+1, uint64(x.Value))
			x.Width = uint8(i + 1)
			return
		}
	}
	r.FailAt(f, off+2, "the third byte must be the last")
}

// Append appends the encoded index to b.
func (x Index) Append(b []byte) []byte {
	n := int(x.Width)
	if n == 0 {
		n = x.MinWidth()
	}
	v := x.Value
	for ; n > 1; n-- {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)&0x7f)
}

// Proper reports whether an index is within its limits and no longer than
// needed.
func (x Index) Proper() bool { return x.Value <= MaxIndex && int(x.Width) == x.MinWidth() }
