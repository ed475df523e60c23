package track_test

import "testing"

// TestHazel_Keepalive_ReceivingPutsItOff: to 2018-12 a side sends a keepalive when it has neither
// sent nor received for a time. One that was sent to all the while owes none.
func TestHazel_Keepalive_ReceivingPutsItOff(t *testing.T) {
	for _, c := range []struct {
		name  string
		every int64 // s between what it receives
		want  string
	}{
		{"it receives every 5 s", 5, ""},
		{"it receives nothing", 0, "HZ-KA-SENT note 3"},
	} {
		s := newScene(t, "spec", false)
		s.meet(spec, spec)
		if c.every == 0 {
			s.Wait(50_000)
		} else {
			for range 50 / c.every {
				s.Wait(1000 * c.every)
				s.send(1, none("x"))
			}
		}
		s.send(0, spec.reliable(2, "here I am"))
		s.send(1, spec.acks(2))
		if got := s.fails(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
