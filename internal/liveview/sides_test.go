package liveview

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/session"
)

// TestSidesHaveNames: on 80 columns a row says how a connection ended and who ended it,
// and sides have the names that people know: roles, players, else addresses.
func TestSidesHaveNames(t *testing.T) {
	s := demo(4, 60)
	ended := func(i int, state session.State, by session.Side) {
		s.Rows[i].State, s.Rows[i].ClosedBy, s.Rows[i].Over = state, by, true
	}
	ended(0, session.Closed, session.SideA)
	ended(1, session.Reset, session.SideB)
	ended(2, session.Closed, session.BothSides)
	ended(3, session.TimedOut, session.NoSide)
	s.Rows[3].Player = [2]string{"player 7", "player 12"}
	m := newModel(Options{})
	m.Update(snapshotMsg{s})
	wants := func(text string, words ...string) {
		t.Helper()
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("no %q in:\n%s", w, text)
			}
		}
	}
	wants(bare(m.draw()), "State", "closed by connector", "reset by server", "closed by both", "timed-out", " 7@192.168.0.13:50003 ")
	wants(string(AppendRecord(nil, s, TextOptions{})), "closed by connector", "server 10.0.0.1:2302", "player 12 10.0.0.1:2302")

	r := &s.Rows[3]
	r.Player = [2]string{}
	if who := r.who(0) + " " + r.who(1); who != ":50003 :2302" {
		t.Errorf("sides without role and player are %s", who)
	}
	r.End[1].Port = r.End[0].Port
	if who := r.who(0) + " " + r.who(1); who != "192.168.0.13 10.0.0.1" {
		t.Errorf("sides with one port are %s", who)
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
