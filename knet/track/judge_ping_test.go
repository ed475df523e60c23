package track_test

import (
	"fmt"
	"slices"
	"testing"
)

// TestKNet_RoundTripTimeEstimation_ReplyToNone: a datagram with a PingReply that nothing asked
// for is told, and leads to no other finding: it is not taken for what it says, so that
// its PacketID may be acknowledged like any other.
func TestKNet_RoundTripTimeEstimation_ReplyToNone(t *testing.T) {
	for _, c := range []struct {
		name string
		id   byte
		want []string
	}{
		{"a reply to a request", 7, []string{"KN-RD-ACK-UNREL"}},
		{"a reply to none", 8, []string{"KN-RT-PONG-MATCH"}},
	} {
		lines := opened(line{1, "02 00 00 02 00 00 07"}, line{0, fmt.Sprintf("02 00 00 02 00 01 %02x", c.id)}, line{1, "03 00 00 08 00 03 02 00 00 00 00 00 00"})
		for i := range 40 {
			lines = append(lines, line{0, fmt.Sprintf("%02x 00 00 03 00 14 61 62", 3+i)}, line{1, fmt.Sprintf("%02x 00 00 03 00 14 61 62", 4+i)})
		}
		d := newDock(t, "spec")
		for _, x := range lines {
			d.see(t, x.from, x.payload)
		}
		if got := d.finds(); !slices.Equal(got, c.want) {
			t.Errorf("%s: found %v, want %v", c.name, got, c.want)
		}
	}
}
