package dp4

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

func TestMC_DPL4R_2_2_1_Indexes(t *testing.T) {
	for _, c := range []struct {
		bytes string
		value uint32
	}{
		{"00", 0}, {"7F", 127}, {"80 01", 128}, {"FF 7F", 16383}, {"80 80 01", 16384}, {"FE FF 03", 65534}, {"FF FF 03", 65535}, {"01", 1},
	} {
		f, tree := mustDecode(t, c.bytes+"02 38 01 01 00")
		if f.From.Value != c.value || value(t, tree, FIDFrom) != uint64(c.value) || f.To.Value != 2 {
			t.Errorf("%s: %d to %d", c.bytes, f.From.Value, f.To.Value)
		}
		if got := (Index{Value: c.value}).Append(nil); string(got) != string(dissecttest.Unhex(t, c.bytes)) {
			t.Errorf("%d encodes as % x, want %s", c.value, got, c.bytes)
		}
		if !f.From.Proper() {
			t.Errorf("%s is the shortest form", c.bytes)
		}
		f, _ = mustDecode(t, "01"+c.bytes+"38 01 01 00")
		if f.To.Value != c.value {
			t.Errorf("%s: to %d", c.bytes, f.To.Value)
		}
	}
}

// Longer forms than needed and values beyond 0xffff are decoded: rules judge.
func TestMC_DPL4R_2_2_1_LongFormsAndLargeValues(t *testing.T) {
	for _, c := range []struct {
		bytes string
		value uint32
		width uint8
	}{{"81 00", 1, 2}, {"81 80 00", 1, 3}, {"FF FF 00", 16383, 3}, {"80 80 04", 65536, 3}, {"FF FF 07", 0x1ffff, 3}, {"FF FF 7F", 0x1fffff, 3}} {
		f, _ := mustDecode(t, c.bytes+"02 38 01 01 00")
		if f.From != (Index{c.value, c.width}) {
			t.Errorf("%s: %+v", c.bytes, f.From)
		}
		if f.From.Proper() {
			t.Errorf("%s is neither short nor small", c.bytes)
		}
	}
}

func TestMC_DPL4R_2_2_1_ThirdByteEnds(t *testing.T) {
	_, tree := wantError(t, "01 FE FF 83 01 38 01 01 00", "dp4.id_to at byte 3: the third byte must be the last (MC-DPL4R 2.2.1)")
	if value(t, tree, FIDFrom) != 1 || tree.Find(&Fields[FIDTo]) != nil {
		t.Error("what stands before the error is kept, the rest is not")
	}
	wantError(t, "80 80 80", "dp4.id_from at byte 2: the third byte must be the last (MC-DPL4R 2.2.1)")
	wantError(t, "80 80", "dp4.id_from at byte 2: truncated: want 1 byte, have 0 (MC-DPL4R 2.2.1)")
	wantError(t, "01 80", "dp4.id_to at byte 2: truncated: want 1 byte, have 0 (MC-DPL4R 2.2.1)")
	wantError(t, "", "dp4.id_from at byte 0: truncated: want 1 byte, have 0 (MC-DPL4R 2.2.1)")
}

// Every index of 16 bits encodes in the form the text prescribes and back.
func TestMC_DPL4R_2_2_1_EveryIndex(t *testing.T) {
	for v := range uint32(MaxIndex + 1) {
		b := Index{Value: v}.Append(nil)
		want := 1
		if v >= 1<<7 {
			want++
		}
		if v >= 1<<14 {
			want++
		}
		var x Index
		r := dissect.NewReader(b, nil)
		x.read(&r, &Fields[FIDFrom])
		if len(b) != want || x != (Index{v, uint8(want)}) || r.Err() != nil || r.Len() != 0 {
			t.Fatalf("%d: % x, back %+v", v, b, x)
		}
	}
}

func TestMC_DPL4R_2_FrameTypes(t *testing.T) {
	for flags := range 256 {
		f := Flags(flags)
		want := TypeData
		if f&ACK != 0 {
			want = TypeACK
			if f&EXT != 0 {
				want = TypeNACK
			}
		}
		if got := TypeOf(f); got != want {
			t.Errorf("%#x: %v, want %v", flags, got, want)
		}
	}
	// A NACK is one whatever its mask size says (AMB-DP4-03).
	if f, _ := mustDecode(t, "02 01 82 00 02 04 fa220000 1eaef019"); f.Type != TypeNACK {
		t.Errorf("%v", f.Type)
	}
	if got := fmt.Sprint(TypeData, TypeACK, TypeNACK); got != "DATA ACK NACK" {
		t.Error(got)
	}
}
