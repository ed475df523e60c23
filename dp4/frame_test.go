package dp4

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

func TestMC_DPL4R_2_2_2_DataFrame(t *testing.T) {
	f, tree := mustDecode(t, "01 02 3d 07 08 01 68 65 6c 6c 6f")
	if f.Type != TypeData || f.Flags != CMD|STA|EOM|SAK|RLY || f.MessageID != 7 || f.Sequence != 8 || f.Serial != 1 || string(f.Data) != "hello" {
		t.Errorf("%+v", f)
	}
	if n := tree.Find(&Fields[fData]); n.Off != 6 || n.Len != 5 {
		t.Errorf("data at %d+%d", n.Off, n.Len)
	}
	if tree.Find(&Fields[fExtFlags]) != nil || tree.Find(&Fields[fBytesReceived]) != nil {
		t.Error("fields of other frames")
	}
	// The index header does not count (AMB-DP4-07).
	f, _ = mustDecode(t, "feff03 808001 38 01 01 00 61 62")
	if string(f.Data) != "ab" || f.Size(12) != 6 {
		t.Errorf("data %q, %d bytes", f.Data, f.Size(12))
	}
	wantError(t, "01 02 30 07", "dp4.seq at byte 4: truncated: want 1 byte, have 0 (MC-DPL4R 2.2.2)")
	wantError(t, "01 02 30 07 08", "dp4.serial at byte 5: truncated: want 1 byte, have 0 (MC-DPL4R 2.2.2)")
	if f, _ = mustDecode(t, "01 02 38 01 01 00"); len(f.Data) != 0 {
		t.Errorf("%q", f.Data)
	}
}

// CMD and EXT together are to be ignored, but shown; so is EXT without ACK.
// Extended flags stand after the serial (AMB-DP4-06, AMB-DP4-08).
func TestMC_DPL4R_2_2_2_CommandAndExtension(t *testing.T) {
	f, tree := mustDecode(t, "01 02 b9 05 05 00 20 03 61")
	if !f.Ignored() || f.MaskSize != 1 || f.Mask != 3 || string(f.Data) != "a" {
		t.Errorf("%+v", f)
	}
	if value(t, tree, fNNack) != 1 || text(tree, fExtOrder) != "lsb-first" || value(t, tree, FNackMask) != 3 {
		t.Errorf("nNACK %d, %s", value(t, tree, fNNack), text(tree, fExtOrder))
	}
	if tree.Find(&Fields[fMissing]) != nil {
		t.Error("a data frame reports nothing missing")
	}
	for s, want := range map[string]bool{
		"01 02 38 01 01 00": false, "01 02 90 05 05 00 00": true, "02 01 02 01 01 00 79000000 1eaef019": false,
		"02 01 82 00 02 04 fa220000 1eaef019": false, "02 01 a2 00 02 04 fa220000 1eaef019": true,
		"02 01 22 01 01 00 79000000 1eaef019": false,
	} {
		if f, _ := mustDecode(t, s); f.Ignored() != want {
			t.Errorf("%s: ignored %v", s, !want)
		}
	}
	wantError(t, "01 02 b9 05 05 00 60 01", "dp4.nack_mask at byte 7: truncated: want 3 bytes, have 1 (MC-DPL4R 2.2.3)")
}

