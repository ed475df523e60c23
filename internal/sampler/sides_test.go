package sampler

import (
	"net/netip"
	"path/filepath"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/session"
)

// TestWho: sides without role and player are told apart by as little as that takes.
func TestWho(t *testing.T) {
	r := &Row{End: [2]dissect.Endpoint{
		dissect.MakeEndpoint(netip.MustParseAddrPort("192.168.0.13:50003")), dissect.MakeEndpoint(netip.MustParseAddrPort("10.0.0.1:2302")),
	}}
	if who := r.Who(0) + " " + r.Who(1); who != ":50003 :2302" {
		t.Errorf("by ports: %s", who)
	}
	r.End[1].Port = r.End[0].Port
	if who := r.Who(0) + " " + r.Who(1); who != "192.168.0.13 10.0.0.1" {
		t.Errorf("by addresses: %s", who)
	}
}

// TestPlayers: DirectPlay 4's connections have them.
func TestPlayers(t *testing.T) {
	src, err := capture.Open([]string{filepath.Join("../../testdata/pcaps/dp4/peer-vanishes.pcap")}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	run := pipeline.Run{Source: src, Workers: 1, Config: session.Config{Protocols: protocols.All(protocols.Options{})}}
	if err := run.Do(); err != nil {
		t.Fatal(err)
	}
	var s Sampler
	conns := run.Conns()
	snap := s.Snapshot(Status{Now: conns[0].LastStamp}, conns)
	if got := snap.Rows[0].Player; got != [2]string{"player 1", "player 2"} {
		t.Errorf("players %q", got)
	}
}
