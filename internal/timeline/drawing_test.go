package timeline

import "testing"

// TestMarksTakenBack: retries that turn out to be none come off the latest marks, and marks
// of other kinds stay.
func TestMarksTakenBack(t *testing.T) {
	var g drawing
	g.add(Mark{Time: 1}, NeededRetry, 2)
	g.add(Mark{Time: 2}, UnneededRetry, 1)
	g.add(Mark{Time: 3}, Closing, 1)
	g.add(Mark{Time: 4}, NeededRetry, -2)
	if len(g.marks) != 3 || g.marks[0].N != 1 || g.marks[1].N != 0 || g.marks[2].N != 1 {
		t.Errorf("%+v", g.marks)
	}
}

// TestMarksDropped: marks beyond what is kept are counted.
func TestMarksDropped(t *testing.T) {
	g := drawing{marks: make([]Mark, MaxMarks-1)}
	g.add(Mark{Time: 1}, NeededRetry, 1)
	g.add(Mark{Time: 2}, NeededRetry, 3)
	if len(g.marks) != MaxMarks || g.dropped != 3 {
		t.Errorf("%d marks, %d dropped", len(g.marks), g.dropped)
	}
}

// TestNumberOf: the numbers of the latest frames are remembered, and no others.
func TestNumberOf(t *testing.T) {
	var g drawing
	for i := range uint64(2 * keptPlaces) {
		g.keep(place{2 * i, int64(i) + 7})
	}
	if n, ok := g.numberOf(4*keptPlaces - 2); !ok || n != 2*keptPlaces+6 {
		t.Errorf("the latest has number %d, %v", n, ok)
	}
	if n, ok := g.numberOf(2 * keptPlaces); !ok || n != keptPlaces+7 {
		t.Errorf("the oldest has number %d, %v", n, ok)
	}
	for _, frame := range []uint64{2*keptPlaces - 2, 4*keptPlaces - 1, 4 * keptPlaces} {
		if n, ok := g.numberOf(frame); ok {
			t.Errorf("frame %d has number %d", frame, n)
		}
	}
}
