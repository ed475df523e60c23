package track_test

import (
	"strings"
	"testing"
)

// TestHazel_ReliableDelivery_NeverGivesUp: who sends new data 15 s after a packet that it sent again
// and again, and that nobody acknowledged, does not give up. Where it was sent last more than 3 s
// ago, it may have been acknowledged unseen.
func TestHazel_ReliableDelivery_NeverGivesUp(t *testing.T) {
	for last, want := range map[int64]string{12_300: "HZ-REL-GIVEUP", 11_900: ""} {
		s := newScene(t, "", false)
		s.meet(ack3, ack3)
		begin, lost, id := s.Now, ack3.reliable(2, "lost"), uint16(3)
		for at := int64(0); at <= 15_100; at += 100 {
			s.Now = begin + at*1e6
			if at <= 1400 && at%200 == 0 || at == last {
				s.send(0, lost)
			}
			if at%500 == 0 || at == 15_100 {
				s.send(0, ack3.reliable(id, "x"))
				s.send(1, ack3.acks(id))
				id++
			}
		}
		if got := s.fails(); strings.Contains(got, "HZ-REL-GIVEUP") != (want != "") {
			t.Errorf("last sent at %d ms: %q, want %q", last, got, want)
		}
	}
}
