package track_test

import "testing"

// TestKNet_ReliableDatagrams_CopiesUnacknowledged: a receiver that acknowledges no copy is found
// from where everything it sent was captured: it is enough that this holds since the datagram was
// sent first. A user who starts to capture in the middle is told as well, and nothing where a
// gapID may hold the acknowledgements.
func TestKNet_ReliableDatagrams_CopiesUnacknowledged(t *testing.T) {
	for _, c := range []struct {
		name              string
		before, following bool // a datagram of the receiver is missing, before the first transmission or after
		answer            bool
		want              int
	}{
		{"no copy is acknowledged", false, false, false, 1},
		{"a hole before the datagram", true, false, false, 1},
		{"a hole behind it", false, true, false, 0},
		{"each copy is acknowledged", false, false, true, 0},
	} {
		s := newScene(t, "spec")
		s.next = [2]uint32{100, 500}
		chat := func() {
			s.Raw(0, s.reliably(0, said("data")))
			s.send(1, s.acks(s.next[0]-1))
		}
		for i := range 18 {
			chat()
			if c.before && i == 3 {
				s.next[1]++
			}
		}
		again, id := s.reliably(0, said("again")), s.next[0]-1
		s.Raw(0, again)
		s.send(1, s.acks(id))
		for i := range 18 {
			chat()
			s.Wait(2000)
			if c.following && i == 3 {
				s.next[1]++
			}
			s.Raw(0, again)
			if c.answer {
				s.send(1, s.acks(id))
			}
		}
		s.End()
		got := 0
		for _, f := range s.Accusations() {
			if f.Rule.ID == "KN-RD-ACKED" && f.Failed() {
				got++
			}
		}
		if got != c.want {
			t.Errorf("%s: found %d times, want %d", c.name, got, c.want)
		}
	}
}
