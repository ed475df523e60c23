package dp8

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/dissecttest"
	"pgregory.net/rapid"
)

func TestMC_DPL8R_3_1_5_2_3_SACKMask(t *testing.T) {
	for _, tt := range []struct {
		nrcv uint8
		mask uint64
		want []int64
	}{
		{5, 1, []int64{6}}, // AMB-DP8-06: bit 0 is the one after bNRcv, which is missing itself
		{5, 0x8000000000000005, []int64{6, 8, 69}},
		{250, 0x7F, []int64{251, 252, 253, 254, 255, 0, 1}},
		{255, 3, []int64{0, 1}},
		{7, 0, nil},
	} {
		payload := []byte{0x37, byte(CtlSACK1 | CtlSACK2), 1, tt.nrcv}
		payload = binary.LittleEndian.AppendUint64(payload, tt.mask)
		_, tree := mustDecode(t, payload, unsigned16)
		wantIDs(t, tree, &Fields[fSacked], tt.want...)

		payload = []byte{0x80, OpSACK, SACKMask1 | SACKMask2, 0, 1, tt.nrcv, 0, 0, 0, 0, 0, 0}
		payload = binary.LittleEndian.AppendUint64(payload, tt.mask)
		_, tree = mustDecode(t, payload, unsigned16)
		wantIDs(t, tree, &Fields[fSacked], tt.want...)
	}
}

func TestMC_DPL8R_3_1_5_2_4_SendMask(t *testing.T) {
	for _, tt := range []struct {
		seq  uint8
		mask uint64
		want []int64
	}{
		{9, 1 << 3, []int64{5}}, // AMB-DP8-07
		{9, 1, []int64{8}},
		{2, 0xF, []int64{254, 255, 0, 1}},
		{100, 0x8000000000000001, []int64{36, 99}},
		{7, 0, nil},
	} {
		payload := []byte{0x37, byte(CtlSend1 | CtlSend2), tt.seq, 1}
		payload = binary.LittleEndian.AppendUint64(payload, tt.mask)
		_, tree := mustDecode(t, payload, unsigned16)
		wantIDs(t, tree, &Fields[fDropped], tt.want...)

		payload = []byte{0x80, OpSACK, SACKSend1 | SACKSend2, 0, tt.seq, 1, 0, 0, 0, 0, 0, 0}
		payload = binary.LittleEndian.AppendUint64(payload, tt.mask)
		_, tree = mustDecode(t, payload, unsigned16)
		wantIDs(t, tree, &Fields[fDropped], tt.want...)
	}
}

// The high halves alone: bit 0 of dwSACKMask2 is bit 32 of the mask.
func TestMC_DPL8R_2_2_2_HighHalvesAlone(t *testing.T) {
	f, tree := mustDecode(t, dissecttest.Unhex(t, "37 A0 32 0A 01 00 00 00 02 00 00 00"), unsigned16)
	if d := &f.DFrame; d.SACKMask != 1<<32 || d.SendMask != 1<<33 {
		t.Errorf("masks %#x %#x", d.SACKMask, d.SendMask)
	}
	wantIDs(t, tree, &Fields[fSacked], 43)
	wantIDs(t, tree, &Fields[fDropped], 16)
}

// The lists are what the bits say, in the order a reader expects.
func TestMC_DPL8R_3_1_5_2_3_ListsAreTheMasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seq, nrcv := rapid.Uint8().Draw(t, "seq"), rapid.Uint8().Draw(t, "nrcv")
		sack, send := rapid.Uint64().Draw(t, "sack"), rapid.Uint64().Draw(t, "send")
		payload := []byte{0x37, byte(CtlSACK1 | CtlSACK2 | CtlSend1 | CtlSend2), seq, nrcv}
		payload = binary.LittleEndian.AppendUint64(payload, sack)
		payload = binary.LittleEndian.AppendUint64(payload, send)
		var sacked, dropped []int64
		for i := range 64 {
			if sack>>i&1 != 0 {
				sacked = append(sacked, int64(nrcv+1+uint8(i)))
			}
			if send>>i&1 != 0 {
				dropped = append(dropped, int64(seq-1-uint8(i)))
			}
		}
		slices.Reverse(dropped) // oldest first
		_, tree := decodeTree(payload, unsigned16)
		for f, want := range map[int][]int64{fSacked: sacked, fDropped: dropped} {
			var got []int64
			if n := tree.Find(&Fields[f]); n != nil {
				got = tree.IDs(n)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %v, want %v", Fields[f].Name, got, want)
			}
		}
	})
}
