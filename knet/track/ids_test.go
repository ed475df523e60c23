package track_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/knet"
)

// A message of the application with id 4 and 7 bytes looks like a PacketAck of the later
// map of ids: it does not turn the map over, be it the first message of all, or one whose
// first bytes are a PacketID that the other side has sent.
func TestKNet_ReservedMessages_SevenBytesUnderFour(t *testing.T) {
	for _, dialect := range []string{"spec", ""} {
		for _, body := range []string{"welcome", "\x00\x00\x00\x00\x00\x00\x00", "\x40\x00\x00\x00\x00\x00\x00"} {
			s := newScene(t, dialect)
			s.dialect = knet.Spec
			s.handshake()
			for i := range 20 {
				s.Raw(0, s.reliably(0, knet.Message{ID: knet.Num(4), Body: []byte(body)}))
				s.send(1, s.acks(s.next[0]-1))
				s.Raw(1, s.reliably(1, said("data")))
				s.send(0, s.acks(s.next[1]-1))
				if i%5 == 4 {
					s.send(0, knet.Ping(knet.PingRequest, knet.IDsFromZero, uint8(i/5)))
					s.send(1, knet.Ping(knet.PingReply, knet.IDsFromZero, uint8(i/5)))
				}
			}
			c := s.One()
			for _, f := range s.Accusations() {
				t.Errorf("%q, %q: %s frame %d: %s", dialect, body, f.Rule.ID, f.Frame, f.Message)
			}
			if d := &c.Dir[0]; d.Messages != 20 || d.KeepAlives != 4 || d.RTT().Samples < 20 {
				t.Errorf("%q, %q: %d messages, %d pings, %d round trips", dialect, body, d.Messages, d.KeepAlives, d.RTT().Samples)
			}
		}
	}
}

// PacketAcks with id 4 are told from messages of the application as soon as they name what
// was just sent.
func TestKNet_ReservedMessages_AcksUnderFour(t *testing.T) {
	s := newScene(t, "spec")
	s.handshake()
	for range 8 {
		s.Raw(0, s.reliably(0, said("data")))
		s.send(1, knet.Acknowledge(knet.Spec, knet.IDsFromOne, knet.Ack{PacketID: s.next[0] - 1}))
	}
	s.send(1, knet.Ping(knet.PingRequest, knet.IDsFromOne, 1))
	s.send(0, knet.Ping(knet.PingReply, knet.IDsFromOne, 1))
	c := s.One()
	if c.Dir[0].RTT().Samples != 8 || c.Dir[1].Messages != 0 || c.Dir[1].KeepAlives != 1 {
		t.Errorf("%d round trips, %d messages, %d pings", c.Dir[0].RTT().Samples, c.Dir[1].Messages, c.Dir[1].KeepAlives)
	}
	if got := slices.Concat(s.Texts(1)); len(got) != 0 {
		t.Error(fmt.Sprint(got))
	}
}

// TestKNet_ReservedMessages_AckedTwiceVotesOnce: what looks like a PacketAck by one map tells that it is
// one by what it names, each datagram once (gate K17).
func TestKNet_ReservedMessages_AckedTwiceVotesOnce(t *testing.T) {
	s := newScene(t, "spec")
	s.handshake()
	s.Raw(1, s.reliably(1, said("data")))
	a := knet.Ack{PacketID: s.next[1] - 1}
	for range 10 {
		s.Raw(0, s.reliably(0, knet.Message{ID: knet.Num(4), Body: a.Append(nil, knet.Spec)}))
	}
	for range 3 {
		s.send(0, knet.Ping(knet.PingReply, knet.IDsFromZero, 1))
	}
	if d := &s.One().Dir[0]; d.KeepAlives != 0 {
		t.Error(counts(d))
	}
}
