package timeline

import (
	"testing"

	"github.com/dpdissect/dpdissect/internal/measure"
)

// TestTaken: intervals that are taken out while a connection goes on have the counts that they
// have at its end, as far as what is taken back was counted before they were.
func TestTaken(t *testing.T) {
	counts := []int64{2, 3, -4, 1, 0, -1, 2}
	var whole, cut line
	fill := func(l *line, from, to int) {
		for i := from; i < to; i++ {
			v, _ := l.find(int64(i)*10, int64(i)*10+10)
			v.Counts[measure.KeepAlives] = counts[i]
		}
	}
	fill(&whole, 0, len(counts))
	want := map[int64]int64{}
	for _, v := range whole.settled() {
		want[v.From] = v.Counts[measure.KeepAlives]
	}
	for n := range 3 {
		cut = line{}
		fill(&cut, 0, 6)
		cut.comeOff(n)
		got := map[int64]int64{}
		for _, v := range cut.list[:n] {
			got[v.From] = v.Counts[measure.KeepAlives]
		}
		cut.list = cut.list[n:]
		fill(&cut, 6, len(counts))
		for _, v := range cut.settled() {
			got[v.From] = v.Counts[measure.KeepAlives]
		}
		for from, x := range want {
			if got[from] != x {
				t.Errorf("%d taken out: at %d %d, want %d", n, from, got[from], x)
			}
		}
	}
}
