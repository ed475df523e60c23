package session

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// moving are a connection whose side a falls silent at number 39, and one from another port
// of its machine that begins at number 40; change makes them what a test needs.
func moving(change func(old, fresh *Conn)) (conns []*Conn, t *Table) {
	t = NewTable(Config{Inconclusive: true})
	c := newCourt(0).c
	old := &Conn{Protocol: c.Protocol, A: c.A, B: c.B, FirstFrame: 1, Complete: true, State: Established, closed: true, Trail: &Trail{table: t}}
	old.Trail.Sides[0] = SideTrail{seq.Sign{N: 40, Frame: 90, Time: 9e9}, 0, 39, 40}
	old.Trail.Sides[1] = SideTrail{seq.Sign{N: 60, Frame: 120, Time: 20e9}, 0, 59, 60}
	fresh := &Conn{Protocol: c.Protocol, A: c.A, B: c.B, FirstFrame: 95, FirstTime: 10e9, State: Established, closed: true, Trail: &Trail{table: t}}
	fresh.A.Port++
	fresh.Trail.Sides[0] = SideTrail{seq.Sign{N: 9, Frame: 130, Time: 21e9}, 40, 48, 9}
	change(old, fresh)
	return []*Conn{old, fresh}, t
}

// TestMove: what makes a connection go on from another address, and what does not.
func TestMove(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(old, fresh *Conn)
		want   conform.Tally
	}{
		{"numbers continue", func(old, fresh *Conn) {}, conform.Tally{Fail: 1}},
		{"some are missing", func(old, fresh *Conn) { fresh.Trail.Sides[0].Low = 39 + moveReach }, conform.Tally{Fail: 1}},
		{"too many are", func(old, fresh *Conn) { fresh.Trail.Sides[0].Low = 40 + moveReach }, conform.Tally{Pass: 1}},
		{"its start was captured", func(old, fresh *Conn) { fresh.Complete = true }, conform.Tally{Pass: 1}},
		{"to another peer", func(old, fresh *Conn) { fresh.B.Port++ }, conform.Tally{Pass: 1}},
		{"on the same address", func(old, fresh *Conn) { fresh.A = old.A }, conform.Tally{Pass: 1}},
		{"the old address speaks on", func(old, fresh *Conn) { old.Trail.Sides[0].Last.Frame = 96 }, conform.Tally{Pass: 1}},
		{"it had closed", func(old, fresh *Conn) { old.Closing[0] = seq.SignAt(91, 9e9) }, conform.Tally{}},
		{"both had closed", func(old, fresh *Conn) {
			old.State, old.Closing = Closed, [2]seq.Sign{seq.SignAt(90, 9e9), seq.SignAt(91, 9e9)}
		}, conform.Tally{}},
		{"its peer closed in order", func(old, fresh *Conn) { old.Closing[1] = seq.SignAt(91, 9.1e9) }, conform.Tally{}},
		{"its peer gave up", func(old, fresh *Conn) { old.Closing[1] = seq.SignAt(120, 20e9) }, conform.Tally{Fail: 1}},
		{"it may have begun anew", func(old, fresh *Conn) { fresh.Trail.Sides[0].Low = fewAnew - 1 }, conform.Tally{Inconclusive: 1}},
		{"the same session", func(old, fresh *Conn) {
			old.HasSessionID, fresh.HasSessionID, old.SessionID, fresh.SessionID = true, true, 7, 7
			fresh.Trail.Sides[0].Low = 200
		}, conform.Tally{Fail: 1}},
		{"another session", func(old, fresh *Conn) {
			old.HasSessionID, fresh.HasSessionID, old.SessionID, fresh.SessionID = true, true, 7, 8
		}, conform.Tally{Pass: 1}},
	} {
		conns, table := moving(tt.change)
		JudgeMoves(conns)
		JudgeMoves(conns) // nothing is judged twice
		got := table.QualityTallies()[rFldRebind]
		if got.Pass != tt.want.Pass || got.Fail != tt.want.Fail || got.Inconclusive != tt.want.Inconclusive || conns[1].Findings[conform.Note] != tt.want.Fail {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// TestMoveCounted: with tallies of their own, connections keep the verdict.
func TestMoveCounted(t *testing.T) {
	conns, table := moving(func(old, fresh *Conn) { old.Tallies, fresh.Tallies = &Tallies{}, &Tallies{} })
	JudgeMoves(conns)
	if n := table.QualityTallies()[rFldRebind]; n.Opportunities() > 0 {
		t.Errorf("the table counts %+v", n)
	}
	if q := conns[1].Tallies.Quality; len(q) != 1 || q[0].Rule != rFldRebind || q[0].Fail != 1 {
		t.Errorf("%+v", q)
	}
}

// TestMoveWhileOpen: a connection that is followed still carries one on that was closed.
func TestMoveWhileOpen(t *testing.T) {
	conns, table := moving(func(*Conn, *Conn) {})
	c := newCourt(0).c
	c.Protocol, c.A, c.B, c.FirstFrame, c.Complete = conns[0].Protocol, conns[1].A, conns[1].B, 95, false
	c.flow.table = table
	for n := range seq.Num(5) {
		c.Dir[0].Send(&seq.Sending{Num: 40 + n, Mark: seq.MarkFirst, Hash: uint64(n), Frame: 95 + uint64(n), Time: 10e9, HasTime: true})
	}
	JudgeMoves([]*Conn{conns[0], c})
	if got := table.QualityTallies()[rFldRebind]; got.Fail != 1 {
		t.Errorf("%+v", got)
	}
}

// A connection that both sides ended in order, and whose start was captured, neither goes on
// elsewhere nor carries another: nothing is kept of it for that.
func TestNoTrailOfWhatEndedInOrder(t *testing.T) {
	for _, x := range []struct {
		name     string
		complete bool
		closing  [2]int64 // time of each side's closing frame, 0 for none
		want     bool
	}{
		{"both closed", true, [2]int64{9e9, 9e9}, false},
		{"one closed, the other was there", true, [2]int64{9e9, 0}, false},
		{"one gave up, the other was silent", true, [2]int64{0, 9e9 + moveGiveUp}, true},
		{"nobody closed", true, [2]int64{}, true},
		{"the start is not captured", false, [2]int64{9e9, 9e9}, true},
	} {
		s := newStory(Config{Protocols: []*Protocol{yes()}})
		s.lockPair(1)
		s.answer(1, "yes")
		c := s.tab.Conns()[0]
		c.Complete = x.complete
		for side, at := range x.closing {
			if at != 0 {
				c.Closing[side] = seq.Sign{N: 1, Frame: uint64(10 + side), Time: at}
			}
		}
		for side := range dissect.Dirs {
			c.Rules.sight.last[side] = 9e9
		}
		if got := c.trail() != nil; got != x.want {
			t.Errorf("%s: has a trail %v, want %v", x.name, got, x.want)
		}
	}
}

// TestMovesUntil: where a side goes on tells of a connection what began until ten minutes after its
// end; it is judged then, and what may carry it on is waited with until it is.
func TestMovesUntil(t *testing.T) {
	conns, table := moving(func(old, fresh *Conn) { old.LastTime, fresh.FirstTime = 9e9, 9e9+SeenFor })
	if JudgeMovesUntil(conns, 9e9+SeenFor-1); table.QualityTallies()[rFldRebind].Opportunities() != 0 || !Awaited(conns[1], conns) {
		t.Errorf("judged before, or not waited for: %v", Awaited(conns[1], conns))
	}
	if JudgeMovesUntil(conns, 9e9+SeenFor); table.QualityTallies()[rFldRebind].Fail != 1 || Awaited(conns[1], conns) {
		t.Errorf("not judged, or still waited for: %v", Awaited(conns[1], conns))
	}
	conns, table = moving(func(old, fresh *Conn) { old.LastTime, fresh.FirstTime = 9e9, 9e9+SeenFor+1 })
	if JudgeMoves(conns); table.QualityTallies()[rFldRebind].Pass != 1 {
		t.Errorf("what began later counts: %+v", table.QualityTallies()[rFldRebind])
	}
	conns, _ = moving(func(old, fresh *Conn) { fresh.Complete = true })
	if Awaited(conns[1], conns) {
		t.Error("one whose start was captured waits")
	}
}
