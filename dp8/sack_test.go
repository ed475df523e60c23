package dp8

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

func TestMC_DPL8R_4_2_SACK(t *testing.T) {
	// The prose says Next Receive 5; the byte is 6, which acknowledges 5 (AMB-DP8-02).
	for _, p := range allParams() {
		f, tree := mustDecode(t, dissecttest.Unhex(t, "80 06 01 00 03 06 00 00 07 5D 11 00"), p)
		s := &f.SACK
		if f.Type != TypeSACK || s.Command != CFrame || s.Flags != SACKResponse || s.Retry != 0 || s.NSeq != 3 || s.NRcv != 6 ||
			s.Padding != 0 || s.Timestamp != 0x00115D07 || s.SACKMask != 0 || s.SendMask != 0 || s.HasSignature || s.Trailing != nil {
			t.Errorf("%+v: %+v", p, s)
		}
		wantTree(t, tree,
			want{"dp8.command", 0, 1, 0x80}, want{"dp8.opcode", 1, 1, 6}, want{"dp8.flags", 2, 1, 1}, want{"dp8.retry", 3, 1, 0},
			want{"dp8.nseq", 4, 1, 3}, want{"dp8.nrcv", 5, 1, 6}, want{"dp8.padding", 6, 2, 0}, want{"dp8.timestamp", 8, 4, 0x115D07})
	}
}

// The masks that are present: each of the 16 combinations of flags, in the
// order SACK low, SACK high, send low, send high.
func TestMC_DPL8R_2_2_1_5_MaskCombinations(t *testing.T) {
	for combo := range 16 {
		flags := uint8(combo << 1)
		t.Run(fmt.Sprintf("flags_%02x", flags), func(t *testing.T) {
			payload := dissecttest.Unhex(t, "80 06 00 80 0A 14 CD AB 07 5D 11 00")
			payload[2] = flags
			words := []uint32{}
			for i := range 4 {
				if combo>>i&1 != 0 {
					payload = append(payload, 0x10+byte(i), 0, 0, 0x80)
					words = append(words, 0x80000010+uint32(i))
				} else {
					words = append(words, 0)
				}
			}
			f, tree := mustDecode(t, payload, unsigned16)
			s := &f.SACK
			if s.SACKMask != uint64(words[1])<<32|uint64(words[0]) || s.SendMask != uint64(words[3])<<32|uint64(words[2]) {
				t.Errorf("masks %016x %016x", s.SACKMask, s.SendMask)
			}
			if s.Padding != 0xABCD || s.Retry != 0x80 || s.Flags != flags {
				t.Errorf("%+v", s)
			}
			checkTiles(t, tree)
		})
	}
}

func TestMC_DPL8R_2_2_1_5_Signature(t *testing.T) {
	f, tree := mustDecode(t, dissecttest.Unhex(t, "80 06 01 00 01 01 00 00 07 00 00 00 E0 BF 16 93 2E 21 06 8D"), anyParams)
	if s := &f.SACK; !s.HasSignature || s.Signature != [8]byte{0xE0, 0xBF, 0x16, 0x93, 0x2E, 0x21, 0x06, 0x8D} || s.NSeq != 1 {
		t.Errorf("%+v", s)
	}
	if n := tree.Find(&Fields[FSignature]); n == nil || n.Off != 12 || n.Len != 8 {
		t.Errorf("row %+v", n)
	}
	for _, tt := range []struct {
		name     string
		flags    byte
		tail     int
		signing  Signing
		signed   bool
		trailing int
	}{
		{"unknown, eight bytes", 1, 8, SigningUnknown, true, 0},
		{"unknown, mask and eight bytes", 3, 12, SigningUnknown, true, 0},
		{"unknown, mask only", 3, 4, SigningUnknown, false, 0},
		{"unknown, nine bytes", 1, 9, SigningUnknown, false, 9},
		{"unsigned, eight bytes", 1, 8, Unsigned, false, 8},
		{"signed, eight bytes", 1, 8, Signed, true, 0},
		{"signed, four masks", 0x1f, 24, Signed, true, 0},
		{"signed, eleven bytes", 1, 11, Signed, true, 3},
		{"signed, none", 1, 0, Signed, false, 0},
		{"signed, five bytes", 1, 5, Signed, false, 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			payload := append(dissecttest.Unhex(t, "80 06 01 00 01 01 00 00 07 00 00 00"), make([]byte, tt.tail)...)
			payload[2] = tt.flags
			for i := 12; i < len(payload); i++ {
				payload[i] = byte(i)
			}
			f, tree := mustDecode(t, payload, Params{Signing: tt.signing})
			if s := &f.SACK; s.HasSignature != tt.signed || len(s.Trailing) != tt.trailing {
				t.Errorf("signature %v, %d trailing bytes, want %v, %d", s.HasSignature, len(s.Trailing), tt.signed, tt.trailing)
			}
			checkTiles(t, tree)
		})
	}
}

