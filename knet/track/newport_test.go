package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A client that goes on from a new port acknowledges what the server sent to the old one,
// while the server takes it for another client and counts from 1 again.
func TestReference_ClientGoesOnFromANewPort(t *testing.T) {
	d := newDock(t, "reference")
	s := &scene{Scene: d.Scene, next: [2]uint32{93, 1}, dialect: knet.Reference}
	s.Raw(0, s.reliably(0, s.told(0, "I was here")))
	s.send(1, knet.Ping(knet.PingRequest, knet.IDsFromOne, 1), knet.Ping(knet.PingRequest, knet.IDsFromOne, 2))
	s.send(0, s.acks(92))
	for range 80 {
		s.Wait(40)
		s.Raw(1, s.reliably(1, s.told(1, "news")))
		s.send(0, s.acks(s.next[1]-1))
	}
	s.End()
	for _, f := range s.Accusations() {
		t.Errorf("%s: %s", f.Rule.ID, f.Message)
	}
	if d.tally("KN-RD-ACK-KNOWN").Blocked[conform.GuardLife] == 0 {
		t.Error("KN-RD-ACK-KNOWN is not left open")
	}
}
