package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/session/conform"
)

// TestKNet_SessionManagement_Confirm: a client that says something after the ConnectSynAck
// confirms it; of one that does not, nobody knows whether it received that.
func TestKNet_SessionManagement_Confirm(t *testing.T) {
	for _, c := range []struct {
		lines []line
		pass  uint64
	}{{vecOpened, 1}, {vecOpened[:2], 0}} {
		d := newDock(t, "spec")
		for _, x := range c.lines {
			d.see(t, x.from, x.payload)
		}
		d.Wait(12_000)
		d.see(t, 1, "05 00 00 04 00 FC FF FF FF")
		if got := d.finds(); len(got) != 0 && got[0] == "KN-SM-CONFIRM" {
			t.Error(got)
		}
		if x := d.tally("KN-SM-CONFIRM"); x.Pass != c.pass || x.Blocked[conform.GuardKnew] != 1-c.pass {
			t.Errorf("%d datagrams: %+v", len(c.lines), x)
		}
	}
}
