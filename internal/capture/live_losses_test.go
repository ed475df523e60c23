package capture

import "testing"

func TestLosses(t *testing.T) {
	l := losses{since: 100, said: 1<<32 - 5}
	l.add(1<<32-5, 110) // nothing was lost
	l.add(3, 120)       // 8 after 110; the count wrapped
	l.add(4, 130)       // 1 after 120
	for _, c := range []struct {
		at   int64
		want uint64
	}{{105, 0}, {109, 0}, {110, 8}, {111, 0}, {150, 1}, {151, 0}} {
		if got := l.before(c.at); got != c.want {
			t.Errorf("%d are told before %d, want %d", got, c.at, c.want)
		}
	}
	if l.total != 9 {
		t.Errorf("%d in all", l.total)
	}
}

// TestLossesBounded: losses that no packet follows take no memory without end,
// and none is forgotten.
func TestLossesBounded(t *testing.T) {
	const n = 3 * maxMissed
	var l losses
	for i := range n {
		l.add(uint32(i+1), int64(i+1))
	}
	if len(l.pending) > maxMissed {
		t.Errorf("%d are kept", len(l.pending))
	}
	if got := l.before(n); got != n || l.total != n {
		t.Errorf("%d are told of %d", got, l.total)
	}
}
