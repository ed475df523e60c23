package track_test

import "testing"

// What the path delayed was sent before its side's Disconnect: IPv4 identifications tell, and
// where they do not, only a very long time does.
func TestHazel_Disconnect_Delayed(t *testing.T) {
	for _, c := range []struct {
		name   string
		noIPID bool
		back   uint16 // by how much the last datagram's identification is after the next one
		late   int64
		want   string
	}{
		{"sent behind it", false, 0, 900, "HZ-SES-DISC-LAST warn 84"},
		{"sent before it, and delayed", false, 3, 900, ""},
		{"not known", true, 0, 900, ""},
		{"not known, after long", true, 0, 9000, "HZ-SES-DISC-LAST warn 84"},
	} {
		s := newScene(t, "", false)
		s.NoIPID = c.noIPID
		s.meet(current, current)
		for id := range uint16(20) {
			s.send(1, current.reliable(id, "x"))
			s.send(0, current.acks(id))
			s.send(0, current.reliable(1+id, "y"))
			s.send(1, current.acks(1+id))
		}
		s.send(1, current.bye(""))
		s.Wait(c.late)
		s.IPID -= c.back
		s.send(1, current.reliable(20, "late"))
		s.IPID += c.back
		s.Wait(5000)
		if got := s.fails(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
