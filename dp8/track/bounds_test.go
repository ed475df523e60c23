package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/rules"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// TestClaimsAreBounded: acknowledgements of what was not captured wait for their proof. Of more
// than there is room for the oldest ends without a verdict.
func TestClaimsAreBounded(t *testing.T) {
	p := rules.New(track.Options{})
	s := &scene{sessiontest.New(t, hosts, session.Config{Protocols: []*session.Protocol{p}, Force: sessiontest.Force(p, "")})}
	s.meet(7, dp8.Version16, dp8.Version16)
	s.send(0, keepAlive(0, 0, 7))
	s.send(1, keepAlive(0, 1, 7))
	for n := range uint8(track.MaxClaims + 2) {
		s.send(0, sack(0, 5+n, 0))
		open := uint64(0)
		for _, x := range s.Table.Tallies(p) {
			open += x.Blocked[conform.GuardClean]
		}
		if want := max(int(n)+1-track.MaxClaims, 0); open != uint64(want) {
			t.Errorf("%d claims: %d ended without a verdict, want %d", n+1, open, want)
		}
	}
}

// TestDoubtsAreBounded: signatures that are wrong wait until it shows whether the secret was
// still in force; of what there is no room for there is no verdict.
func TestDoubtsAreBounded(t *testing.T) {
	p := rules.New(track.Options{})
	s := &scene{sessiontest.New(t, hosts, session.Config{Protocols: []*session.Protocol{p}, Force: sessiontest.Force(p, "")})}
	s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16))
	s.send(1, signedAnswer(true, 7, connectorSecret, listenerSecret, dp8.SigningFast))
	s.send(0, signedAnswer(false, 7, connectorSecret, listenerSecret, dp8.SigningFast))
	f := data(0, 0, "x")
	f.DFrame.HasSignature, f.DFrame.Signature = true, connectorSecret
	s.send(0, f)
	s.Wait(60_000) // it may be another connection by now
	for n := range track.MaxDoubts + 2 {
		f = data(uint8(1+n), 0, "x")
		f.DFrame.HasSignature = true
		s.send(0, f)
	}
	open := uint64(0)
	for _, x := range s.Table.Tallies(p) {
		open += x.Blocked[conform.GuardLife]
	}
	if open != 2 {
		t.Errorf("%d ended without a verdict, want 2", open)
	}
}
