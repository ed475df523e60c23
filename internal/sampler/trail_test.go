package sampler

import (
	"math"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// rowOf is a row of a connection whose side a has sent so many bytes.
func rowOf(bytes int64, ping Value) *Row {
	r := new(Row)
	r.Dir[0].Counts[measure.Bytes], r.Dir[0].Ping, r.Dir[0].Loss = bytes, ping, Known(3)
	r.Dir[0].Wait, r.Dir[0].WaitAt = Known(9), math.MaxInt64
	return r
}

// TestTrail keeps a moment every two seconds, with the rate since the one before.
func TestTrail(t *testing.T) {
	x := newTrail(rowOf(1000, Value{}), 10*second)
	x.add(rowOf(1500, Known(7)), 11*second) // too close
	x.add(rowOf(5000, Known(8)), 12*second)
	x.add(rowOf(5000, Value{}), 16*second)
	got := x.latest()
	if len(got) != 2 || got[0].At != 12*second || got[1].At != 16*second {
		t.Fatalf("moments %+v", got)
	}
	if want := (Pace{Ping: 8, Wait: 9, Loss: 3, Rate: 2000}); got[0].Dir[0] != want {
		t.Errorf("got %+v, want %+v", got[0].Dir[0], want)
	}
	if p := got[1].Dir[0]; !math.IsNaN(float64(p.Ping)) || p.Rate != 0 {
		t.Errorf("got %+v, want an unknown ping and no bytes", p)
	}
	x.add(rowOf(5000, Known(8)), 3*second)
	if n := len(x.latest()); n != 0 {
		t.Errorf("%d moments are kept after the clock was set back", n)
	}
}

// TestTrailShared checks that what a snapshot was given never changes, and that no more is
// kept than is shown twice.
func TestTrailShared(t *testing.T) {
	x := newTrail(rowOf(0, Value{}), 0)
	var early, copied []Moment
	for i := range int64(1000) {
		x.add(rowOf(int64(i), Known(float64(i))), (i+1)*2*second)
		if len(x.latest()) > trailKept || cap(x.moments) > 2*trailKept {
			t.Fatalf("%d moments shown, room for %d", len(x.latest()), cap(x.moments))
		}
		if i == 200 {
			early = x.latest()
			copied = slices.Clone(early)
		}
	}
	same := func(a, b Moment) bool { return a.At == b.At && a.Dir[0] == b.Dir[0] }
	if !slices.EqualFunc(early, copied, same) {
		t.Error("moments of an earlier snapshot changed")
	}
	if last := x.latest()[trailKept-1]; last.Dir[0].Ping != 999 {
		t.Errorf("the latest moment is %+v", last)
	}
}

// TestTrailsBounded follows as many connections as there may be trails, and others once
// those are gone.
func TestTrailsBounded(t *testing.T) {
	var s Sampler
	conns := make([]*session.Conn, maxTrails+5)
	for i := range conns {
		conns[i] = &session.Conn{Dir: new([2]seq.Direction), Protocol: protocol("dp8"), LastStamp: 100 * second, HasTime: true}
	}
	with := func(snap *Snapshot) (n int) {
		for i := range snap.Rows {
			if len(snap.Rows[i].Trail) > 0 {
				n++
			}
		}
		return n
	}
	st := Status{Now: 100 * second}
	for range 3 {
		st.Now += 2 * second
		if n := with(s.Snapshot(st, conns)); n > maxTrails {
			t.Fatalf("%d connections have moments", n)
		}
	}
	conns = conns[maxTrails:]
	var snap *Snapshot
	for range 3 {
		st.Now += 2 * second
		snap = s.Snapshot(st, conns)
	}
	for i := range snap.Rows {
		if r := &snap.Rows[i]; s.conns[conns[len(conns)-1]] != nil && !r.Over && len(r.Trail) == 0 {
			t.Errorf("row %d has no moments", r.Key)
		}
	}
}
