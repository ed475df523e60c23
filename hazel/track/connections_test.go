package track_test

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
)

// Which Hello starts another connection.
func TestHazel_Connections(t *testing.T) {
	talk := func(s *scene, r release) {
		s.meet(r, r)
		for id := r.first + 1; id < r.first+20; id++ {
			s.send(0, r.reliable(id, "x"))
			s.send(1, r.acks(id))
		}
	}
	for _, c := range []struct {
		name     string
		play     func(s *scene)
		want     int
		complete bool // the last one
	}{
		{"one", func(s *scene) { talk(s, current) }, 1, true},
		{"the Hello again", func(s *scene) { s.send(0, v01.hello(1, "a")); s.Wait(200); s.send(0, v01.hello(1, "a")) }, 1, true},
		{"the Hello of the page again, its interval doubled", func(s *scene) {
			s.tries(0, spec.hello(1, ""), pageTimes)
			s.send(1, spec.acks(1))
		}, 1, true},
		{"the Hello, overtaken by data", func(s *scene) { talk(s, current); s.send(0, current.hello(0, "")) }, 1, true},
		{"keepalives", func(s *scene) {
			talk(s, v01)
			for id := range uint16(5) {
				s.Wait(10000)
				s.send(0, v01.hello(21+id, ""))
				s.send(1, v01.acks(21+id))
				s.send(1, v01.hello(1+id, ""))
				s.send(0, v01.acks(1+id))
			}
		}, 1, true},
		{"a fresh series on a live connection", func(s *scene) { talk(s, current); s.Wait(5000); talk(s, current) }, 2, true},
		{"a fresh series of another release", func(s *scene) { talk(s, of2020); s.Wait(50); talk(s, current) }, 2, true},
		{"another Hello with the first id", func(s *scene) { talk(s, current); s.send(0, current.hello(0, "other")) }, 2, true},
		{"after a close", func(s *scene) {
			talk(s, current)
			s.send(0, current.bye(""))
			s.send(1, current.bye(""))
			talk(s, current)
		}, 2, true},
		{"after a close, at once", func(s *scene) {
			s.meet(current, current)
			s.send(0, current.bye(""))
			s.send(0, current.hello(0, ""))
		}, 2, true},
		{"after a give-up", func(s *scene) {
			s.tries(0, current.hello(0, ""), helloTimes)
			s.send(0, current.bye(""))
			talk(s, current)
		}, 2, true},
		{"a new attempt of 2017 after a silent give-up", func(s *scene) {
			s.tries(0, v01.hello(1, ""), []int64{0, 200, 600, 1400})
			s.Wait(20000)
			talk(s, v01)
		}, 2, true},
		{"a Hello in the middle of a capture that keeps alive", func(s *scene) {
			s.send(1, v01.reliable(30, "x"))
			s.send(0, v01.acks(30))
			s.send(0, v01.hello(57, ""))
			s.send(0, v01.hello(58, ""))
		}, 1, false},
		{"a Hello in the middle of a capture that begins anew", func(s *scene) {
			s.send(0, current.reliable(40000, "x"))
			s.send(1, current.acks(40000))
			s.Wait(1000)
			talk(s, current)
		}, 2, true},
		{"a late copy of the Hello", func(s *scene) {
			s.meet(current, current)
			s.send(0, current.bye(""))
			s.Copy(s.Sent[0])
		}, 1, true},
		{"a keepalive behind a Disconnect that got lost", func(s *scene) {
			talk(s, v01)
			s.send(1, v01.bye(""))
			s.Wait(10000)
			s.send(0, v01.hello(21, ""))
			s.Wait(200)
			s.send(0, v01.hello(21, ""))
		}, 1, true},
		{"a bare keepalive of the server, behind a Disconnect that got lost", func(s *scene) {
			s.meet(may14, may14)
			s.send(1, may14.hello(1, ""))
			s.send(0, may14.acks(1))
			s.send(0, may14.bye(""))
			s.Wait(10000)
			s.send(1, may14.hello(2, ""))
			s.Wait(200)
			s.send(1, may14.hello(2, ""))
		}, 1, true},
		{"a copy of the Hello behind its refusal", func(s *scene) {
			s.send(0, may14.hello(1, ""))
			s.send(1, may14.bye(""))
			s.Copy(s.Sent[0])
		}, 1, true},
		{"three bytes that look like a Hello", func(s *scene) {
			talk(s, of2020)
			s.Raw(0, []byte{8, 0, 0})
			s.Raw(0, []byte{8, 0, 1})
			s.send(0, of2020.reliable(21, "x"))
		}, 1, true},
		{"bytes that are a Hello in another dialect", func(s *scene) {
			talk(s, current)
			s.Wait(9000)
			s.Raw(0, []byte{0x80, 0, 1})
			s.Raw(0, []byte{0xfd, 0, 1})
		}, 1, true},
		{"strays before a Hello", func(s *scene) { s.send(1, current.bye("")); talk(s, current) }, 2, true},
		{"a Hello that is sent again behind its answer, first not captured", func(s *scene) {
			s.send(1, current.acks(0))
			s.send(1, none("welcome"))
			s.send(1, current.reliable(0, "x"))
			s.Wait(200)
			talk(s, current)
		}, 1, true},
		{"… but not for long", func(s *scene) { s.send(1, current.acks(0)); s.Wait(9000); talk(s, current) }, 2, true},
		{"… nor behind a long talk", func(s *scene) { s.send(1, current.reliable(17, "x")); talk(s, current) }, 2, true},
		{"a wrap is no fresh series", func(s *scene) {
			for _, id := range []uint16{65534, 65535} {
				s.send(0, v01.reliable(id, "x"))
				s.send(1, v01.acks(id))
			}
			s.send(0, v01.hello(0, ""))
			s.send(0, v01.hello(1, ""))
		}, 1, false},
		{"another after a close, whose first id is one of the next of the last", func(s *scene) {
			s.meet(v01, v01)
			for id := uint16(2); id != 0; id += 31 { // up to 65,505, with losses
				s.send(0, v01.reliable(id, "x"))
			}
			s.send(1, v01.bye(""))
			s.Wait(4000)
			s.send(0, v01.hello(1, ""))
			s.send(1, v01.acks(1))
		}, 2, true},
		{"another of the same bytes after a close, without identification", func(s *scene) {
			s.NoIPID = true
			talk(s, current)
			s.send(0, current.bye(""))
			s.send(1, current.bye(""))
			s.Wait(9000)
			talk(s, current)
		}, 2, true},
	} {
		s := newScene(t, "", false)
		c.play(s)
		conns := s.End()
		if last := conns[len(conns)-1]; len(conns) != c.want || last.Complete != c.complete {
			t.Errorf("%s: %d connections, complete %v, want %d, %v", c.name, len(conns), last.Complete, c.want, c.complete)
		}
	}
}

// Roles, start and detection.
func TestHazel_Start(t *testing.T) {
	s := newScene(t, "", true)
	s.meet(current, current)
	s.send(0, current.reliable(1, "x"))
	c := s.One()
	if got := fmt.Sprint(c.Roles, c.Complete, c.DetectedBy, c.State); got != "[client server] true handshake established" {
		t.Error(got)
	}
	if got := sessiontest.WordNames(s.Frames[0].Words); got != "handshake" {
		t.Errorf("Hello: %q", got)
	}
}
