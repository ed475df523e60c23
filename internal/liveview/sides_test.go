package liveview

import (
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/sampler"
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
}

// TestWhyIsShown: the table says what ended a connection, where that is more than its state says.
func TestWhyIsShown(t *testing.T) {
	l := newLook(false)
	if c := l.ending(&sampler.Row{State: session.TimedOut, Over: true, Why: "fell silent?"}); c.Text != "timed-out: fell silent?" {
		t.Errorf("%q", c.Text)
	}
}
