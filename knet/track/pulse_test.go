package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/knet"
)

// Who watches live has the time of a ping at its reply, not when it is forgotten.
func TestKNet_RoundTripTimeEstimation_Live(t *testing.T) {
	for _, dialect := range []string{"reference", "spec"} {
		s := newScene(t, dialect)
		ids := knet.IDsFromOne
		if s.dialect == knet.Spec {
			ids = knet.IDsFromZero
			s.handshake()
		} else {
			s.meet()
		}
		s.send(0, knet.Ping(knet.PingRequest, ids, 9))
		s.Wait(30)
		s.send(1, knet.Ping(knet.PingReply, ids, 9))
		at := s.Last().Time
		if p := s.Table.Conns()[0].Pulse(0); p.Samples == 0 || p.Ping <= 0 || p.Ping > 36e6 || p.PingAt != at {
			t.Errorf("%s: %+v, the reply was at %d", dialect, p, at)
		}
	}
}

// An unreliable datagram is never in flight: no acknowledgement of it is due.
func TestKNet_ReliableDatagrams_InFlight(t *testing.T) {
	for _, reliable := range []bool{false, true} {
		s := newScene(t, "reference")
		s.meet()
		s.send(0, s.told(0, "first"))
		s.send(1, s.acks(s.next[0]-1))
		before := s.Table.Conns()[0].Pulse(0)
		m := said("x")
		if reliable {
			m = s.told(0, "x")
		}
		s.send(0, m)
		after := s.Table.Conns()[0].Pulse(0)
		if got := after.InFlight.Numbers - before.InFlight.Numbers; !after.HasInFlight || after.Numbers != before.Numbers+1 || (got == 1) != reliable {
			t.Errorf("reliable %v: %+v, then %+v", reliable, before, after)
		}
	}
}
