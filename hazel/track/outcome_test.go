package track_test

import (
	"fmt"
	"strings"
	"testing"
)

// However a connection is lost, something is said of it.
func TestHazel_LostConnections(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string
	}{
		{"given up", func(s *scene) {
			s.meet(current, current)
			s.tries(1, current.reliable(0, "z"), warmTimes)
			s.Wait(700)
			s.send(1, current.bye(""))
		}, "FLD-GIVEUP b 3 reliable packet 0, size 4, not acknowledged after 5074 ms, 7 resends: the connection was given up"},
		{"Pings unanswered", func(s *scene) {
			s.meet(current, current)
			for id := range uint16(6) {
				s.send(0, ping(1+id))
				s.Wait(1495)
			}
			s.send(0, current.bye(""))
		}, "FLD-GIVEUP a 3 6 Pings without any acknowledgement for 9000 ms: the connection was given up"},
		{"unreachable", func(s *scene) { s.meet(current, current); s.send(1, current.reliable(0, "z")); s.ICMP(1) },
			"FLD-NOREPLY b 4 the port is unreachable (ICMP): nothing listens there any more"},
		{"refused by the host", func(s *scene) { s.send(0, current.hello(0, "")); s.ICMP(0) }, "FLD-NOREPLY a 1 1 attempt, no answer: the port is unreachable (ICMP)"},
		{"closed, then unreachable", func(s *scene) {
			s.meet(current, current)
			s.send(0, current.bye(""))
			s.Wait(36)
			s.send(1, current.bye(""))
			s.ICMP(1)
		}, ""},
	} {
		s := newScene(t, "", false)
		c.play(s)
		s.End()
		var got []string
		for _, f := range s.Findings {
			if strings.HasPrefix(f.Rule.ID, "FLD-") && f.Failed() {
				got = append(got, fmt.Sprintf("%s %s %d %s", f.Rule.ID, f.Dir, f.Frame, f.Message))
			}
		}
		if have := strings.Join(got, "; "); have != c.want {
			t.Errorf("%s: %q, want %q", c.name, have, c.want)
		}
	}
}
