package pipeline

import (
	"slices"
	"testing"
)

// TestEveryCaptured: time is told at whole multiples, each once, and goes on where the clock of
// the capture was set back.
func TestEveryCaptured(t *testing.T) {
	const s = int64(1e9)
	var told []int64
	r := rounds{length: 60 * s, do: func(now int64) error { told = append(told, now/s); return nil }}
	for _, at := range []int64{70, 80, 119, 120, 121, 119, 300, 310, 10, 55, 100} {
		if err := r.pass(at * s); err != nil {
			t.Fatal(err)
		}
	}
	if want := []int64{120, 300, 360}; !slices.Equal(told, want) {
		t.Errorf("%v, want %v", told, want)
	}
}
