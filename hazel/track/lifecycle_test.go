package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
)

// Resend times of releases, in ms from the first transmission (Hazel Reliable.cs).
var (
	helloTimes = []int64{0, 299, 899, 1900, 2899, 3902, 4904} // today, to nowhere
	warmTimes  = []int64{0, 52, 152, 456, 1363, 2365, 3367, 4369}
	oldTimes   = []int64{0, 20, 61, 141}                       // v0.1.2 at a round trip of 10 ms
	pageTimes  = []int64{0, 300, 900, 2100, 4500, 9300, 18900} // the page: the interval doubles, and how often is open
)

// tries plays the transmissions of a datagram.
func (s *scene) tries(from dissect.Dir, f hazel.Frame, times []int64) {
	begin := s.Now
	for _, at := range times {
		s.Now = begin + at*1e6
		s.send(from, f)
	}
}

// How connections end.
func TestHazel_States(t *testing.T) {
	meet := func(s *scene) {
		s.send(0, current.hello(0, ""))
		s.Wait(35)
		s.send(1, current.acks(0))
		s.send(0, current.reliable(1, "x"))
		s.Wait(35)
		s.send(1, current.acks(1)) // a round trip of 40 ms to the server
		s.send(1, current.reliable(0, "y"))
		s.Wait(35)
		s.send(0, current.acks(0))
	}
	bye := current.bye("")
	for _, c := range []struct {
		name  string
		play  func(s *scene)
		state session.State
		by    session.Side
	}{
		{"opening", func(s *scene) { s.send(0, current.hello(0, "")) }, session.Opening, session.NoSide},
		{"established", func(s *scene) { s.meet(current, current) }, session.Established, session.NoSide},
		{"established, the acknowledgement was not captured", func(s *scene) {
			s.send(0, current.hello(0, ""))
			s.send(0, current.reliable(1, "x"))
		}, session.Established, session.NoSide},
		{"established by an unreliable datagram of the server", func(s *scene) {
			s.send(0, current.hello(0, ""))
			s.send(1, none("x"))
		}, session.Established, session.NoSide},
		{"in the middle", func(s *scene) { s.send(0, current.reliable(77, "x")); s.send(1, current.acks(77)) }, session.StateUnknown, session.NoSide},

		{"closed by the client, answered", func(s *scene) { meet(s); s.send(0, bye); s.Wait(36); s.send(1, bye) }, session.Closed, session.SideA},
		{"closed by the server with a reason", func(s *scene) { meet(s); s.send(1, current.bye("\x01\x01\x00\x00\x07")); s.Wait(36); s.send(0, bye) }, session.Closed, session.SideB},
		{"closed before 2019, not answered", func(s *scene) { s.meet(v01, v01); s.send(0, v01.bye("")) }, session.Closed, session.SideA},
		{"an answer a little faster than those before", func(s *scene) { meet(s); s.send(0, bye); s.Wait(17); s.send(1, bye) }, session.Closed, session.SideA},
		{"Disconnects that cross", func(s *scene) { meet(s); s.send(0, bye); s.send(1, bye) }, session.Closed, session.BothSides},
		{"Disconnects of 2017 that cross: none is answered there", func(s *scene) {
			s.meet(v01, v01)
			s.send(0, start(2, 1, 1, "x"))
			s.send(1, v01.acks(2))
			s.send(0, v01.bye(""))
			s.send(1, v01.bye(""))
		}, session.Closed, session.BothSides},
		{"a copied Disconnect", func(s *scene) { meet(s); s.copy(0, bye) }, session.Closed, session.SideA},
		{"closed in the middle of a capture", func(s *scene) { s.send(0, current.reliable(77, "x")); s.send(0, bye) }, session.Closed, session.SideA},
		{"closed, then unreachable", func(s *scene) { meet(s); s.send(0, bye); s.Wait(36); s.send(1, bye); s.ICMP(1) }, session.Closed, session.SideA},
		{"closed, then strays", func(s *scene) {
			meet(s)
			s.send(0, bye)
			s.send(1, current.reliable(1, "late"))
			s.send(1, current.reliable(1, "late"))
			s.ICMP(1)
		}, session.Closed, session.SideA},
		{"the client stops while it connects", func(s *scene) { s.send(0, current.hello(0, "")); s.send(0, bye) }, session.Closed, session.SideA},

		{"refused, answered", func(s *scene) {
			s.send(0, current.hello(0, ""))
			s.send(1, current.bye("\x01\x01\x00\x00\x05"))
			s.send(0, bye)
		}, session.Refused, session.NoSide},
		{"refused twice: the Hello was sent again meanwhile", func(s *scene) {
			s.send(0, current.hello(0, ""))
			s.send(1, bye)
			s.send(0, current.hello(0, ""))
			s.send(1, bye)
		}, session.Refused, session.NoSide},
		{"refused by the host", func(s *scene) { s.send(0, current.hello(0, "")); s.ICMP(0) }, session.Refused, session.NoSide},
		{"refused by the host, tried to the end", func(s *scene) {
			s.send(0, current.hello(0, ""))
			s.ICMP(0)
			s.tries(0, current.hello(0, ""), helloTimes[1:])
			s.send(0, bye)
		}, session.Refused, session.NoSide},
		{"unreachable, then there", func(s *scene) {
			s.send(0, current.hello(0, ""))
			s.ICMP(0)
			s.Wait(300)
			s.send(0, current.hello(0, ""))
			s.send(1, current.acks(0))
		}, session.Established, session.NoSide},

		{"reset: the client was killed", func(s *scene) { meet(s); s.send(1, current.reliable(1, "z")); s.ICMP(1) }, session.Reset, session.NoSide},
		{"reset, then the server gives up", func(s *scene) {
			meet(s)
			s.tries(1, current.reliable(1, "z"), warmTimes[:2])
			s.ICMP(1)
			s.tries(1, current.reliable(1, "z"), warmTimes[2:])
			s.Wait(700)
			s.send(1, bye)
		}, session.Reset, session.NoSide},
		{"a notice that ends nothing", func(s *scene) { meet(s); s.ICMP(1); s.send(0, current.reliable(2, "still here")) }, session.Established, session.NoSide},
		{"reset in the middle of a capture", func(s *scene) { s.send(1, current.reliable(77, "x")); s.ICMP(1) }, session.Reset, session.NoSide},

		{"nobody answers the Hello", func(s *scene) { s.tries(0, current.hello(0, ""), helloTimes); s.send(0, bye) }, session.TimedOut, session.NoSide},
		{"… and the Disconnect was not captured", func(s *scene) { s.tries(0, current.hello(0, ""), helloTimes); s.Wait(3000) }, session.TimedOut, session.NoSide},
		{"… and the capture ends", func(s *scene) { s.tries(0, current.hello(0, ""), helloTimes[:4]) }, session.Opening, session.NoSide},
		{"nobody answers the Hello of 2017", func(s *scene) {
			s.tries(0, v01.hello(1, ""), []int64{0, 200, 600, 1400})
			s.Wait(2000)
		}, session.TimedOut, session.NoSide},
		{"nobody answers data", func(s *scene) { meet(s); s.tries(1, current.reliable(1, "z"), warmTimes); s.Wait(700); s.send(1, bye) }, session.TimedOut, session.NoSide},
		{"nobody answers data, then silence", func(s *scene) { meet(s); s.tries(1, current.reliable(1, "z"), warmTimes); s.Wait(3000) }, session.TimedOut, session.NoSide},
		{"some data is acknowledged, one id never is", func(s *scene) {
			meet(s)
			s.tries(1, current.reliable(1, "z"), warmTimes)
			s.send(0, current.reliable(2, "alive"))
			s.Wait(600)
			s.send(1, bye)
		}, session.TimedOut, session.NoSide},
		{"resends, then an acknowledgement and a close", func(s *scene) {
			meet(s)
			s.tries(1, current.reliable(1, "z"), warmTimes)
			s.send(0, current.acks(1))
			s.send(1, bye)
		}, session.Closed, session.SideB},
		{"a few resends, and the capture ends", func(s *scene) { meet(s); s.tries(1, current.reliable(1, "z"), warmTimes[:4]) }, session.Established, session.NoSide},
		{"data unanswered in 2017, then silence", func(s *scene) {
			s.meet(v01, v01)
			s.tries(0, v01.reliable(2, "z"), oldTimes)
			s.Wait(5000)
		}, session.TimedOut, session.NoSide},
		{"data unanswered in 2017, and the capture ends with the last sending", func(s *scene) {
			s.meet(v01, v01)
			s.tries(0, v01.reliable(2, "z"), oldTimes)
		}, session.TimedOut, session.NoSide},
		{"data unanswered in 2017, and the capture ends before", func(s *scene) {
			s.meet(v01, v01)
			s.tries(0, v01.reliable(2, "z"), oldTimes[:3])
		}, session.Established, session.NoSide},
		{"data unanswered in 2017, one sending was not captured", func(s *scene) {
			s.meet(v01, v01)
			s.tries(0, v01.reliable(2, "z"), oldTimes[1:])
			s.Wait(10000)
		}, session.TimedOut, session.NoSide},
		{"the page: the client gives up after seven", func(s *scene) {
			s.meet(spec, spec)
			s.tries(0, spec.reliable(2, "z"), pageTimes)
			s.Wait(20000)
		}, session.TimedOut, session.NoSide},
		{"the page: the server does, and acknowledged others until then", func(s *scene) {
			s.meet(spec, spec)
			s.tries(1, spec.reliable(1, "z"), pageTimes)
			s.Wait(9000)
			s.send(0, spec.reliable(2, "x"))
			s.send(1, spec.acks(2))
			s.Wait(20000)
		}, session.TimedOut, session.NoSide},
		{"the page: the server says so", func(s *scene) {
			s.meet(spec, spec)
			s.tries(1, spec.reliable(1, "z"), pageTimes)
			s.Wait(19195)
			s.send(1, spec.bye(""))
		}, session.TimedOut, session.NoSide},
		{"the page: it would be sent once more", func(s *scene) {
			s.meet(spec, spec)
			s.tries(1, spec.reliable(1, "z"), pageTimes[:6])
			s.Wait(5000)
		}, session.Established, session.NoSide},
		{"the page: the user leaves before", func(s *scene) {
			s.meet(spec, spec)
			s.tries(1, spec.reliable(1, "z"), pageTimes[:4])
			s.send(0, spec.reliable(2, "x"))
			s.Wait(700)
			s.send(1, spec.bye(""))
		}, session.Closed, session.SideB},
		{"Pings unanswered", func(s *scene) {
			meet(s)
			for id := range uint16(6) {
				s.send(0, ping(2+id))
				s.Wait(1495)
			}
			s.send(0, bye)
		}, session.TimedOut, session.NoSide},
		{"Pings unanswered, one of them not captured", func(s *scene) {
			meet(s)
			for _, id := range []uint16{2, 3, 4, 6} {
				s.send(0, ping(id))
				s.Wait(1495)
			}
			s.send(0, bye)
		}, session.TimedOut, session.NoSide},
		{"… and no Disconnect either", func(s *scene) {
			meet(s)
			for _, id := range []uint16{2, 3, 4, 6, 7} {
				s.send(0, ping(id))
				s.Wait(1495)
			}
			s.Wait(3000)
		}, session.TimedOut, session.NoSide},
		{"too few Pings unanswered", func(s *scene) {
			meet(s)
			for _, id := range []uint16{2, 3, 4} {
				s.send(0, ping(id))
				s.Wait(1995)
			}
			s.send(0, bye)
		}, session.Closed, session.SideA},
		{"Pings unanswered, but the other side was heard", func(s *scene) {
			meet(s)
			for _, id := range []uint16{2, 3, 4, 5} {
				s.send(0, ping(id))
				s.Wait(1495)
			}
			s.send(1, none("still here"))
			s.send(0, bye)
		}, session.Closed, session.SideA},
		{"one side alone was captured", func(s *scene) {
			for id := range uint16(5) {
				s.send(0, ping(2+id))
				s.Wait(1495)
			}
			s.send(0, bye)
		}, session.Closed, session.SideA},
		{"the last Hello to nobody was not captured", func(s *scene) {
			s.tries(0, current.hello(0, ""), helloTimes[:5])
			s.Wait(2101)
			s.send(0, bye)
		}, session.TimedOut, session.NoSide},
		{"Pings answered late", func(s *scene) {
			meet(s)
			for id := range uint16(6) {
				s.send(0, ping(2+id))
				s.Wait(1495)
			}
			s.send(1, current.acks(7))
			s.send(0, bye)
		}, session.Closed, session.SideA},
	} {
		s := newScene(t, "", false)
		c.play(s)
		if got := s.One(); got.State != c.state || got.ClosedBy != c.by {
			t.Errorf("%s: %s by %q, want %s by %q (%s)", c.name, got.State, got.ClosedBy, c.state, c.by, s.types())
		}
	}
}
