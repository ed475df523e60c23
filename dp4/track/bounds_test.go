package track

import (
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session"
)

// TestClaimsAreBounded: acknowledgements of what was not sent yet wait for their proof. Of more
// than there is room for the oldest ends without a verdict.
func TestClaimsAreBounded(t *testing.T) {
	p := New()
	p.NewProbe = func() session.Probe { return certain{} }
	s := &scene{sessiontest.New(t, hosts, session.Config{Protocols: []*session.Protocol{p}, Force: sessiontest.Force(p, "")})}
	s.send(0, data(1, 1, 0, "x"))
	s.send(1, data(1, 1, 0, "y"))
	open := func() (n uint64) {
		for _, x := range s.Table.Tallies(p) {
			n += x.Inconclusive
		}
		return n
	}
	before := open()
	for n := range uint8(maxClaims + 2) {
		s.send(1, ack(3+n, 3+n, 0))
		if got, want := open()-before, max(int(n)+1-maxClaims, 0); got != uint64(want) {
			t.Errorf("%d claims: %d ended without a verdict, want %d", n+1, got, want)
		}
	}
}
