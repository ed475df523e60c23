package track

import (
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session"
)

// TestStraysAreBounded: acknowledgements of what was not captured wait for their proof. Of more
// than there is room for the oldest is watched no longer, and ends without a verdict.
func TestStraysAreBounded(t *testing.T) {
	p := New(nil)
	s := sessiontest.New(t, sessiontest.Hosts("10.0.0.1:50000", "10.0.0.2:22023"),
		session.Config{Protocols: []*session.Protocol{p}, Force: sessiontest.Force(p, "")})
	ack := func(id byte) { s.Raw(1, []byte{0x0a, 0, id, 0xff}) }
	s.Raw(0, []byte{0x08, 0, 0, 0}) // Hello
	ack(0)
	s.Raw(0, []byte{0x01, 0, 1, 'x'}) // Reliable
	ack(1)
	peer := &s.Sessions[0].(*pair).active.side[0]
	var first *Stray
	for n := range maxStrays + 1 {
		ack(byte(20 + 10*n))
		if n == 0 && len(peer.strays) == 1 {
			first = peer.strays[0]
		}
		if first == nil || first.unwatched != (n == maxStrays) || len(peer.strays) > maxStrays {
			t.Fatalf("%d acknowledgements: %d are watched, the first one %v", n+1, len(peer.strays), first)
		}
	}
}
