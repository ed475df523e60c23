package seq

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// carry captures a datagram that carries units.
func (l *lane) carry(after int64, num Num, units ...Num) (v *UnitVerdict) {
	l.send(after, num, Unmarked, uint64(num), uint16(num))
	fr := dissect.Frame{Datagram: &dissect.Datagram{Frame: l.frame, Time: l.now, HasTime: true}}
	for _, u := range units {
		var c Carrier
		c.Of(&l.d, num, &fr)
		v = c.SendUnit(u, 0)
	}
	return v
}

func TestSendUnit(t *testing.T) {
	for _, c := range []struct {
		name     string
		play     func(l *lane) *UnitVerdict
		words    string
		of       uint64
		fresh    bool
		retries  uint64
		unneeded uint64
	}{
		{"first", func(l *lane) *UnitVerdict { return l.carry(1, 1, 7) }, "", 0, true, 0, 0},
		{"in the same datagram again", func(l *lane) *UnitVerdict { return l.carry(1, 1, 7, 7) }, "", 1, false, 0, 0},
		{"in a further one", func(l *lane) *UnitVerdict { l.carry(1, 1, 7); return l.carry(1, 2, 7) }, "retry", 1, false, 1, 0},
		{"in three", func(l *lane) *UnitVerdict { l.carry(1, 1, 7); l.carry(1, 2, 7); return l.carry(1, 3, 7) }, "retry", 1, false, 2, 0},
		{"acknowledged before", func(l *lane) *UnitVerdict {
			l.carry(1, 1, 7)
			l.one(1, 1, false)
			return l.carry(1, 2, 7)
		}, "retry unneeded-retry", 1, false, 1, 1},
		{"acknowledged before, many carriers ago", func(l *lane) *UnitVerdict {
			l.carry(1, 1, 7)
			l.one(1, 1, false)
			for n := range Num(5) {
				l.carry(1, 2+n, 7)
			}
			return l.carry(1, 9, 7)
		}, "retry unneeded-retry", 1, false, 6, 6},
		{"another one", func(l *lane) *UnitVerdict { l.carry(1, 1, 7); return l.carry(1, 2, 6) }, "", 0, true, 0, 0},
		{"of a time long ago", func(l *lane) *UnitVerdict {
			for n := range Num(500) {
				l.carry(1, n, n)
			}
			return l.carry(1, 500, 3)
		}, "retry", 0, false, 1, 0},
		{"far ahead", func(l *lane) *UnitVerdict { l.carry(1, 1, 7); return l.carry(1, 2, 1<<30) }, "", 0, true, 0, 0},
	} {
		l := newLane()
		v := c.play(l)
		fresh := v == nil
		if fresh {
			v = new(UnitVerdict)
		}
		if got := wordNames(v.Words); got != c.words || v.RetryOf != c.of || fresh != c.fresh || l.d.Retries != c.retries || l.d.UnneededRetries != c.unneeded {
			t.Errorf("%s: %q of %d, new %v, %d retries, %d unneeded, want %q of %d, %v, %d, %d",
				c.name, got, v.RetryOf, fresh, l.d.Retries, l.d.UnneededRetries, c.words, c.of, c.fresh, c.retries, c.unneeded)
		}
	}
}

// TestUnitsTakeNoMoreRoom: how many units are remembered follows from how far they lie apart,
// whatever their numbers. Else a long session takes a thousand times its memory at the first
// unit that comes late.
func TestUnitsTakeNoMoreRoom(t *testing.T) {
	const first = 1 << 30
	l := newLane()
	l.carry(1, 1, first+leastRing-1)
	l.carry(1, 2, first)
	if got := l.d.units.size(); got != leastRing {
		t.Errorf("there is room for %d units, want %d", got, leastRing)
	}
	l.carry(1, 3, first-1)
	if got := l.d.units.size(); got != 2*leastRing {
		t.Errorf("there is room for %d units, want %d", got, 2*leastRing)
	}
}

// TestUnitAckedAt: of a unit that was sent once it is known when that was acknowledged, also where
// the datagram that carried it is forgotten.
func TestUnitAckedAt(t *testing.T) {
	l := newLane()
	l.d.SetLimits(Limits{History: HistoryLimit, Past: 1024, UnitKeep: 10e9})
	l.carry(1, 1, 7)
	l.one(1, 1, false)
	at := l.now
	for n := range Num(200) {
		l.carry(1, 2+n)
	}
	if v := l.carry(1, 300, 7); v.AckedAt != at || v.Acked != 1 || v.Words != dissect.Retry|dissect.UnneededRetry {
		t.Errorf("acknowledged in %d at %d, %v, want in 1 at %d", v.Acked, v.AckedAt, v.Words, at)
	}
	if v := l.carry(1, 301, 7); v.AckedAt != 0 {
		t.Errorf("of several that carried it, one was acknowledged at %d; which is not known", v.AckedAt)
	}
	if l.carry(1, 302, 8); l.carry(1, 303, 8).AckedAt != 0 {
		t.Error("one that was not acknowledged has a time of that")
	}
}
