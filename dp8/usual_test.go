package dp8

import (
	"reflect"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

// sameAsGeneral compares the short way of decoding with the general one, which must say the
// same wherever the short one says anything. Both begin with what another frame left.
func sameAsGeneral(t *testing.T, b, before []byte) (short bool) {
	t.Helper()
	for _, p := range []Params{{}, {Signing: Signed}, {Signing: Unsigned}, {Version: Version15}, {Version: Version16, Signing: Signed}, {Version: 0x00010004}} {
		var x, y Frame
		_, _ = x.decodeAll(before, p, nil), y.decodeAll(before, p, nil)
		if !x.decodeUsual(b, p) {
			continue
		}
		short = true
		if err := y.decodeAll(b, p, nil); err != nil {
			t.Fatalf("%x, %+v: read, but %v", b, p, err)
		}
		if x.Type != y.Type {
			t.Fatalf("%x, %+v: %v, want %v", b, p, x.Type, y.Type)
		}
		switch x.Type {
		case TypeSACK:
			if !reflect.DeepEqual(x.SACK, y.SACK) {
				t.Fatalf("%x, %+v:\n%+v, want\n%+v", b, p, x.SACK, y.SACK)
			}
		default:
			x.DFrame.Coalesce, y.DFrame.Coalesce = Coalesce{}, Coalesce{} // of a frame that is none it says nothing
			if !reflect.DeepEqual(x.DFrame, y.DFrame) {
				t.Fatalf("%x, %+v:\n%+v, want\n%+v", b, p, x.DFrame, y.DFrame)
			}
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
