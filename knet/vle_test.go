package knet

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

type vleRow struct {
	value uint32
	bytes string
	long  bool // longer than needed: read, and kept
}

// The encodings of the lost page "Zero Truncation using Variable-Length
// Encoding", AMB-KN-02, and VLE-1.15/16 of the library.
func TestKNet_VLE(t *testing.T) {
	for _, c := range []struct {
		name   string
		read   func(*dissect.Reader, *dissect.Field) VLE
		append func(VLE, []byte) []byte
		rows   []vleRow
	}{
		{"1.7/8", readVLE15, VLE.append15, []vleRow{{0, "00", false}, {127, "7F", false}, {128, "80 01", false}, {167, "A7 01", false},
			{32767, "FF FF", false}, {5, "85 00", true}, {16384, "80 80", false}}},
		{"1.7/1.7/16", readVLE30, VLE.append30, []vleRow{{20, "14", false}, {127, "7F", false}, {128, "80 01", false}, {130, "82 01", false},
			{252, "FC 01", false}, {16383, "FF 7F", false}, {16384, "80 80 01 00", false}, {20000, "A0 9C 01 00", false},
			{0x3FFFFFF0, "F0 FF FF FF", false}, {0x3FFFFFFD, "FD FF FF FF", false}, {0x3FFFFFFF, "FF FF FF FF", false},
			{127, "FF 00", true}, {127, "FF 80 00 00", true}, {16383, "FF FF 00 00", true}}},
		{"1.15/16", readVLE31, VLE.append31, []vleRow{{23, "17 00", false}, {32651, "8B 7F", false}, {32767, "FF 7F", false},
			{32768, "00 80 01 00", false}, {2147481648, "30 F8 FF FF", false}, {2147483647, "FF FF FF FF", false}, {23, "17 80 00 00", true}}},
	} {
		for _, row := range c.rows {
			want := dissecttest.Unhex(t, row.bytes)
			var tree dissect.Tree
			tree.Reset(want)
			r := dissect.NewReader(want, &tree)
			v := c.read(&r, &Fields[FID])
			if err := r.Err(); err != nil || v.Value != row.value || int(v.Size) != len(want) {
				t.Errorf("%s: % x is %+v, %v, want %d", c.name, want, v, err, row.value)
			}
			if n := &tree.Nodes[0]; len(tree.Nodes) != 1 || n.Val != uint64(row.value) || n.Len != len(want) {
				t.Errorf("%s: % x is recorded as %+v", c.name, want, tree.Nodes)
			}
			if got := c.append(v, nil); string(got) != string(want) {
				t.Errorf("%s: %d as read is % x, want % x", c.name, row.value, got, want)
			}
			if got := c.append(Num(row.value), nil); (string(got) == string(want)) == row.long {
				t.Errorf("%s: %d in its shortest form is % x", c.name, row.value, got)
			}
			for n := range want {
				r := dissect.NewReader(want[:n], nil)
				if c.read(&r, &Fields[FID]); r.Err() == nil {
					t.Errorf("%s: % x is accepted", c.name, want[:n])
				}
			}
		}
	}
}
