package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/session"
)

func TestStates(t *testing.T) {
	again := func(s *scene, n int, gap int64) {
		for i := range n {
			s.send(0, data(2, 2, uint8(i), "y"))
			s.Wait(gap)
		}
	}
	for _, c := range []struct {
		name string
		play func(s *scene)
		want session.State
	}{
		{"from the start", func(s *scene) { s.send(0, data(1, 1, 0, "x")) }, session.Established},
		{"in the middle", func(s *scene) { s.send(0, data(9, 9, 0, "x")); s.send(1, ack(9, 9, 0)) }, session.StateUnknown},
		{"unreachable before any answer", func(s *scene) { s.send(0, data(1, 1, 0, "x")); s.ICMP(0) }, session.Refused},
		{"unreachable after an answer", func(s *scene) { s.send(0, data(1, 1, 0, "x")); s.send(1, ack(1, 1, 0)); s.ICMP(0) }, session.Reset},
		{"unreachable in the middle", func(s *scene) { s.send(0, data(9, 9, 0, "x")); s.ICMP(0) }, session.Reset},
		{"unreachable, and yet there", func(s *scene) {
			s.send(0, data(1, 1, 0, "x"))
			s.send(1, ack(1, 1, 0))
			s.ICMP(0)
			s.send(1, data(1, 1, 0, "y"))
		}, session.Established},
		{"unreachable, and sent to all the same", func(s *scene) {
			s.send(0, data(1, 1, 0, "x"))
			s.send(1, ack(1, 1, 0))
			s.ICMP(0)
			s.send(0, data(2, 2, 0, "y"))
		}, session.Reset},
		{"given up", func(s *scene) {
			s.send(0, data(1, 1, 0, "x"))
			s.send(1, ack(1, 1, 0))
			again(s, 10, 1000)
			s.Wait(10_000)
		}, session.TimedOut},
		{"given up after long intervals", func(s *scene) {
			s.send(0, data(1, 1, 0, "x"))
			s.send(1, ack(1, 1, 0))
			again(s, 5, 5000)
			s.Wait(20_000)
		}, session.TimedOut},
		{"still trying", func(s *scene) {
			s.send(0, data(1, 1, 0, "x"))
			s.send(1, ack(1, 1, 0))
			again(s, 10, 1000)
		}, session.Established},
		{"answered at last", func(s *scene) {
			s.send(0, data(1, 1, 0, "x"))
			again(s, 10, 1000)
			s.send(1, ack(2, 2, 9))
			s.Wait(60_000)
		}, session.Established},
		{"a few tries", func(s *scene) { s.send(0, data(1, 1, 0, "x")); again(s, 3, 300); s.Wait(60_000) }, session.Established},
	} {
		s := scenes(t)
		c.play(s)
		got := s.One()
		if got.State != c.want || got.ClosedBy != session.NoSide {
			t.Errorf("%s: %v by %v, want %v", c.name, got.State, got.ClosedBy, c.want)
		}
	}
}
