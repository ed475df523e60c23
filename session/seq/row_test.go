package seq

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// TestSendUnits: units in a row are judged together as they are one by one, whatever was sent before, and with them the
// acknowledgements of what carries them.
func TestSendUnits(t *testing.T) {
	for seed := range uint64(40) {
		one, row := newLane(), newLane()
		for _, l := range []*lane{one, row} {
			l.d.SetLimits(Limits{History: 512, Keep: 2e9, UnitKeep: 3e9, Past: 256})
			if seed%5 == 0 {
				l.d.lowMemory()
			}
		}
		r := rand.New(rand.NewPCG(seed, 1))
		next := Num(r.IntN(70000))
		for num := range Num(300) {
			first := next
			if r.IntN(8) == 0 {
				first += Num(r.IntN(40) - 30)
			}
			prints := make([]uint16, 1+r.IntN(12))
			for i := range prints {
				prints[i] = uint16(1 + r.IntN(2))
			}
			after := int64(r.IntN(60))
			for _, l := range []*lane{one, row} {
				l.send(after, num, MarkFirst, uint64(num), uint16(num))
			}
			fr := dissect.Frame{Datagram: &dissect.Datagram{Frame: one.frame, Time: one.now, HasTime: r.IntN(50) > 0}}
			var a, b Carrier
			a.Of(&one.d, num, &fr)
			b.Of(&row.d, num, &fr)
			for at := 0; at < len(prints); {
				fresh, again := b.SendUnits(first+Num(at), prints[at:])
				for i := range fresh {
					if v := a.SendUnit(first+Num(at+i), prints[at+i]); v != nil {
						t.Fatalf("seed %d: unit %d was captured before, alone", seed, first+Num(at+i))
					}
				}
				if at += fresh; again != nil {
					if v := a.SendUnit(first+Num(at), prints[at]); v == nil || *v != *again {
						t.Fatalf("seed %d: the verdict on unit %d is %v, in a row %v", seed, first+Num(at), v, again)
					}
					at++
				}
			}
			next = max(next, first+Num(len(prints)))
			if n := num - Num(r.IntN(6)); r.IntN(3) > 0 {
				one.one(1, n, false)
				row.one(1, n, false)
			}
			if num%50 == 49 && !reflect.DeepEqual(one.d.work, row.d.work) {
				t.Fatalf("seed %d: after number %d both know something else:\n%+v\n%+v", seed, num, one.d.units, row.d.units)
			}
		}
	}
}