func TestMC_DPL4R_2_2_3_NACKFrame(t *testing.T) {
	f, tree := mustDecode(t, "02 01 82 20 02 07 fa220000 1eaef019 03")
	if f.Type != TypeNACK || f.MessageID != 2 || f.Sequence != 7 || f.BytesReceived != 8954 || f.Tick != 0x19f0ae1e {
		t.Errorf("%+v", f)
	}
	wantIDs(t, ids(tree, fMissing), 7, 8, 9) // the text's own example
	if tree.Find(&Fields[fSerial]) != nil {
		t.Error("a NACK has no serial")
	}
	f, tree = mustDecode(t, "02 01 82 00 02 04 fa220000 1eaef019") // MC-DPL4R 4.1.3
	wantIDs(t, ids(tree, fMissing), 4)
	if f.MaskSize != 0 || tree.Find(&Fields[FNackMask]) != nil {
		t.Error("there is no mask")
	}
	_, tree = mustDecode(t, "02 01 82 20 02 07 fa220000 1eaef019 05") // AMB-DP4-15
	wantIDs(t, ids(tree, fMissing), 7, 8, 10)
	wantError(t, "02 01 82 20 02 07 fa220000 1eaef0", "dp4.tick at byte 10: truncated: want 4 bytes, have 3 (MC-DPL4R 2.2.4)")
	wantError(t, "02 01 82 20 02 07 fa220000 1eaef019", "dp4.nack_mask at byte 14: truncated: want 1 byte, have 0 (MC-DPL4R 2.2.3)")
}

// Bit i of the mask is sequence+1+i, the first byte holds bits 0-7 (AMB-DP4-04);
// sequences wrap.
func TestMC_DPL4R_2_2_3_Masks(t *testing.T) {
	for _, c := range []struct {
		bytes   string
		missing []int64
	}{
		{"20 02 07 fa220000 1eaef019 81", []int64{7, 8, 15}},
		{"40 02 07 fa220000 1eaef019 0180", []int64{7, 8, 23}},
		{"60 02 07 fa220000 1eaef019 010080", []int64{7, 8, 31}},
		{"60 02 fe fa220000 1eaef019 030000", []int64{254, 255, 0}},
		{"20 02 07 fa220000 1eaef019 00", []int64{7}},
	} {
		_, tree := mustDecode(t, "02 01 82"+c.bytes)
		wantIDs(t, ids(tree, fMissing), c.missing...)
	}
	_, tree := mustDecode(t, "02 01 82 60 02 00 fa220000 1eaef019 ffffff")
	if got := ids(tree, fMissing); len(got) != 25 || got[24] != 24 {
		t.Errorf("%v", got)
	}
}

// The least significant bit stands left; the mirrored reading is taken where it
// alone fits, and said (AMB-DP4-05).
func TestMC_DPL4R_2_2_3_BitOrders(t *testing.T) {
	const head = "02 01 82"
	const tail = "02 07 fa220000 1eaef019"
	for _, c := range []struct {
		ext, mask string
		order     Order
		size      uint8
		trailing  int
	}{
		{"20", "03", LSBFirst, 1, 0}, {"40", "0300", LSBFirst, 2, 0}, {"60", "030000", LSBFirst, 3, 0},
		{"02", "03", MSBFirst, 1, 0}, {"04", "0300", MSBFirst, 2, 0}, {"06", "030000", MSBFirst, 3, 0},
		{"00", "", LSBFirst, 0, 0}, {"1f", "", LSBFirst, 0, 0}, {"80", "", LSBFirst, 0, 0},
		{"02", "", LSBFirst, 0, 0},     // COMMAND is 2: wrong, but of the right length
		{"20", "0300", LSBFirst, 1, 1}, // neither fits
		{"02", "0300", LSBFirst, 0, 2},
		{"24", "0300", LSBFirst, 1, 1}, // the mirrored reading has a COMMAND, too
	} {
		f, tree := mustDecode(t, head+c.ext+tail+c.mask)
		if f.Order != c.order || f.MaskSize != c.size || len(f.Trailing) != c.trailing {
			t.Errorf("%s with %q: %v, %d bytes of mask, %d trailing", c.ext, c.mask, f.Order, f.MaskSize, len(f.Trailing))
		}
		if text(tree, fExtOrder) != c.order.String() || value(t, tree, fNNack) != uint64(c.size) {
			t.Errorf("%s with %q: shown as %s, %d", c.ext, c.mask, text(tree, fExtOrder), value(t, tree, fNNack))
		}
		if c.size > 0 {
			wantIDs(t, ids(tree, fMissing), 7, 8, 9)
		}
	}
	wantError(t, head+"60"+tail+"01", "dp4.nack_mask at byte 14: truncated: want 3 bytes, have 1 (MC-DPL4R 2.2.3)")
	for n := range 4 {
		for _, o := range []Order{LSBFirst, MSBFirst} {
			if e := o.ExtFlags(n); o.MaskSize(e) != n || !o.Clean(e) {
				t.Errorf("%v: %#x for %d bytes", o, e, n)
			}
		}
	}
}

