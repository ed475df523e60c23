package session

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
)

// Whatever the times of a capture, those of the clock never run backwards, stay in
// its range, and lead back to what the capture said.
func TestClockNeverRunsBackwards(t *testing.T) {
	stamps := rapid.OneOf(
		rapid.Int64Range(1_700_000_000e9, 1_700_000_001e9),
		rapid.Int64(),
		rapid.SampledFrom([]int64{0, 1, -1, math.MinInt64, math.MaxInt64, lastTime, lastTime + 1, -lastTime}),
	)
	rapid.Check(t, func(t *rapid.T) {
		var c clock
		last := int64(0)
		for i, stamp := range rapid.SliceOfN(stamps, 1, 200).Draw(t, "stamps") {
			d := dissect.Datagram{Frame: uint64(i + 1), Time: stamp, HasTime: rapid.Bool().Draw(t, "timed")}
			if d.HasTime && !c.wants(&d) {
				c.now = d.Time
			} else {
				c.set(&d)
			}
			if d.Time < last || d.Time > lastTime {
				t.Fatalf("packet %d of %d: %d follows %d", i, stamp, d.Time, last)
			}
			last = d.Time
			if d.HasTime && (d.Stamp() != stamp || c.stamp(d.Frame, d.Time) != stamp) {
				t.Fatalf("packet %d: %d was %d, stands for %d and %d", i, d.Time, stamp, d.Stamp(), c.stamp(d.Frame, d.Time))
			}
		}
	})
}

// times gives what a clock makes of times in ms.
func times(ms ...int64) (got []int64) {
	var c clock
	for i, m := range ms {
		d := dissect.Datagram{Frame: uint64(i + 1), Time: 1_700_000_000e9 + m*1e6, HasTime: true}
		c.set(&d)
		got = append(got, (d.Time-1_700_000_000e9)/1e6)
	}
	return got
}

func TestClockSteps(t *testing.T) {
	for _, tc := range []struct {
		name    string
		capture []int64
		want    []int64
	}{
		{name: "in order", capture: []int64{0, 10, 20}, want: []int64{0, 10, 20}},
		{name: "overtaken", capture: []int64{0, 10, 5, 12}, want: []int64{0, 10, 10, 12}},
		{name: "set back", capture: []int64{0, 1000, 500, 510, 530}, want: []int64{0, 1000, 1000, 1010, 1030}},
		{name: "one is late", capture: []int64{0, 1000, 500, 1010, 1030}, want: []int64{0, 1000, 1000, 1010, 1030}},
		{name: "set back twice", capture: []int64{0, 5000, 4000, 4010, 3000, 3010}, want: []int64{0, 5000, 5000, 5010, 5010, 5020}},
		{name: "set ahead", capture: []int64{0, 10, 1e9, 1e9 + 10}, want: []int64{0, 10, 1e9, 1e9 + 10}},
	} {
		got := times(tc.capture...)
		for i := range got {
			if got[i] != tc.want[i] {
				t.Errorf("%s: %v became %v, want %v", tc.name, tc.capture, got, tc.want)
				break
			}
		}
	}
}

// TestLateAfterClockWasSet: a clock is set back for good, and long after that a packet comes
// late. What follows has no pause before it: else nothing seemed to arrive for as long as that
// packet was late.
func TestLateAfterClockWasSet(t *testing.T) {
	capture := []int64{50_000_000, 50_000_010}
	for ms := range int64(oddPackets + 2) {
		capture = append(capture, 10*ms)
	}
	last := capture[len(capture)-1]
	got := times(append(capture, last-150, last+10)...)
	n := len(got)
	if got[n-2] != got[n-3] || got[n-1] != got[n-3]+10 {
		t.Errorf("%v became %v", capture, got)
	}
}

// What is remembered of changes is bounded; the latest are exact.
func TestClockForgetsOldShifts(t *testing.T) {
	var c clock
	for i := range uint64(10 * maxShifts) {
		d := dissect.Datagram{Frame: i + 1, Time: 1_700_000_000e9 - int64(i%2)*1e6, HasTime: true}
		c.set(&d)
		if got := c.stamp(d.Frame, d.Time); got != d.Stamp() {
			t.Fatalf("frame %d: %d, want %d", d.Frame, got, d.Stamp())
		}
	}
	if len(c.shifts) > maxShifts {
		t.Errorf("%d changes are remembered", len(c.shifts))
	}
}

// A clock that was set back ends the capture where it stands, a packet that came late
// does not.
func TestLaterOf(t *testing.T) {
	for _, tc := range []struct{ end, next, want int64 }{
		{0, 5e9, 5e9}, {5e9, 6e9, 6e9}, {5e9, 5e9 - 50e6, 5e9}, {5e9, 1e9, 1e9}, {math.MinInt64, 3, 3}, {5e9, math.MinInt64, 5e9},
	} {
		if got := LaterOf(tc.end, tc.next); got != tc.want {
			t.Errorf("%d behind %d: %d, want %d", tc.next, tc.end, got, tc.want)
		}
	}
}

// After a clock was set back by an hour the end of the capture is not an hour away.
func TestEndAfterStepBack(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	s.now = 10_000e9
	s.lock(1, 2)
	end := s.now
	s.now -= 3600e9
	s.lock(1, 2)
	s.tab.Close(LaterOf(end, s.now))
	if far := s.tab.end - s.tab.clock.now; far > 1e9 {
		t.Errorf("the capture ends %d s behind its last packet", far/1e9)
	}
}

// TestClockSetBackOftenIsTold: a clock that was set back more often than it is remembered where
// is told of each connection all the same (CAP-TIME).
func TestClockSetBackOftenIsTold(t *testing.T) {
	for back, want := range map[int64]conform.Tally{0: {Pass: 1}, 200 * ms: {Fail: 1}} {
		s := newStory(Config{Protocols: []*Protocol{yes()}})
		for range 2 * maxShifts {
			s.say(1, 2, "yes")
			s.now -= back
			s.say(1, 2, "yes")
			s.now += back
		}
		s.tab.Close(s.now)
		if got := s.tab.QualityTallies()[rCapTime]; got.Fail != want.Fail || got.Pass != want.Pass {
			t.Errorf("set back by %d ms: %+v, want %+v", back/ms, got, want)
		}
	}
}
