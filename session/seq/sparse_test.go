package seq

import (
	"testing"

	"pgregory.net/rapid"
)

// A sparse agrees with a map of everything, whatever is skipped.
func TestSparse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s sparse[Num]
		size := Num(16) << rapid.IntRange(0, 9).Draw(t, "size")
		s.resize(size, 0, 0)
		all := map[Num]Num{}
		base := Num(rapid.Int64Range(-100_000, 100_000).Draw(t, "base"))
		top := base
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0: // the oldest leave
				end := min(top, base+Num(rapid.Int64Range(0, int64(size)).Draw(t, "leave")))
				for n := s.next(base, end); n < end; n = s.next(n, end) {
					s.blank(n)
					delete(all, n)
				}
				base = end
			case 1:
				if size < 16<<9 {
					size *= 2
					s.resize(size, base, top)
				}
			case 2:
				if rapid.IntRange(0, 9).Draw(t, "all") == 0 {
					s.clear()
					clear(all)
				}
			default:
				n := base + Num(rapid.Int64Range(0, int64(size-1)).Draw(t, "number"))
				top = max(top, n+1)
				x, fresh := s.use(n)
				if _, was := all[n]; was == fresh {
					t.Fatalf("number %d: fresh %v", n, fresh)
				}
				*x = n
				all[n] = n
			}
			from := base + Num(rapid.Int64Range(0, int64(size)).Draw(t, "from"))
			want := max(top, from)
			for n := range all {
				if n >= from {
					want = min(want, n)
				}
			}
			if got := s.next(from, max(top, from)); got != want {
				t.Fatalf("from %d comes %d, want %d of %d to %d", from, got, want, base, top)
			}
			for n, v := range all {
				if x := s.find(n); x == nil || *x != v {
					t.Fatalf("number %d is %v", n, x)
				}
			}
		}
	})
}

// Jumps take no room for what they skip.
func TestJumpsAreSmall(t *testing.T) {
	l := newLane()
	l.d.SetLimits(Limits{History: 1 << 15, Keep: 60e9, Past: 1 << 14})
	for n := range Num(200) {
		l.send(1, 1+n*30_000%32_749, Unmarked, uint64(n), 1)
	}
	places := 0
	for _, x := range l.d.win.units.table {
		if x.places != nil {
			places++
		}
	}
	if places > 200 {
		t.Errorf("200 numbers take %d leaves", places)
	}
}
