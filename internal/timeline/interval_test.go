package timeline

import (
	"math"
	"testing"

	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// TestTakenBack checks that what was counted and taken back later comes off the latest
// intervals that have it, so that sums stay.
func TestTakenBack(t *testing.T) {
	var l line
	for i, n := range []int64{2, 1, 0, -2, 1} {
		v, _ := l.find(int64(i)*10, int64(i)*10+10)
		v.Counts[measure.KeepAlives] = n
	}
	var got []int64
	for _, v := range l.settled() {
		got = append(got, v.From, v.Counts[measure.KeepAlives])
	}
	if len(got) != 4 || got[0] != 0 || got[1] != 1 || got[2] != 40 || got[3] != 1 {
		t.Errorf("want 1 at 0 and 1 at 40, have %v", got)
	}
}

// TestFrozen checks that old intervals keep no round trips, and count those that come late.
func TestFrozen(t *testing.T) {
	var l line
	for i := range int64(maxDetailed + 1) {
		v, _ := l.find(i, i+1)
		v.measured(seq.Of(seq.RoundTrip, seq.AckWait), i+5)
	}
	v, fresh := l.find(0, 1)
	v.measured(seq.Of(seq.RoundTrip, seq.PairedTrip), 3)
	if r := v.Times(seq.PairedTrip); r != (seq.RTT{Samples: 1, Min: 3, P50: 3, P95: 3, Max: 3}) {
		t.Errorf("of a measure that had none: %+v", r)
	}
	if r := v.Times(seq.RoundTrip); fresh || v.times != nil || r.Samples != 2 || r.Min != 3 || r.P50 != 5 || r.Max != 5 {
		t.Errorf("have %+v, fresh %v", r, fresh)
	}
}

// TestNumbersFrozen: intervals that get no more round trips keep summaries of them, of all measures what is
// measured of them later is exact, and the others are exact.
func TestNumbersFrozen(t *testing.T) {
	c := &session.Conn{Dir: &[2]seq.Direction{}}
	x := New(100, nil)
	n := int64(3*freezeEvery + 10)
	for i := range n {
		c.LastTime = i
		x.Measured(c, 0, seq.OfNumbers, i, i%7)
		if i%10 == 0 {
			x.Measured(c, 0, seq.Of(seq.PingTrip), i/2, i)
		}
	}
	exact := uint64(0)
	list := x.conns[c].dir[0].list
	for _, v := range list {
		exact += v.times.Samples(seq.RoundTrip)
		if r := v.Times(seq.RoundTrip); r.Samples != uint64(min(v.To, n)-v.From) || r.Min != 0 || r.P50 != 3 || r.Max != 6 {
			t.Errorf("round trips from %d on: %+v", v.From, r)
		}
	}
	if exact < 100 || exact > freezeEvery+200 {
		t.Errorf("%d times of %d are kept", exact, n)
	}
	if r := list[2].Times(seq.PingTrip); r != (seq.RTT{Samples: 20, Min: 400, P50: 490, P95: 580, Max: 590}) {
		t.Errorf("pings: %+v", r)
	}
}

// TestAligned checks that intervals begin at whole multiples, before 1970 too.
func TestAligned(t *testing.T) {
	const first, last = math.MinInt64, math.MaxInt64
	for _, c := range [][4]int64{{7, 5, 5, 10}, {-1, 5, -5, 0}, {-5, 5, -5, 0}, {0, 5, 0, 5}, {last, 10, last - 7, last}, {first, 10, first, first + 8},
		{first + 8, 10, first + 8, first + 18}, {last, last, last, last}, {last - 1, last, 0, last}, {first, last, first, -last}, {-1, last, -last, 0}} {
		if from, to := around(c[0], c[1]); from != c[2] || to != c[3] {
			t.Errorf("%d is between %d and %d in steps of %d, want %d and %d", c[0], from, to, c[1], c[2], c[3])
		}
	}
}
