package rules

import (
	"testing"

	"github.com/dpdissect/dpdissect/session/seq"
)

// TestMissingIsCounted: what rules conclude from silence holds only while nothing of a side is
// missing between the lowest and the highest PacketID. A gap that is not counted makes a
// receiver look as if it had passed over what the capture missed.
func TestMissingIsCounted(t *testing.T) {
	for _, c := range []struct {
		name string
		nums []seq.Num
		want seq.Num
	}{
		{"in a row", []seq.Num{7, 8, 9}, 0},
		{"a jump", []seq.Num{7, 11}, 3},
		{"a jump, and one of it late", []seq.Num{7, 11, 9}, 2},
		{"the one before the first, late", []seq.Num{7, 6}, 0},
		{"one further below the first, late", []seq.Num{7, 4}, 2},
		{"that and one between", []seq.Num{7, 4, 5}, 1},
	} {
		r := datagrams{out: new(seq.Direction)}
		for i, n := range c.nums {
			s := &seq.Sending{Num: n, Time: int64(i+1) * 1e6}
			r.count(s, false)
			r.out.Send(s)
		}
		if r.missing != c.want {
			t.Errorf("%s: %d missing, want %d", c.name, r.missing, c.want)
		}
	}
}
