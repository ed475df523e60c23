package seq

import (
	"math/rand/v2"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// A number far from all others waits: a copy of its frame adds nothing, a number near it or
// an acknowledgement confirms it, two in sequence refute it.
func TestPlace(t *testing.T) {
	d := new(Direction)
	d.SetLimits(Limits{Reach: 64})
	now, frame := int64(0), uint64(0)
	place := func(num Num, bytes int) Belief {
		now, frame = now+40e6, frame+1
		s := &Sending{Num: num, Mark: MarkFirst, Hash: uint64(num) << 20, IPID: uint16(num), Frame: frame, Time: now, HasTime: true}
		got := d.Place(s, &dissect.Datagram{Frame: frame, Time: now, Payload: make([]byte, bytes)})
		if got == Provisional {
			d.Unnumbered(s, true)
		} else {
			d.Send(s)
		}
		return got
	}
	for n := range Num(3) {
		if place(n, 8) != Believed {
			t.Fatalf("%d is not believed", n)
		}
	}
	first, again := place(100, 8), place(100, 8)
	if first != Provisional || again != Provisional || len(d.provisional) != 1 || d.Duplicates != 1 {
		t.Errorf("far away, and its copy: %d provisional, %d duplicates", len(d.provisional), d.Duplicates)
	}
	if d.Provisionals().ConfirmAcked(3, 100) || !d.Provisionals().ConfirmAcked(3, 101) {
		t.Error("only an acknowledgement of it confirms it")
	}
	if place(3, 8) != Believed || d.Provisionals().HasRefuted() || place(4, 8) != Believed || len(d.Provisionals().Refuted()) != 1 || d.Provisionals().Any() {
		t.Error("two in sequence refute it")
	}
	if place(200, 8) != Provisional || place(203, 8) != Confirmed || len(d.Provisionals().TakeConfirmed()) != 1 {
		t.Error("a number near it confirms it")
	}
	if place(1000, maxProvisionalPayload+1) != Believed {
		t.Error("what is too long to be kept is believed")
	}
	for n := range Num(maxProvisional + 2) {
		place(2000+100*n, 8)
	}
	if len(d.provisional) != maxProvisional || len(d.Provisionals().Refuted()) != 2 {
		t.Errorf("%d are kept", len(d.provisional))
	}
}

// A number of a short cycle is of the round of the provisional one that it goes on from.
func TestUnwrapProvisional(t *testing.T) {
	var d Direction
	d.SetLimits(Limits{Reach: 64, Step: 48})
	send := func(n Num) Belief {
		s := Sending{Num: n, Mark: MarkFirst, Hash: uint64(n) + 1, HasTime: true}
		b := d.Place(&s, &dissect.Datagram{})
		if b == Believed {
			d.Send(&s)
		}
		return b
	}
	for n := range Num(211) {
		send(n)
	}
	if got := d.Provisionals().Unwrap(82, 256); got != 82 {
		t.Errorf("without a provisional number: %d", got)
	}
	if send(319) != Provisional {
		t.Fatal("319 is believed")
	}
	for _, x := range [][2]Num{{82, 338}, {60, 316}, {150, 150}, {-100, -100}, {211, 211}, {319, 319}} {
		if got := d.Provisionals().Unwrap(x[0], 256); got != x[1] {
			t.Errorf("%d: %d, want %d", x[0], got, x[1])
		}
	}
	if send(338) != Confirmed {
		t.Error("338 does not confirm 319")
	}
}

// TestNextIsNew: of the number that IsNext tells nothing was captured, whatever came before: it is no copy,
// is believed, and columns know nothing of it.
func TestNextIsNew(t *testing.T) {
	for seed := range uint64(50) {
		r, d := rand.New(rand.NewPCG(seed, 3)), &Direction{}
		d.Open(new(Work), nil, Options{})
		d.SetLimits(Limits{Reach: 64, Step: 48})
		var c Column[Num]
		next, asked := Num(r.IntN(40)), 0
		for i := range 600 {
			n := next + Num(r.IntN(5)) - 2
			if r.IntN(30) == 0 {
				n += Num(r.IntN(200)) - 60
			}
			g := &dissect.Datagram{Frame: uint64(i + 1), IPID: uint16(i + 1), Payload: []byte{byte(n), byte(n >> 8)}, HasTime: true, Time: int64(i) * 1e7}
			s := (&Sending{}).Of(g, n, Unmarked)
			isNext := d.IsNext(n)
			x, _ := c.At(d, n)
			if captured, _ := d.Captured(n); isNext && (captured || d.Copied(s) || x != nil || d.Provisionals().Unwrap(n, 256) != n) {
				t.Fatalf("seed %d: %d is the next one, and not new", seed, n)
			}
			switch b := d.Place(s, g); {
			case isNext && b != Believed:
				t.Fatalf("seed %d: %d is the next one, and not believed", seed, n)
			case b == Provisional:
				continue
			case b == Confirmed:
				d.Provisionals().End()
			}
			if isNext {
				asked++
			}
			d.Send(s)
			if x, _, _ := c.Add(d, n); x != nil {
				*x = n
			}
			next = max(next, n+1)
			if a := (Acknowledgement{Next: n - Num(r.IntN(9)), Base: n, Mask: uint64(r.IntN(16)), HasTime: true, Time: g.Time}); r.IntN(3) == 0 {
				d.Acknowledge(&a, func(Position) {})
			}
		}
		if asked == 0 {
			t.Errorf("seed %d: no number was the next one", seed)
		}
	}
}
