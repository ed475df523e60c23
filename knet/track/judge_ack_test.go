package track_test

import (
	"fmt"
	"slices"
	"testing"
)

// TestKNet_ReliableDatagrams_AckOfWhatIsNotSentYet: that a PacketAck ran ahead shows when the
// datagram itself is sent for the first time later, after another that was sent once. Either
// alone may have been sent before, and missed.
func TestKNet_ReliableDatagrams_AckOfWhatIsNotSentYet(t *testing.T) {
	ahead := line{1, "02 00 00 08 00 03 04 00 00 00 00 00 00"} // of PacketID 4
	once := func(id int) line { return line{0, fmt.Sprintf("%02x 00 00 03 00 14 61 62", id)} }
	again := func(id int) line { return line{0, fmt.Sprintf("%02x 00 40 03 00 14 61 62", id)} }
	for _, c := range []struct {
		name  string
		later []line
		want  []string
	}{
		{"the datagrams before it and itself come later", []line{once(3), once(4)}, []string{"KN-RD-ACK-KNOWN"}},
		{"the one before it may have been sent again", []line{again(3), once(4)}, nil},
		{"the one before it was missed", []line{once(4)}, nil},
		{"only the one before it comes", []line{once(3)}, nil},
	} {
		d := newDock(t, "spec")
		for _, x := range slices.Concat(vecOpened, []line{once(2), ahead}) {
			d.see(t, x.from, x.payload)
		}
		d.Wait(100)
		for i := range 10 { // and both go on
			c.later = append(c.later, once(5+i), line{1, fmt.Sprintf("%02x 00 00 03 00 14 61 62", 3+i)})
		}
		for _, x := range c.later {
			d.see(t, x.from, x.payload)
		}
		if got := d.finds(); !slices.Equal(got, c.want) {
			t.Errorf("%s: found %v, want %v", c.name, got, c.want)
		}
	}
}
