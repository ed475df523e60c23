package track

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session"
)

// Resend times of releases, in ms from the first sending (Hazel Reliable.cs).
var (
	helloTimes = []int64{0, 299, 899, 1900, 2899, 3902, 4904} // today, to nowhere
	warmTimes  = []int64{0, 52, 152, 456, 1363, 2365, 3367, 4369}
	oldTimes   = []int64{0, 20, 61, 141}                       // v0.1.2 at a round trip of 10 ms
	pageTimes  = []int64{0, 300, 900, 2100, 4500, 9300, 18900} // the page: the interval doubles, and how often is open
)

// tries plays the sendings of a datagram.
func (s *scene) tries(from int, f hazel.Frame, times []int64) {
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
