package seq

import (
	"math/rand/v2"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// TestColumnGoesWithTheWindow: what a protocol knows of a number is there for as long as the engine remembers the
// number, wherever the window moves and however it grows, and is never that of another number.
func TestColumnGoesWithTheWindow(t *testing.T) {
	for seed := range uint64(50) {
		r, d := rand.New(rand.NewPCG(seed, 1)), &Direction{}
		d.Open(new(Work), nil, Options{})
		var c Column[Num]
		held, next := map[Num]bool{}, Num(r.IntN(40))
		for range 600 {
			n := next + Num(r.IntN(12)) - 6
			if r.IntN(100) == 0 {
				n += Num(r.IntN(300))
			}
			next = max(next, n+1)
			s := (&Sending{}).Of(&dissect.Datagram{Frame: 1, Payload: []byte{1}}, n, Unmarked)
			d.Send(s)
			switch x, k, fresh := c.Add(d, n); {
			case x == nil && d.win.holds(n):
				t.Fatalf("seed %d: %d is remembered and has no place", seed, n)
			case x == nil:
			case fresh == held[n]:
				t.Fatalf("seed %d: %d fresh: %v, known: %v", seed, n, fresh, held[n])
			default:
				*x, held[n] = n, true
				if !k.IsValid() || k.Frame() != 1 {
					t.Fatalf("seed %d: the engine does not know %d", seed, n)
				}
			}
			if r.IntN(40) == 0 {
				d.Undescribe(n)
				delete(held, n)
			}
			for n := range held {
				x, _ := c.At(d, n)
				switch {
				case !d.win.holds(n):
					delete(held, n)
					if x != nil {
						t.Fatalf("seed %d: %d is forgotten and was found", seed, n)
					}
				case x == nil || *x != n:
					t.Fatalf("seed %d: of %d, %v was found", seed, n, x)
				}
			}
		}
	}
}

// TestColumnForgets: a number that comes again, once the window has forgotten it, has no place yet.
func TestColumnForgets(t *testing.T) {
	d := &Direction{}
	d.Open(new(Work), nil, Options{})
	var c Column[int]
	send := func(n Num) { d.Send((&Sending{}).Of(&dissect.Datagram{Payload: []byte{1}}, n, Unmarked)) }
	send(1)
	if x, _, _ := c.Add(d, 1); x == nil {
		t.Fatal("no place")
	}
	if x, _, fresh := c.Add(d, 5); x != nil || fresh {
		t.Error("a number that was not sent has a place")
	}
	d.UndescribeAll()
	if x, _ := c.At(d, 1); x != nil || d.Describes(1) {
		t.Error("it was found after all was forgotten")
	}
	send(1 + HistoryLimit) // in the place of the first
	if x, _ := c.At(d, 1+HistoryLimit); x != nil {
		t.Error("a number has what another one left")
	}
}
