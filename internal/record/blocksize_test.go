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

// A comment is left out where its packet's block might become longer than readers take.
func TestLongestCommentedBlock(t *testing.T) {
	comment := []byte("four")
	for spare, told := range map[int]bool{0: true, -4: false} {
		block := make([]byte, maxBlock-len(comment)-16-spare)
		binary.LittleEndian.PutUint32(block, blockEnhanced)
		binary.LittleEndian.PutUint32(block[4:], uint32(len(block)))
		binary.LittleEndian.PutUint32(block[20:], uint32(len(block)-packetHead-4))
		got := appendCommented(nil, block, binary.LittleEndian, comment)
		if len(got) > maxBlock || (len(got) > len(block)) != told {
			t.Errorf("%d bytes became %d, at most %d are right; want a comment: %v", len(block), len(got), maxBlock, told)
		}
	}
}
