package track

import "testing"

// TestMasksAreRememberedWhole: whatever few bits a SACK mask lacks, it is the same when it is asked for, and one
// that lacks more is not taken for another.
func TestMasksAreRememberedWhole(t *testing.T) {
	for _, mask := range []uint64{0, 1, 2, 3, 0b1011, 1 << 3, 1<<63 | 1<<62 - 1, 1<<64 - 1, 1<<64 - 1 - 1<<62 - 1<<31 - 1, 1<<40 - 1} {
		if g, ok := gapsOf(mask); !ok || g.mask() != mask {
			t.Errorf("%#x is remembered as %#x (%v)", mask, g.mask(), ok)
		}
	}
	for _, mask := range []uint64{1 << 4, 1 << 63, 0b1000_1100} {
		if g, ok := gapsOf(mask); ok {
			t.Errorf("%#x lacks more than three bits, and is remembered as %#x", mask, g.mask())
		}
	}
}
