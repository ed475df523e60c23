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

// TestForgottenIDIsJudgedByNone: an ID is remembered for 12 s. What comes under it later accuses
// nobody, whatever is in it.
func TestForgottenIDIsJudgedByNone(t *testing.T) {
	for seconds, told := range map[int]bool{5: true, 20: false} {
		s := newScene(t, "", false)
		s.meet(current, current)
		say := func(id uint16) {
			s.send(0, current.reliable(id, "x"))
			s.send(1, current.acks(id))
		}
		n := uint16(10 * seconds)
		for i := range n {
			say(1 + i)
			s.Wait(90)
		}
		s.send(0, current.reliable(1, "other"))
		for i := range uint16(50) {
			say(1 + n + i)
			s.Wait(90)
		}
		if got := s.fails(); (got != "") != told {
			t.Errorf("after %d s: %q, want a finding: %v", seconds, got, told)
		}
	}
}
