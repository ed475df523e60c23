package seq

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// Trouble that comes again within SpellGap is one spell; the worst moment is kept, and spells
// are joined where there are too many.
func TestSpells(t *testing.T) {
	var s Spells
	note := func(from, to, most int64) {
		s.note(Slow, from*1e9, to*1e9, most*1e9, SignAt(uint64(from), from*1e9), 0)
	}
	note(10, 11, 1)
	note(13, 15, 2)
	note(30, 31, 1)
	note(20, 21, 1) // told later than what came after it
	want := []Spell{
		{From: 10e9, To: 15e9, N: 2, Most: 2e9, Worst: SignAt(13, 13e9)},
		{From: 20e9, To: 21e9, N: 1, Most: 1e9, Worst: SignAt(20, 20e9)},
		{From: 30e9, To: 31e9, N: 1, Most: 1e9, Worst: SignAt(30, 30e9)},
	}
	if !reflect.DeepEqual(s[Slow], want) {
		t.Errorf("%+v", s[Slow])
	}
	if note(22, 28, 1); len(s[Slow]) != 2 || s[Slow][1].N != 3 || s[Slow][1].To != 31e9 {
		t.Errorf("what lies between joins them: %+v", s[Slow])
	}
	for i := range int64(3 * maxSpells) {
		note(1000+10*i, 1000+10*i, 1)
	}
	var n uint64
	for _, x := range s[Slow] {
		n += x.N
	}
	if len(s[Slow]) != maxSpells || n != 5+3*maxSpells {
		t.Errorf("%d spells of %d", len(s[Slow]), n)
	}
}

// A number that is passed over is missed until it comes late.
func TestMissedComes(t *testing.T) {
	var d Direction
	d.Open(new(Work), nil, Options{Account: true})
	send := func(n, ms int64) {
		d.Send(&Sending{Num: Num(n), Mark: MarkFirst, Hash: uint64(n) + 1, Frame: uint64(ms + 1), Time: ms * 1e6, HasTime: true})
	}
	for n := range int64(5) {
		send(n, 100*n+1)
	}
	send(7, 700)
	if got := d.account.Spells[Missed]; len(got) != 1 || got[0].N != 2 {
		t.Fatalf("%+v", got)
	}
	send(6, 705)
	send(5, 710)
	if got := d.account.Spells; len(got[Missed]) != 0 || len(got[Overtaken]) != 1 || got[Overtaken][0].N != 2 {
		t.Errorf("%+v", got)
	}
}

// TestSpellGoesOn: trouble that lengthens the latest spell makes what it makes where it is entered by
// itself and joined then.
func TestSpellGoesOn(t *testing.T) {
	for seed := range uint64(30) {
		r, now := rand.New(rand.NewPCG(seed, 2)), int64(1)
		var s Spells
		var want []Spell
		for i := range 200 {
			now += r.Int64N(2 * SpellGap)
			from := max(now-r.Int64N(3*SpellGap), 1)
			x := Spell{From: from, To: from + r.Int64N(SpellGap), N: 1, Most: r.Int64N(9), Worst: SignAt(uint64(i), now)}
			at := len(want)
			for at > 0 && want[at-1].From > x.From {
				at--
			}
			if want = joined(slices.Insert(want, at, x), at); len(want) > maxSpells {
				want = joinClosest(want)
			}
			s.note(Slow, x.From, x.To, x.Most, x.Worst, 0)
			if !slices.Equal(s[Slow], want) {
				t.Fatalf("seed %d: %+v, want %+v", seed, s[Slow], want)
			}
		}
	}
}
