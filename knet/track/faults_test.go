package track

import "testing"

// TestDoubts: a fault that cannot be meant makes its datagram doubtful each time, a small one
// until it is a habit, and what is merely odd never.
func TestDoubts(t *testing.T) {
	var c conn
	for i := range habitually + 2 {
		for kind, want := range map[FaultKind]bool{NoMessages: true, TooLong: i < habitually, OneFragment: false} {
			if kind == TooLong && i == habitually+1 {
				c.forget(0)
				want = true // the side begins again
			}
			c.Faults = []Fault{{Kind: kind}}
			if got := c.doubts(&c.side[0]); got != want {
				t.Errorf("datagram %d with fault %d: %v", i, kind, got)
			}
		}
	}
}
