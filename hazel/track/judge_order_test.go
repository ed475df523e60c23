package track_test

import "testing"

// TestHazel_ReliableDelivery_FirstIDOvertaken: a side may begin with ID 0, and the datagram after
// the first one may overtake it. A user is not told that its ID is before the first one; of one
// that steps back below 0 he is.
func TestHazel_ReliableDelivery_FirstIDOvertaken(t *testing.T) {
	for _, c := range []struct {
		name string
		ids  []uint16
		want string
	}{
		{"in order", []uint16{0, 1, 2}, ""},
		{"the first one is overtaken", []uint16{1, 0, 2}, ""},
		{"one before the first", []uint16{0, 1, 2, 65535, 3}, "HZ-REL-ID-SEQ note 6"},
	} {
		s := newScene(t, "", false)
		s.meet(current, current)
		for _, id := range c.ids {
			s.send(1, current.reliable(id, "x"))
		}
		if got := s.fails(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
