package seq

import (
	"testing"

	"pgregory.net/rapid"
)

func TestSerial(t *testing.T) {
	for _, c := range []struct {
		name string
		bits uint
		seen []Num
		wire uint32
		want Num
	}{
		{"the first value stands for itself", 8, nil, 200, 200},
		{"forward", 8, []Num{200}, 210, 210},
		{"forward over the wrap", 8, []Num{250}, 3, 259},
		{"backward over the wrap", 8, []Num{256 + 3}, 250, 250},
		{"backward below zero", 8, []Num{3}, 250, -6},
		{"farthest forward", 8, []Num{256}, 127, 256 + 127},
		{"half the space is behind", 8, []Num{256}, 128, 128},
		{"the same", 8, []Num{256 + 7}, 7, 256 + 7},
		{"a late one does not move the reference", 8, []Num{256 + 10, 250}, 12, 256 + 12},
		{"many wraps", 8, []Num{100, 220, 340, 460, 580, 700}, 1, 769},
		{"16 bits", 16, []Num{0xfffe}, 1, 0x10001},
		{"16 bits backward", 16, []Num{0x10001}, 0xfffe, 0xfffe},
		{"32 bits", 32, []Num{0xffff_ffff}, 0, 1 << 32},
		{"beyond 32 bits", 32, []Num{5 << 32}, 0xffff_ffff, 5<<32 - 1},
		{"a negative reference", 8, []Num{-6}, 252, -4},
	} {
		s := Serial{Bits: c.bits}
		for _, n := range c.seen {
			s.Advance(n)
		}
		if got := s.Peek(c.wire); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// Numbers of a counter that is followed without jumps of half its space or more
// come out as they were, whatever the order.
func TestSerialFollows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Serial{Bits: uint(rapid.SampledFrom([]int{3, 8, 14, 16, 32}).Draw(t, "bits"))}
		half := Num(1) << (s.Bits - 1)
		n := Num(rapid.Int64Range(0, int64(2*half-1)).Draw(t, "first"))
		for range 50 {
			if got := s.Peek(uint32(n & (2*half - 1))); got != n {
				t.Fatalf("%d came out as %d", n, got)
			}
			s.Advance(n)
			ref, ok := s.Known()
			if !ok || ref < n {
				t.Fatalf("reference %d, %v behind %d", ref, ok, n)
			}
			n = Num(rapid.Int64Range(int64(ref-half), int64(ref+half-1)).Draw(t, "next"))
		}
	})
}

func TestSerialKnown(t *testing.T) {
	s := Serial{Bits: 8}
	if _, ok := s.Known(); ok {
		t.Error("known before the first")
	}
	if s.Peek(9); func() bool { _, ok := s.Known(); return ok }() {
		t.Error("Peek remembers")
	}
}
