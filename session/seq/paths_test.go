package seq

import "testing"

// A stable share of numbers that are acknowledged but never captured takes another
// path; a bursty one does not.
func TestSecondPath(t *testing.T) {
	for _, tt := range []struct {
		name   string
		missed func(i int) bool
		want   bool
	}{
		{"every second", func(i int) bool { return i%2 == 0 }, true},
		{"none", func(int) bool { return false }, false},
		{"a burst", func(i int) bool { return i < 600 }, false},
	} {
		var d Direction
		d.ready()
		if _, _, _, ok := d.Quality().SecondPath(); ok {
			t.Error("a verdict of no numbers")
		}
		for i := range 1250 {
			d.paths.settle(tt.missed(i))
		}
		if _, _, stable, ok := d.Quality().SecondPath(); !ok || stable != tt.want {
			t.Errorf("%s: %v %v", tt.name, stable, ok)
		}
	}
}
