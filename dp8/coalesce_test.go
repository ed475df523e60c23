package dp8

import (
	"bytes"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

func parts(t *testing.T, d *DFrame, want ...string) {
	t.Helper()
	if !d.Coalesced || d.Payload != nil || d.Coalesce.N != len(want) {
		t.Fatalf("coalesced %v, %d parts, want %d", d.Coalesced, d.Coalesce.N, len(want))
	}
	for i, w := range want {
		if p := &d.Coalesce.Parts[i]; string(p.Data) != w || p.Size != len(w) {
			t.Errorf("part %d: %q of size %d, want %q", i, p.Data, p.Size, w)
		}
	}
}

func TestMC_DPL8R_2_2_3_TwoParts(t *testing.T) {
	f, tree := mustDecode(t, dissecttest.Unhex(t, "37 04 02 00 03 06 02 05 41 42 43 00 44 45"), unsigned16)
	parts(t, &f.DFrame, "ABC", "DE")
	c := &f.DFrame.Coalesce
	if !c.Parts[0].Reliable() || !c.Parts[0].Sequential() || c.Parts[1].Reliable() || !c.Parts[1].Sequential() || c.Trailing != nil {
		t.Errorf("commands %#x %#x", c.Parts[0].Command, c.Parts[1].Command)
	}
	wantTree(t, tree, want{"dp8.command", 0, 1, 0x37}, want{"dp8.control", 1, 1, 4}, want{"dp8.seq", 2, 1, 2}, want{"dp8.nrcv", 3, 1, 0},
		want{"dp8.payloads", 4, 0, 0}, want{"dp8.payloads.size", 4, 1, 3}, want{"dp8.payloads.command", 5, 1, 6},
		want{"dp8.payloads.data", 8, 3, 0}, want{"dp8.payloads.padding", 11, 1, 0},
		want{"dp8.payloads", 6, 0, 0}, want{"dp8.payloads.size", 6, 1, 2}, want{"dp8.payloads.command", 7, 1, 5},
		want{"dp8.payloads.data", 12, 2, 0})
}

func TestMC_DPL8R_2_2_3_HeaderPadding(t *testing.T) {
	f, tree := mustDecode(t, dissecttest.Unhex(t, "33 04 03 00 03 02 02 02 01 01 00 00 41 42 43 00 44 45 00 00 46"), unsigned16)
	parts(t, &f.DFrame, "ABC", "DE", "F")
	c := &f.DFrame.Coalesce
	if !c.Parts[0].Reliable() || !c.Parts[1].Reliable() || c.Parts[2].Reliable() || c.Parts[2].Command != PartEnd {
		t.Errorf("commands %#x %#x %#x", c.Parts[0].Command, c.Parts[1].Command, c.Parts[2].Command)
	}
	if n := tree.Find(&Fields[FHeaderPad]); n == nil || n.Off != 10 || n.Len != 2 {
		t.Errorf("header padding %+v", n)
	}
	// Padding that is not zero is kept: a rule judges it.
	f, _ = mustDecode(t, dissecttest.Unhex(t, "33 04 03 00 03 02 02 02 01 01 AA BB 41 42 43 CC 44 45 DD EE 46"), unsigned16)
	if c := &f.DFrame.Coalesce; c.HeaderPad != [2]byte{0xAA, 0xBB} || c.Parts[0].Pad[0] != 0xCC || c.Parts[1].Pad != [3]byte{0xDD, 0xEE} {
		t.Errorf("%v %v", c.HeaderPad, c.Parts[1].Pad)
	}
}

// After masks and a signature the alignment is that of the headers (AMB-DP8-26).
func TestMC_DPL8R_2_2_3_Signed(t *testing.T) {
	f, tree := mustDecode(t, dissecttest.Unhex(t, "37 14 02 00 01 00 00 00 01 02 03 04 05 06 07 08 05 06 02 05 41 42 43 44 45 00 00 00 46 47"), signed16)
	parts(t, &f.DFrame, "ABCDE", "FG")
	if !f.DFrame.HasSignature || f.DFrame.SignatureOff != 8 {
		t.Error("no signature")
	}
	checkTiles(t, tree)
}

// Sizes have 11 bits: three of them are bits of the command (AMB-DP8-22).
func TestMC_DPL8R_2_2_3_Sizes(t *testing.T) {
	for size := 0; size <= 2047; size++ {
		var p Part
		p.Command = PartEnd | PartReliable | PartUser2
		p.SetSize(size)
		payload := append([]byte{0x37, 4, 0, 0, byte(size), p.Command, 0, 0}, make([]byte, size)...)
		f, _ := mustDecode(t, payload, unsigned16)
		if got := f.DFrame.Coalesce.Parts[0]; got.Size != size || len(got.Data) != size || got.Command&^PartBig != PartEnd|PartReliable|PartUser2 {
			t.Fatalf("size %d: %d, command %#x", size, got.Size, got.Command)
		}
	}
	var p Part
	p.Command = PartEnd
	if p.SetSize(300); p.Size != 300 || p.Command != 0x09 || byte(p.Size) != 0x2C {
		t.Errorf("size 300: command %#x, want 09", p.Command)
	}
	if p.SetSize(3); p.Command != PartEnd {
		t.Errorf("size 3 after 300: command %#x", p.Command)
	}
}

func TestMC_DPL8R_2_2_3_EveryFlag(t *testing.T) {
	for bit, name := range []string{"end_coalesce", "reliable", "sequential", "coalesce_big_1", "coalesce_big_2", "coalesce_big_3", "user_1", "user_2"} {
		if got := Fields[fPartCommand].Bits[bit]; got.Mask != 1<<bit || got.Name != name {
			t.Errorf("bit %d: %+v, want %s", bit, got, name)
		}
	}
}

func TestMC_DPL8R_2_2_3_EmptyAndTrailing(t *testing.T) {
	f, _ := mustDecode(t, dissecttest.Unhex(t, "37 04 02 00 00 06 00 07"), unsigned16)
	parts(t, &f.DFrame, "", "")
	f, tree := mustDecode(t, dissecttest.Unhex(t, "37 04 02 00 01 07 00 00 41 DE AD BE"), unsigned16)
	parts(t, &f.DFrame, "A")
	if string(f.DFrame.Coalesce.Trailing) != "\xde\xad\xbe" || tree.Find(&Fields[fTrailing]).Off != 9 {
		t.Errorf("trailing % x", f.DFrame.Coalesce.Trailing)
	}
	// Only the first END counts: what follows is payload.
	f, _ = mustDecode(t, dissecttest.Unhex(t, "37 04 02 00 04 07 00 07 41 42 43 44"), unsigned16)
	if c := &f.DFrame.Coalesce; c.N != 1 || c.HeaderPad != [2]byte{0, 7} || string(c.Parts[0].Data) != "ABCD" {
		t.Errorf("%d parts, padding %v", c.N, c.HeaderPad)
	}
}

// MC-DPL8R 1.7: before 1.5 the bit means nothing.
func TestMC_DPL8R_1_7_CoalesceFrom15(t *testing.T) {
	payload := dissecttest.Unhex(t, "37 04 02 00 03 06 02 05 41 42 43 00 44 45")
	for _, p := range allParams() {
		if p.Signing == Signed {
			continue
		}
		f, _ := mustDecode(t, payload, p)
		if want := p.Version != 0x00010004; f.DFrame.Coalesced != want || want == (f.DFrame.Payload != nil) {
			t.Errorf("%+v: coalesced %v", p, f.DFrame.Coalesced)
		}
	}
}

func manyHeaders(n int) []byte {
	payload := []byte{0x37, 4, 0, 0}
	for i := range n {
		h := []byte{4, PartReliable}
		if i == n-1 {
			h[1] |= PartEnd
		}
		payload = append(payload, h...)
	}
	if n%2 == 1 {
		payload = append(payload, 0, 0)
	}
	return append(payload, bytes.Repeat([]byte("DATA"), n)...)
}

func TestMC_DPL8R_2_2_3_Counts(t *testing.T) {
	for _, n := range []int{1, 2, 31, 32} {
		f, tree := mustDecode(t, manyHeaders(n), unsigned16)
		parts(t, &f.DFrame, slices.Repeat([]string{"DATA"}, n)...)
		checkTiles(t, tree)
	}
	f, tree := wantError(t, manyHeaders(33), unsigned16, "dp8.payloads.size at byte 68: more than 32 coalesce headers (MC-DPL8R 2.2.3)")
	if f.DFrame.Coalesce.N != 0 || f.DFrame.Seq != 0 {
		t.Errorf("%d parts", f.DFrame.Coalesce.N)
	}
	if n := tree.Nodes[len(tree.Nodes)-1]; n.Field.Name != "frame.undecoded" || n.Off != 68 {
		t.Errorf("last row %+v", n)
	}
}

func TestMC_DPL8R_2_2_3_ErrorTexts(t *testing.T) {
	for _, tt := range []struct {
		name, bytes string
		want        string
		n           int
	}{
		{"no header", "37 04 02 00", "dp8.payloads.size at byte 4: no coalesce header ends the list (MC-DPL8R 2.2.3)", 0},
		{"half a header", "37 04 02 00 03", "dp8.payloads.size at byte 4: no coalesce header ends the list (MC-DPL8R 2.2.3)", 0},
		{"no END", "37 04 02 00 03 06 02 04 41 42", "dp8.payloads.size at byte 10: no coalesce header ends the list (MC-DPL8R 2.2.3)", 0},
		{"no END, odd", "37 04 02 00 03 06 02", "dp8.payloads.size at byte 6: no coalesce header ends the list (MC-DPL8R 2.2.3)", 0},
		{"no header padding", "37 04 02 00 03 07", "dp8.header_padding at byte 6: truncated: want 2 bytes, have 0 (MC-DPL8R 2.2.3)", 0},
		{"overrun", "37 04 02 00 2C 09 00 00 41 42", "dp8.payloads.data at byte 8: truncated: want 300 bytes, have 2 (MC-DPL8R 2.2.3)", 0},
		{"second overruns", "37 04 02 00 03 06 05 05 41 42 43 00 44 45", "dp8.payloads.data at byte 12: truncated: want 5 bytes, have 2 (MC-DPL8R 2.2.3)", 1},
		{"padding cut", "37 04 02 00 01 06 05 05 41 00 00", "dp8.payloads.padding at byte 9: truncated: want 3 bytes, have 2 (MC-DPL8R 2.2.3)", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, _ := wantError(t, dissecttest.Unhex(t, tt.bytes), unsigned16, tt.want)
			if f.DFrame.Coalesce.N != tt.n {
				t.Errorf("%d parts, want %d", f.DFrame.Coalesce.N, tt.n)
			}
		})
	}
}

