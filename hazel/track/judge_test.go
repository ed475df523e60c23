package track_test

import "testing"

// What one datagram breaks depends on what its sender may speak by then.
func TestHazelPage_HeaderData_Dialects(t *testing.T) {
	for _, c := range []struct {
		name    string
		client  release
		payload []byte
		want    string
	}{
		{"a reserved bit", spec, []byte{0x81, 0, 5, 1}, "HZ-HDR-RESERVED-HI error 3"},
		{"a reserved bit of another dialect", may30, []byte{0x81}, ""},
		{"a reserved bit today", current, []byte{0x11, 0, 3, 1}, "HZ-HDR-RESERVED-HI error 3"},
		{"a reserved bit and the one of 4", spec, []byte{0x15, 0, 3, 1}, "HZ-HDR-RESERVED-HI error 3"},
		{"the bit of 4", v01, []byte{0x04, 2, 'a'}, "HZ-HDR-RESERVED-4 error 3"},
		{"code 7", ack3, []byte{0x0f}, "HZ-HDR-CODE error 3"},
		{"a Ping on the page", spec, []byte{0x0c, 0, 2}, "HZ-HDR-CODE note 3"},
		{"a Ping that may be one of 2019", ack3, []byte{0x0c, 0, 2}, ""},
		{"a fragment that may be one of 2017", v01, []byte{0x0b, 0, 1, 0, 1, 0, 2}, ""},
		{"an MTU test before its time", spec, []byte{0x0d, 0, 2, 0, 5, 0}, "HZ-HDR-CODE error 3"},
		{"an MTU test of what may be the fork", of2020, []byte{0x0d, 0, 2, 5, 0}, ""},
		{"both flags on the page", spec, []byte{0x03, 0, 2, 'x'}, ""},
		{"both flags today", current, []byte{0x03, 0, 1, 'x'}, "HZ-HDR-FRAGREL note 3"},
		{"half an ID", v01, []byte{0x01, 0}, "HZ-HDR-RELID error 3"},
		{"half an ID in 2016-05", may30, []byte{0x10, 0}, "HZ-HDR-RELID error 3"},
		{"an acknowledgement of 5 bytes", spec, []byte{0x0a, 0, 1, 0xff, 0xff}, "HZ-HDR-ACKLEN error 3"},
		{"an acknowledgement of 2 bytes", may14, []byte{0xff, 0}, "HZ-HDR-ACKLEN error 3"},
		{"a Hello without version on the page", spec, []byte{0x08, 0, 2}, ""},
		{"nothing", spec, nil, "HZ-HDR-EMPTY error 3"},
	} {
		s := newScene(t, "", false)
		s.meet(c.client, c.client)
		s.Raw(0, c.payload)
		if got := s.fails(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A copy that the network made is judged once, whatever it breaks.
func TestHazelPage_HeaderData_Copies(t *testing.T) {
	s := newScene(t, "", false)
	s.meet(spec, spec)
	s.Raw(0, []byte{0x81, 0, 5})
	s.Again()
	s.Raw(0, []byte{0x81, 0, 5}) // sent again
	if got, want := s.fails(), "HZ-HDR-RESERVED-HI error 3, HZ-HDR-RESERVED-HI error 5"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What the capture cut is not malformed.
func TestHazelPage_HeaderData_Cut(t *testing.T) {
	s := newScene(t, "", false)
	s.meet(spec, spec)
	for keep := range 3 {
		s.cut(0, spec.reliable(2, "data"), keep)
		s.cut(1, spec.acks(2), keep)
	}
	if got := s.fails(); got != "" {
		t.Error(got)
	}
}

// Numbers that come again with other bytes may be those of a client that begins
// again, and whose Hello was not captured.
func TestHazelPage_ReliableDelivery_OtherBytes(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string
	}{
		{"once", func(s *scene) { s.send(0, spec.reliable(5, "other data")) }, "HZ-REL-RESEND-SAME error 45"},
		{"once, the capture cut it", func(s *scene) { s.cut(0, spec.reliable(5, "other data"), 6) }, ""},
		{"in a row", func(s *scene) {
			s.Wait(3000)
			for id := uint16(3); id < 40; id++ {
				s.send(0, spec.reliable(id, "of another life"))
				s.send(1, spec.acks(id))
			}
		}, ""},
		{"not acknowledged", func(s *scene) {
			s.send(0, spec.reliable(22, "x"))
			s.send(0, spec.reliable(22, "something else"))
		}, "HZ-REL-RESEND-SAME note 46, HZ-REL-ID-UNIQUE error 46"},
	} {
		s := newScene(t, "", false)
		s.meet(spec, spec)
		for id := uint16(2); id < 22; id++ {
			s.send(0, spec.reliable(id, "data"))
			s.send(1, spec.acks(id))
		}
		s.send(0, none("x"))
		s.send(1, none("x"))
		c.play(s)
		for id := uint16(22 + 18); id < 80; id++ {
			s.Wait(20)
			s.send(0, spec.reliable(id, "data"))
			s.send(1, spec.acks(id))
			s.send(1, none("x"))
		}
		if got := s.fails(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// An acknowledgement of what the capture may have missed is no finding.
func TestHazelPage_ReliableDelivery_Unknown(t *testing.T) {
	for _, c := range []struct {
		name  string
		acked uint16
		goes  uint16 // id with which the other side goes on
		want  string
	}{
		{"never sent", 500, 22, "HZ-REL-ACK-KNOWN error 43"},
		{"not sent yet", 60, 22, "HZ-REL-ACK-KNOWN error 43"},
		{"before the first", 65000, 22, "HZ-REL-ACK-KNOWN error 43"},
		{"a little ahead", 25, 22, ""},
		{"missed by the capture", 500, 501, ""},
		{"the one that junk is taken for", 0, 22, ""},
	} {
		s := newScene(t, "", false)
		s.meet(spec, spec)
		for id := uint16(2); id < 22; id++ {
			s.Wait(50)
			s.send(0, spec.reliable(id, "data"))
			s.send(1, spec.acks(id))
		}
		s.send(1, spec.acks(c.acked))
		for id := c.goes; id < c.goes+50; id++ {
			s.Wait(20)
			s.send(0, spec.reliable(id, "data"))
			s.send(1, spec.acks(id))
		}
		if got := s.fails(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
