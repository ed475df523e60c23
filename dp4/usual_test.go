package dp4

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// sameAsGeneral compares the short way of decoding with the general one, which must say the
// same wherever the short one says anything. Both begin with what another frame left.
func sameAsGeneral(t *testing.T, b, before []byte) (short bool) {
	t.Helper()
	for _, length := range []int{0, len(b), len(b) + 1} {
		var x, y Frame
		p := Params{Length: length}
		_, _ = x.decodeAll(before, Params{}, nil), y.decodeAll(before, Params{}, nil)
		if !x.decodeUsual(b, p) {
			continue
		}
		short = true
		if err := y.decodeAll(b, p, nil); err != nil {
			t.Fatalf("%x, %+v: read, but %v", b, p, err)
		}
		x.SP, y.SP = SPHeader{}, SPHeader{} // of a frame that has none it says nothing
		if !reflect.DeepEqual(x, y) {
			t.Fatalf("%x, %+v:\n%+v, want\n%+v", b, p, x, y)
		}
	}
	return short
}

// TestDecodeUsual: of the samples, edited and cut at random, the short way reads what the general one does.
func TestDecodeUsual(t *testing.T) {
	rnd, short := rand.New(rand.NewPCG(1, 2)), 0
	samples := Samples()
	for _, s := range samples {
		for range 3000 {
			b := append([]byte(nil), s...)
			for range rnd.IntN(4) {
				b[rnd.IntN(min(len(b), 32))] = byte(rnd.IntN(256))
			}
			if sameAsGeneral(t, b[:rnd.IntN(len(b)+1)], samples[rnd.IntN(len(samples))]) {
				short++
			}
		}
	}
	if short < 3000 {
		t.Errorf("the short way read %d datagrams: hardly any", short)
	}
}

func FuzzDecodeUsual(f *testing.F) {
	for _, s := range Samples() {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, b, before []byte) { sameAsGeneral(t, b, before) })
}
