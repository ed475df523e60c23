package track_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/knet/track"
)

// A PingReply tells the time since its request and acknowledges nothing: the
// datagram of the request, sent again, is no unneeded retry.
func TestKNet_RoundTripTimeEstimation_PingReply(t *testing.T) {
	for _, dialect := range []string{"reference", "spec"} {
		s := newScene(t, dialect)
		ids := knet.IDsFromOne
		if s.dialect == knet.Spec {
			ids = knet.IDsFromZero
			s.handshake()
		} else {
			s.meet()
		}
		before := len(s.Sent)
		asked := []knet.Message{knet.Ping(knet.PingRequest, ids, 9)}
		if s.dialect == knet.Spec {
			s.Raw(0, s.reliably(0, asked...))
		} else {
			s.send(0, asked...)
		}
		s.Wait(30)
		s.send(1, knet.Ping(knet.PingReply, ids, 9))
		s.send(1, knet.Ping(knet.PingReply, ids, 9)) // answered already
		c := s.One()
		reply := s.Frames[before+1]
		if want := fmt.Sprintf("PingReply(9), 35.0 ms after frame %d", before+1); !strings.HasSuffix(string(reply.Summary), want) {
			t.Errorf("%s: %s, want %s", dialect, reply.Summary, want)
		}
		if strings.Contains(string(s.Frames[before+2].Summary), "after") || reply.Acks != nil || s.AckedBy[uint64(before+1)] != 0 {
			t.Errorf("%s: %s, acks %v", dialect, s.Frames[before+2].Summary, reply.Acks)
		}
		if own := c.Dir[0].Trips().PingRTT(); own.Samples == 0 || c.Dir[0].RTT().Samples > 1 {
			t.Errorf("%s: %d pings, %d acknowledged", dialect, own.Samples, c.Dir[0].RTT().Samples)
		}
	}
}

// A request that was captured twice tells no round trip, before or after the reply.
func TestKNet_RoundTripTimeEstimation_RequestAgain(t *testing.T) {
	for _, late := range []bool{false, true} {
		s := newScene(t, "spec")
		s.handshake()
		s.send(1, s.acks(2)) // the map of ids
		s.send(0, knet.Ping(knet.PingRequest, knet.IDsFromZero, 1))
		s.send(1, knet.Ping(knet.PingReply, knet.IDsFromZero, 1))
		b := s.reliably(0, knet.Ping(knet.PingRequest, knet.IDsFromZero, 2))
		s.Raw(0, b)
		if late {
			s.send(1, knet.Ping(knet.PingReply, knet.IDsFromZero, 2))
		}
		s.Wait(2000)
		s.Raw(0, b)
		if !late {
			s.send(1, knet.Ping(knet.PingReply, knet.IDsFromZero, 2))
		}
		c := s.One()
		if n := c.Dir[0].Trips().PingRTT().Samples; n != 1 || c.Dir[0].Retries != 1 || c.Dir[0].UnneededRetries != 0 {
			t.Errorf("late %v: %d samples, %d retries, %d unneeded", late, n, c.Dir[0].Retries, c.Dir[0].UnneededRetries)
		}
	}
}

// Who acknowledges unreliable datagrams, too, has them linked.
func TestKNet_ReliableDatagrams_UnreliableAcknowledged(t *testing.T) {
	s := newScene(t, "reference")
	s.meet()
	s.send(0, said("x"))
	s.send(1, s.acks(s.next[0]-1))
	if c := s.One(); s.AckedBy[6] != 7 || !s.Frames[5].Awaits || c.Dir[0].RTT().Samples != 1 {
		t.Errorf("%v, awaits %v", s.AckedBy, s.Frames[5].Awaits)
	}
	s = newScene(t, "reference")
	s.meet()
	for range track.EnoughAcks {
		s.send(0, s.told(0, "x"))
		s.send(1, s.acks(s.next[0]-1))
	}
	s.send(0, said("y"))
	if s.Last().Awaits {
		t.Error("awaits an acknowledgement that never comes")
	}
}