func TestMC_DPL8R_2_2_1_5_EveryFlag(t *testing.T) {
	for bit, name := range []string{"response", "sack_mask1", "sack_mask2", "send_mask1", "send_mask2"} {
		if got := Fields[fFlags].Bits[bit]; got.Mask != 1<<bit || got.Name != name {
			t.Errorf("bit %d: %+v, want %s", bit, got, name)
		}
	}
	// Reserved flags are kept; POLL on a SACK is decoded (it SHOULD NOT be set).
	f, _ := mustDecode(t, dissecttest.Unhex(t, "88 06 E1 00 03 06 00 00 07 5D 11 00"), unsigned16)
	if f.SACK.Flags != 0xE1 || f.SACK.Command&Poll == 0 {
		t.Errorf("%+v", f.SACK)
	}
}

func TestMC_DPL8R_2_2_1_5_ReuseForgets(t *testing.T) {
	var f Frame
	f.Decode(dissecttest.Unhex(t, "80061f0040300000075d1100 01000080 03000000 00000001 10000000 0102030405060708"), anyParams, nil)
	f.Decode(dissecttest.Unhex(t, "80 06 01 00 03 06 00 00 07 5D 11 00"), anyParams, nil)
	if s := f.SACK; s.SACKMask != 0 || s.SendMask != 0 || s.HasSignature || s.Signature != [8]byte{} {
		t.Errorf("%+v", s)
	}
}

func TestMC_DPL8R_2_2_1_5_ErrorTexts(t *testing.T) {
	for _, tt := range []struct{ bytes, want string }{
		{"80 06", "dp8.flags at byte 2: truncated: want 1 byte, have 0 (MC-DPL8R 2.2.1.5)"},
		{"80 06 01", "dp8.retry at byte 3: truncated: want 1 byte, have 0 (MC-DPL8R 2.2.1.5)"},
		{"80 06 01 00", "dp8.nseq at byte 4: truncated: want 1 byte, have 0 (MC-DPL8R 2.2.1.5)"},
		{"80 06 01 00 03", "dp8.nrcv at byte 5: truncated: want 1 byte, have 0 (MC-DPL8R 2.2.2)"},
		{"80 06 01 00 03 06 00", "dp8.padding at byte 6: truncated: want 2 bytes, have 1 (MC-DPL8R 2.2.1.5)"},
		{"80 06 01 00 03 06 00 00 07 5D 11", "dp8.timestamp at byte 8: truncated: want 4 bytes, have 3 (MC-DPL8R 2.2.1.1)"},
		{"80 06 03 00 03 06 00 00 07 5D 11 00", "dp8.sack_mask at byte 12: truncated: want 4 bytes, have 0 (MC-DPL8R 2.2.2)"},
		{"80 06 07 00 03 06 00 00 07 5D 11 00 01 00 00 00", "dp8.sack_mask at byte 12: truncated: want 8 bytes, have 4 (MC-DPL8R 2.2.2)"},
		{"80 06 19 00 03 06 00 00 07 5D 11 00 01 00 00 00 02", "dp8.send_mask at byte 12: truncated: want 8 bytes, have 5 (MC-DPL8R 2.2.2)"},
	} {
		for _, p := range allParams() {
			wantError(t, dissecttest.Unhex(t, tt.bytes), p, tt.want)
		}
	}
}
