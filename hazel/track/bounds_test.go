package track

import "testing"

// TestStraysAreBounded: acknowledgements of what was not captured wait for their proof. Of more
// than there is room for the oldest is watched no longer, and ends without a verdict.
func TestStraysAreBounded(t *testing.T) {
	s := newScene(t, "", false)
	s.meet(current, current)
	s.send(0, current.reliable(1, "x"))
	s.send(1, current.acks(1))
	peer := &s.Sessions[0].(*pair).active.side[0]
	var first *stray
	for n := range uint16(maxStrays + 1) {
		s.send(1, current.acks(20+10*n))
		if n == 0 && len(peer.strays) == 1 {
			first = peer.strays[0]
		}
		if first == nil || first.unwatched != (n == maxStrays) || len(peer.strays) > maxStrays {
			t.Fatalf("%d acknowledgements: %d are watched, the first one %v", n+1, len(peer.strays), first)
		}
	}
}
