package track_test

import "testing"

// Equal bytes under an equal serial are a copy, whatever their IPv4 identification, when
// they come soon; else the packet was sent again without being counted, which is neither
// a copy nor a retry (guard DUP, MC-DPL4R 2.2.2).
func TestMC_DPL4R_2_2_2_SerialOrCopy(t *testing.T) {
	for _, c := range []struct {
		name       string
		late       int64 // ms
		serial     uint8
		words      string
		copies     uint64
		retryCount uint64
	}{
		{"by a relay, soon", 30, 0, "duplicate", 1, 0},
		{"sent again", 400, 0, "", 0, 0},
		{"a retry by a relay, soon", 30, 1, "duplicate", 1, 1},
		{"a retry sent again", 400, 1, "", 0, 1},
	} {
		s := scenes(t)
		for i := range uint8(4) {
			s.send(0, data(i+1, i+1, 0, "hello"))
			s.send(1, ack(i+1, i+1, 0))
		}
		s.send(0, data(5, 5, 0, "once more"))
		f := data(5, 5, c.serial, "once more")
		if c.serial > 0 {
			s.Wait(200)
			s.send(0, f)
		}
		s.Wait(c.late - 5)
		s.send(0, f)
		if s.Words() != c.words {
			t.Errorf("%s: %q, want %q", c.name, s.Words(), c.words)
		}
		if d := s.One().Dir[0]; d.Duplicates != c.copies || d.Retries != c.retryCount || d.Messages != 5 {
			t.Errorf("%s: %d duplicates, %d retries, %d messages", c.name, d.Duplicates, d.Retries, d.Messages)
		}
	}
}
