//go:build !js

package liveview

import (
	"math"
	"testing"

	"github.com/dpdissect/dpdissect/internal/plot"
	"github.com/dpdissect/dpdissect/internal/sampler"
)

// TestGaugeSpans spreads moments by their times: a long pause stays empty, and what is not
// known, too.
func TestGaugeSpans(t *testing.T) {
	moment := func(at int64, ping float32) sampler.Moment {
		return sampler.Moment{At: at * second, Dir: [2]sampler.Pace{{Ping: ping}, {Ping: 1}}}
	}
	trail := []sampler.Moment{moment(0, 5), moment(2, 10), moment(4, float32(math.NaN())), moment(34, 20), moment(36, 30), moment(40, 40)}
	got := gauges[0].spans(trail, 0, 20) // a dot is two seconds
	want := map[int]float64{0: 10, 14: 20, 15: 20, 16: 20, 17: 30, 18: 40, 19: 40}
	for i, s := range got {
		v, some := want[i]
		if s != (plot.Span{High: v, Some: some}) {
			t.Errorf("dot %d is %+v, want %v", i, s, v)
		}
	}
}

// TestPlotsNeedTwoMoments draws nothing of a connection that has just begun.
func TestPlotsNeedTwoMoments(t *testing.T) {
	m := newModel(Options{})
	if lines := m.plots(&sampler.Row{Trail: []sampler.Moment{{At: 1}}}); lines != nil {
		t.Errorf("got %q", lines)
	}
}

// TestRateIsRounded names the greatest rate of a plot to the nearest byte.
func TestRateIsRounded(t *testing.T) {
	rate := gauges[len(gauges)-1].unit
	for v, want := range map[float64]string{0: "0 B/s", 7.4: "7 B/s", 7.6: "8 B/s"} {
		if got := rate(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}