// After an overrun the later headers keep their rows: they were read.
func TestMC_DPL8R_2_2_3_HeadersSurviveAnOverrun(t *testing.T) {
	_, tree := wantError(t, dissecttest.Unhex(t, "37 04 02 00 09 06 02 05 41 42"), unsigned16, "dp8.payloads.data at byte 8: truncated: want 9 bytes, have 2 (MC-DPL8R 2.2.3)")
	wantTree(t, tree, want{"dp8.command", 0, 1, 0x37}, want{"dp8.control", 1, 1, 4}, want{"dp8.seq", 2, 1, 2}, want{"dp8.nrcv", 3, 1, 0},
		want{"dp8.payloads", 4, 0, 0}, want{"dp8.payloads.size", 4, 1, 9}, want{"dp8.payloads.command", 5, 1, 6},
		want{"dp8.payloads", 6, 0, 0}, want{"dp8.payloads.size", 6, 1, 2}, want{"dp8.payloads.command", 7, 1, 5},
		want{"frame.undecoded", 8, 2, 0})
}

// TestCoalesceHeadersThatFit: masks and a signature before the coalesce headers leave less
// room for them. Else a frame whose headers have no end, cut before there could be 32, is said
// to have more than 32.
func TestCoalesceHeadersThatFit(t *testing.T) {
	for _, c := range []struct {
		d      DFrame
		length int
		want   int
	}{
		{DFrame{}, 4 + 2*32, 32},
		{DFrame{}, 4 + 2*32 - 1, 31},
		{DFrame{Control: CtlSACK1 | CtlSend2}, 4 + 8 + 2*32 - 1, 31},
		{DFrame{HasSignature: true}, 4 + 8 + 2*32 - 1, 31},
		{DFrame{Control: CtlSACK1 | CtlSACK2 | CtlSend1 | CtlSend2, HasSignature: true}, 4 + 16 + 8 + 2*5, 5},
	} {
		if got := c.d.CoalesceHeaders(make([]byte, c.length)); got != c.want {
			t.Errorf("control %#x, signature %v: %d headers fit into %d bytes, want %d", c.d.Control, c.d.HasSignature, got, c.length, c.want)
		}
	}
}
