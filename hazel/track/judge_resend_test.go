package track_test

import "testing"

// TestHazel_ReliableDelivery_ResentThoughKnown: four acknowledgements of one packet can't all have
// been lost where nothing else was. A user of a short capture is told of the fifth transmission; its
// own transmissions are no losses. Where another packet was sent again, too, he is not.
func TestHazel_ReliableDelivery_ResentThoughKnown(t *testing.T) {
	for _, c := range []struct {
		name  string
		other bool // another packet was sent again
		tries int  // of the one packet
		want  string
	}{
		{"a fifth sending", false, 5, "HZ-REL-NORESEND warn"},
		{"a fourth", false, 4, ""},
		{"a fifth where others are resent", true, 5, ""},
	} {
		s := newScene(t, "spec", false)
		s.meet(spec, spec)
		s.Now++ // a clock that counts ns
		s.send(1, spec.reliable(1, "z"))
		s.send(0, spec.acks(1)) // how soon the client answers
		id := uint16(2)
		say := func() {
			s.send(0, spec.reliable(id, "x"))
			s.send(1, spec.acks(id))
			id++
		}
		for range 10 {
			say()
		}
		if c.other {
			s.send(0, spec.reliable(id, "x"))
			s.Wait(350)
			say()
		}
		one := id
		id++
		for i := range c.tries {
			s.send(0, spec.reliable(one, "y"))
			if i < c.tries-1 {
				s.send(1, spec.acks(one))
				s.Wait(350)
				say()
			}
		}
		s.End()
		got := ""
		for _, f := range s.Accusations() {
			if f.Rule.ID == "HZ-REL-NORESEND" && f.Failed() {
				got += f.Rule.ID + " " + f.Severity.String()
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
