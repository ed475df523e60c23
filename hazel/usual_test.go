package hazel

import (
	"reflect"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

// sameAsGeneral compares the short way of decoding with the general one, which must say the
// same wherever the short one says anything. Both begin with what another frame left.
func sameAsGeneral(t *testing.T, b, before []byte) (short bool) {
	t.Helper()
	for d := AnyDialect; d <= AnyPage; d++ {
		var x, y Frame
		_, _ = x.decodeAll(before, d, nil), y.decodeAll(before, d, nil)
		if !x.decodeUsual(b, d) {
			continue
		}
		short = true
		if err := y.decodeAll(b, d, nil); err != nil {
			t.Fatalf("%x, %v: read, but %v", b, d, err)
		}
		if !reflect.DeepEqual(x, y) {
			t.Fatalf("%x, %v:\n%+v, want\n%+v", b, d, x, y)
		}
	}
	return short
}

// TestDecodeUsual: of the samples, edited and cut at random, the short way reads what the general one does.
func TestDecodeUsual(t *testing.T) { dissecttest.ShortWay(t, Samples(), sameAsGeneral) }

func FuzzDecodeUsual(f *testing.F) {
	for _, s := range Samples() {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, b, before []byte) { sameAsGeneral(t, b, before) })
}
