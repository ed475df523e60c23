package record

import (
	"encoding/binary"
	"testing"
)

// A block's length counts its padding; of writers that leave that out, the block is
// followed by it all the same (pcapng, section 3.1).
func TestBlockSizeCountsPadding(t *testing.T) {
	in := copied{order: binary.BigEndian}
	for length, want := range map[uint32]int{32: 32, 33: 36, 34: 36, 35: 36, 36: 36} {
		b := make([]byte, minBlock)
		binary.BigEndian.PutUint32(b[4:], length)
		if got := in.size(b); got != want {
			t.Errorf("a length of %d: %d bytes, want %d", length, got, want)
		}
	}
	if got := in.size(make([]byte, minBlock-1)); got != 0 {
		t.Errorf("cut short: %d bytes, want 0", got)
	}
}
