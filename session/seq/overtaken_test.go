package seq

import "testing"

// A number without a mark that comes behind a later one is a first sending that was
// overtaken only where a retry, whose first sending was lost before the capture point, is
// out of the question.
func TestOvertaken(t *testing.T) {
	for _, tt := range []struct {
		name  string
		after int64 // ms
		mark  Mark
		ipids [3]uint16 // of 0, 2 and 1, in the order of capture
		want  uint64
	}{
		{"as late as a retry", 300, Unmarked, [3]uint16{}, 0},
		{"sooner than any retry", 5, Unmarked, [3]uint16{}, 1},
		{"its identification is that between its neighbours", 300, Unmarked, [3]uint16{7, 9, 8}, 1},
		{"its identification is later than theirs", 300, Unmarked, [3]uint16{7, 9, 10}, 0},
		{"identifications drawn at random", 300, Unmarked, [3]uint16{7, 30000, 20000}, 0},
		{"its protocol says that it is the first", 300, MarkFirst, [3]uint16{}, 1},
	} {
		l := newLane()
		l.send(1, 0, tt.mark, 1, tt.ipids[0])
		l.send(1, 2, tt.mark, 3, tt.ipids[1])
		l.send(tt.after, 1, tt.mark, 2, tt.ipids[2])
		if got := l.d.Quality().Signs().Late.N; got != tt.want {
			t.Errorf("%s: %d overtaken, want %d", tt.name, got, tt.want)
		}
	}
}

// Where a number was sent again because nothing acknowledged it, and no loss is proven,
// there may have been one: 0 is not known.
func TestUnprovenLossIsNotZero(t *testing.T) {
	l := newLane()
	l.first(0, 1)
	l.ack(20, 1)
	if _, after, _ := l.d.ProvesLoss(); !after {
		t.Error("nothing was sent again, and losses behind the capture point are not known")
	}
	l.send(300, 1, MarkRetry, 1001, 0)
	l.ack(20, 2)
	if _, after, _ := l.d.ProvesLoss(); after {
		t.Error("a number was sent again, and it is said that nothing was lost")
	}
}
