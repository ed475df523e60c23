package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/knet"
)

// A datagram with a malformed message has a PacketID all the same: it is neither missing
// nor, when it is acknowledged, one that the capture missed.
func TestKNet_Malformed_IsNotMissing(t *testing.T) {
	for _, dialect := range []string{"spec", "reference"} {
		s := newScene(t, dialect)
		say := func() { s.send(0, s.told(0, "data")) }
		if dialect == "spec" {
			s.handshake()
			say = func() { s.Raw(0, s.reliably(0, said("data"))) }
		} else {
			s.meet()
		}
		for i := range 20 {
			say()
			if i == 7 {
				d := knet.Datagram{Dialect: s.dialect, PacketID: s.next[0], Reliable: true, Messages: []knet.Message{said("data")}}
				s.next[0]++
				s.Raw(0, append(d.Append(nil), 200, 0, 20))
				s.send(1, s.acks(s.next[0]-1))
			}
			s.send(1, s.acks(s.next[0]-1))
		}
		c := s.One()
		if d := &c.Dir[0]; d.Missing() != 0 || d.Gaps != 0 || d.Lost().NotCaptured != 0 {
			t.Errorf("%s: %d missing, %d gaps, %d not captured", dialect, d.Missing(), d.Gaps, d.Lost().NotCaptured)
		}
		for _, f := range s.Accusations() {
			if f.Rule.ID != "KN-MB-LEN" {
				t.Errorf("%s: %s frame %d: %s", dialect, f.Rule.ID, f.Frame, f.Message)
			}
		}
	}
}

// A datagram that was set apart was captured: its acknowledgement is no proof that the
// capture missed it.
func TestKNet_SetApart_IsNotUncaptured(t *testing.T) {
	s := newScene(t, "spec")
	s.handshake()
	for i := range 90 {
		if i == 60 {
			s.next[0]++ // the PacketID that comes too early below
		}
		s.Raw(0, s.reliably(0, said("data")))
		s.send(1, s.acks(s.next[0]-1))
		if i == 10 {
			at := s.next[0]
			s.next[0] = at + 50 - 1
			s.Raw(0, s.reliably(0, said("early")))
			s.next[0] = at
		}
	}
	s.send(1, s.acks(s.next[0]-31))
	c := s.One()
	if d := &c.Dir[0]; d.Missing() != 0 || d.Lost().NotCaptured != 0 {
		t.Errorf("%d missing, %d not captured", d.Missing(), d.Lost().NotCaptured)
	}
}
