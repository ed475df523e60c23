package render

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

func TestRanges(t *testing.T) {
	for _, tt := range []struct {
		ids  []int64
		want string
	}{
		{nil, "none"},
		{[]int64{7}, "7 (1)"},
		{[]int64{7, 8}, "7, 8 (2)"},
		{[]int64{6, 8, 9, 10, 11}, "6, 8-11 (5)"},
		{[]int64{254, 255, 0, 1, 2}, "254, 255, 0-2 (5)"},
		{[]int64{9, 8, 7}, "9, 8, 7 (3)"},
	} {
		if got := string(appendIDs(nil, tt.ids)); got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.ids, got, tt.want)
		}
	}
}

func TestBitLines(t *testing.T) {
	for _, tt := range []struct {
		width int
		v     uint64
		bit   dissect.Bit
		want  string
	}{
		{8, 0x11, dissect.Bit{Mask: 1, Label: "Retry"}, ".... ...1 = Retry: Set"},
		{8, 0x11, dissect.Bit{Mask: 0x80, Name: "send2"}, "0... .... = send2: Not set"},
		{16, 0x100, dissect.Bit{Mask: 0x300, Label: "Two"}, ".... ..01 .... .... = Two: Set"},
	} {
		if got := string(appendBit(nil, tt.width, tt.v, &tt.bit)); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
	wide := dissect.Field{Bits: []dissect.Bit{{Mask: 0x200}}}
	if got := bitWidth(&dissect.Node{Field: &wide}); got != 16 {
		t.Errorf("width of a derived field: %d", got)
	}
}

func TestHexValues(t *testing.T) {
	for _, tt := range []struct {
		v      uint64
		digits int
		want   string
	}{{0, 0, "0x0"}, {0x2a, 2, "0x2a"}, {0x12a, 2, "0x12a"}, {1, 16, "0x0000000000000001"}, {1<<64 - 1, 1, "0xffffffffffffffff"}} {
		if got := string(append0x(nil, tt.v, tt.digits)); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
