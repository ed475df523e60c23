package report

import (
	"math"
	"testing"
)

// TestSpark checks that the highest value has the highest bar, however large it is: a round
// trip of 104 days and more, in ns, is beyond what floating point counts in steps of one.
func TestSpark(t *testing.T) {
	for _, c := range []struct {
		values []int64
		want   string
	}{
		{[]int64{0, 1, 2, 3, 4, 5, 6, 7, 8}, " ▁▂▃▄▅▆▇█"},
		{[]int64{0, 0}, "  "},
		{[]int64{1}, "▁"},
		{[]int64{1 << 53, 1<<53 + 2}, "██"},
		{[]int64{9_007_199_254_740_993, 1}, "█▁"},
		{[]int64{math.MaxInt64, math.MaxInt64 / 2, 1, 0}, "█▄▁ "},
	} {
		if got := spark(c.values); got != c.want {
			t.Errorf("%v is drawn as %q, want %q", c.values, got, c.want)
		}
	}
}
