package record

import (
	"bytes"
	"testing"
)

// TestAsideIsBounded: of packets that are kept aside, as IP fragments of a datagram that is not
// whole, the oldest go, by bytes and by number; what became of them is known to be nothing.
func TestAsideIsBounded(t *testing.T) {
	for _, c := range []struct{ n, size int }{{3 * mostNumbers, 10}, {20, mostAside / 10}} {
		var a asides
		for i := range uint64(c.n) {
			a.add(i, bytes.Repeat([]byte{byte(i)}, c.size))
			if len(a.list) > mostNumbers || a.bytes > mostAside {
				t.Fatalf("%d numbers with %d bytes are kept", len(a.list), a.bytes)
			}
		}
		last, kept := uint64(c.n-1), min(mostNumbers, mostAside/c.size)
		if a.packets(0) != 0 || a.take(0) != nil || a.packets(last) != 1 || len(a.list) != kept {
			t.Errorf("%d numbers are kept, want the latest %d", len(a.list), kept)
		}
		if got := a.take(last); len(got) != c.size || a.bytes != (kept-1)*c.size {
			t.Errorf("%d bytes of the latest, %d are left", len(got), a.bytes)
		}
	}
}
