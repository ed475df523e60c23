package track_test

import "testing"

// TestForgottenIDIsJudgedByNone: an ID is remembered for 12 s. What comes under it later is held against
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
