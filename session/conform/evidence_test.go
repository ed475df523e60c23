package conform_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/dpdissect/dpdissect/session/conform"
)

// The odds of the texts' table: 4 intervals for a clean capture, 5 at 1% loss, 18
// at 20%.
func TestNeededOdds(t *testing.T) {
	for _, tt := range []struct {
		captured, lost uint64
		want           int
	}{{1e6, 0, 4}, {99000, 1000, 5}, {80000, 16000, 18}, {10, 10, math.MaxInt32}} {
		if got := conform.NeededOdds(tt.lost, tt.captured); got != tt.want {
			t.Errorf("%d of %d lost: %d, want %d", tt.lost, tt.captured, got, tt.want)
		}
	}
}

func TestSample(t *testing.T) {
	var s conform.Sample
	for i := range 20 {
		s.Enter(i >= 5)
		if got := s.Mostly(); got != (i == 19) {
			t.Errorf("%+v: %v", s, got)
		}
	}
	s.Enter(false)
	if s.Mostly() {
		t.Errorf("%+v are three in four", s)
	}
	for _, tt := range []struct {
		n, bad int
		p      float64
		want   bool
	}{{10, 10, 0.01, true}, {10, 2, 0.01, false}, {1000, 10, 0.01, false}, {1000, 100, 0.01, true}, {10, 10, 0.5, false}} {
		var s conform.Sample
		for i := range tt.n {
			s.Enter(i < tt.bad)
		}
		if got := s.Implausible(tt.p); got != tt.want {
			t.Errorf("%d of %d at %v: %v", tt.bad, tt.n, tt.p, got)
		}
	}
}

func TestPending(t *testing.T) {
	var p conform.Pending[int]
	var gone []int
	for i := range 4 {
		p.Enter(i, 3, func(x *int) { gone = append(gone, *x) })
	}
	p.Settle(func(x *int) bool { *x *= 10; return *x != 20 })
	var left []int
	p.Settle(func(x *int) bool { left = append(left, *x); return true })
	if got := fmt.Sprint(gone, left, *p.Latest()); got != "[0] [10 30] 30" {
		t.Error(got)
	}
	p.End(func(x *int) { gone = append(gone, *x) })
	if got := fmt.Sprint(gone, p.Len(), p.Latest() == nil); got != "[0 10 30] 0 true" {
		t.Error(got)
	}
}
