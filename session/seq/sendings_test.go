package seq

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// A share of retries is of what is sent again: it never exceeds 1, whether datagrams carry
// several such units or keepalives are sent again, too.
func TestSendingsHoldTheRetries(t *testing.T) {
	l := newLane()
	for unit := range Num(3) { // one datagram
		var c Carrier
		c.Of(&l.d, 0, &dissect.Frame{Datagram: &dissect.Datagram{Frame: 1}})
		c.SendUnit(unit, 0)
	}
	for unit := range Num(3) {
		var c Carrier
		c.Of(&l.d, 1, &dissect.Frame{Datagram: &dissect.Datagram{Frame: 2}})
		c.SendUnit(unit, 0)
	}
	l.d.DataFrames = 2
	if l.d.Retries != 3 || l.d.Transmissions() != 6 {
		t.Errorf("%d retries of %d sendings, want 3 of 6", l.d.Retries, l.d.Transmissions())
	}
	l = newLane()
	l.send(1, 0, Unmarked, 1, 1)
	l.send(500, 0, Unmarked, 1, 2) // a ping
	l.d.Close()
	l.d.Free()
	if l.d.Retries != 1 || l.d.Transmissions() != 2 {
		t.Errorf("%d retries of %d sendings, want 1 of 2", l.d.Retries, l.d.Transmissions())
	}
}