// A NACK that the capture cut is read by the length it had.
func TestMC_DPL4R_2_2_3_CutMask(t *testing.T) {
	payload := dissecttest.Unhex(t, "02 01 82 04 02 07 fa220000 1eaef019 03")
	var f Frame
	err := f.Decode(payload, Params{Length: len(payload) + 1}, nil)
	if err == nil || f.Order != MSBFirst || f.Sequence != 7 {
		t.Errorf("%v, %v", err, f.Order)
	}
}

func TestMC_DPL4R_2_2_4_ACKFrame(t *testing.T) {
	f, _ := mustDecode(t, "02 01 02 01 05 03 79000000 1eaef019")
	if f.Type != TypeACK || f.MessageID != 1 || f.Sequence != 5 || f.Serial != 3 || f.BytesReceived != 121 || f.Tick != 0x19f0ae1e {
		t.Errorf("%+v", f)
	}
	// All fields are required (AMB-DP4-24).
	wantError(t, "01 02 22 05 05 00", "dp4.bytes_received at byte 6: truncated: want 4 bytes, have 0 (MC-DPL4R 3.1.5.4)")
	f, tree := mustDecode(t, "02 01 02 01 05 03 79000000 1eaef019 aabbcc")
	if len(f.Trailing) != 3 || tree.Find(&Fields[fTrailing]).Len != 3 {
		t.Errorf("%x", f.Trailing)
	}
}

// What a frame held before does not show in the next one.
func TestFrameIsReusable(t *testing.T) {
	var f Frame
	for _, s := range Samples() {
		if err := f.Decode(s, Params{}, nil); err != nil {
			t.Fatal(err)
		}
		var g Frame
		if err := g.Decode(s, Params{}, nil); err != nil {
			t.Fatal(err)
		}
		if f.HasSP == g.HasSP && !f.HasSP {
			f.SP = SPHeader{}
		}
		a, b := f, g
		a.Data, a.Trailing, b.Data, b.Trailing = nil, nil, nil, nil
		if string(f.Data) != string(g.Data) || string(f.Trailing) != string(g.Trailing) || !equal(&a, &b) {
			t.Errorf("% x:\nreused %+v\nnew    %+v", s, f, g)
		}
	}
}

// equal compares all but the slices.
func equal(a, b *Frame) bool {
	return a.Type == b.Type && a.HasSP == b.HasSP && a.SP == b.SP && a.From == b.From && a.To == b.To && a.Flags == b.Flags &&
		a.MessageID == b.MessageID && a.Sequence == b.Sequence && a.Serial == b.Serial && a.ExtFlags == b.ExtFlags && a.Order == b.Order &&
		a.MaskSize == b.MaskSize && a.Mask == b.Mask && a.BytesReceived == b.BytesReceived && a.Tick == b.Tick
}

func BenchmarkDecodeData(b *testing.B) {
	payload := dissecttest.Unhex(b, "01 02 3d 07 08 01 68 65 6c 6c 6f")
	var f Frame
	b.ReportAllocs()
	for b.Loop() {
		if f.Decode(payload, Params{Length: len(payload)}, nil) != nil {
			b.Fatal("refused")
		}
	}
}

func BenchmarkDecodeACK(b *testing.B) {
	payload := dissecttest.Unhex(b, "02 01 02 01 05 03 79000000 1eaef019")
	var f Frame
	b.ReportAllocs()
	for b.Loop() {
		if f.Decode(payload, Params{Length: len(payload)}, nil) != nil {
			b.Fatal("refused")
		}
	}
}
