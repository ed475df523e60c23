package seq

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/dpdissect/dpdissect/dissect"
)

// past agrees with a map of everything, as far back as it says it knows.
func TestPast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := past{limit: 256}
		all := map[Num]bool{}
		n := Num(rapid.Int64Range(-100, 100).Draw(t, "start"))
		for range rapid.IntRange(1, 600).Draw(t, "numbers") {
			if rapid.IntRange(0, 200).Draw(t, "jump") == 0 {
				n += 1000
			}
			if rapid.IntRange(0, 20).Draw(t, "skip") == 0 {
				k := Num(rapid.Int64Range(1, 400).Draw(t, "skipped"))
				p.skip(n, k)
				for range k {
					all[n] = false
					n++
				}
			}
			acked := rapid.Bool().Draw(t, "acked")
			all[n] = acked
			p.keep(n, acked)
			n++
		}
		for i := n - 300; i < n+3; i++ {
			acked, was := all[i]
			if p.knows(i) && (!was || p.acked(i) != acked) || !p.knows(i) && p.acked(i) {
				t.Fatalf("number %d: known %v, acknowledged %v, was %v, %v", i, p.knows(i), p.acked(i), was, acked)
			}
		}
		if !p.knows(n-1) || len(p.bits) > 4 {
			t.Fatalf("%d words, the latest is known: %v", len(p.bits), p.knows(n-1))
		}
	})
}

// What lies behind the numbers remembered is a retry where new numbers lie ahead,
// and unneeded when it was acknowledged.
func TestForgottenRetries(t *testing.T) {
	for _, c := range []struct {
		name  string
		past  Num
		acked bool
		exact bool
		words string
	}{
		{"nothing is known", 0, true, false, ""},
		{"acknowledged", 4096, true, false, "retry unneeded-retry"},
		{"not acknowledged", 4096, false, false, "retry"},
		{"the protocol never repeats", 4096, true, true, ""},
	} {
		l := newLane()
		l.d.SetLimits(Limits{Past: c.past})
		l.send(1, 1, Unmarked, 1001, 1)
		if c.acked {
			l.one(1, 1, false)
		}
		for n := range Num(1000) {
			l.send(1, 2+n, Unmarked, uint64(n), 1)
		}
		l.frame++
		v := l.d.Send(&Sending{Num: 1, Exact: c.exact, Hash: 1001, IPID: 9, Frame: l.frame, Time: l.now, HasTime: true})
		if got := wordNames(v.Words); got != c.words {
			t.Errorf("%s: %q, want %q", c.name, got, c.words)
		}
	}
}

// A unit whose carrier was forgotten is known to have been acknowledged.
func TestUnitOfForgottenCarrier(t *testing.T) {
	for _, acked := range []bool{false, true} {
		l := newLane()
		l.d.SetLimits(Limits{History: 4096, UnitKeep: 60_000 * ms, Past: 4096})
		l.carry(1, 1, 7)
		if acked {
			l.one(1, 1, false)
		}
		for n := range Num(1000) {
			l.carry(1, 2+n)
		}
		if v := l.carry(1, 2000, 7); v.Words.Has(dissect.UnneededRetry) != acked || !v.Words.Has(dissect.Retry) {
			t.Errorf("acknowledged %v: %q", acked, wordNames(v.Words))
		}
	}
}
