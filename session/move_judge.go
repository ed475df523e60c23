package session

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
)

// JudgeMoves tells of connections that go on from another address (FLD-REBIND): of those
// among conns that were closed, each once. One that carries another on may be open still.
// The tables that they are of must not be used meanwhile.
func JudgeMoves(conns []*Conn) { JudgeMovesUntil(conns, math.MaxInt64) }

// JudgeMovesUntil is JudgeMoves of those connections of whose end everything was seen by a time,
// in ns since 1970 (SeenFor).
func JudgeMovesUntil(conns []*Conn, now int64) {
	var all []*Conn
	for _, c := range conns {
		if !c.closed && !c.Complete {
			c.Trail = c.trail()
		}
		if c.Trail != nil {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *Conn) int { return cmp.Compare(a.FirstFrame, b.FirstFrame) })
	moves := Moves(all, nil)
	for _, c := range all {
		if !c.closed || c.Trail.told || c.LastTime > now-SeenFor || !(mover{c}).isToBeJudged() {
			continue
		}
		c.Trail.told = true
		if m := moves[c]; m != nil {
			m.To.Trail.table.rebound(m)
		} else {
			c.Trail.table.countRebind(c, conform.Tally{Pass: 1})
		}
	}
}

// Awaited reports whether a connection may turn out to carry on another one of those, on which
// JudgeMoves has not judged yet.
func Awaited(c *Conn, among []*Conn) bool {
	if c.Complete || c.Trail == nil {
		return false
	}
	for _, old := range among {
		if old.FirstFrame < c.FirstFrame && old.Protocol == c.Protocol && old.mayBecome(c) {
			return true
		}
	}
	return false
}

// mayBecome reports whether a side was silent when a connection with the same peer, or of the
// same session, began, and that was not judged.
func (c *Conn) mayBecome(n *Conn) bool {
	if c.closed && (c.Trail == nil || c.Trail.told || !(mover{c}).isToBeJudged()) {
		return false
	}
	same := c.HasSessionID && n.HasSessionID && c.SessionID == n.SessionID
	for x := range dissect.Dirs {
		for y := range dissect.Dirs {
			if (same || c.Endpoint(x).IP == n.Endpoint(y).IP) && c.Endpoint(x.Other()) == n.Endpoint(y.Other()) && c.lastOf(x) < n.FirstFrame {
				return true
			}
		}
	}
	return false
}

// lastOf is the last frame of a side.
func (c *Conn) lastOf(x dissect.Dir) uint64 {
	if c.closed {
		return c.Trail.Sides[x].Last.Frame
	}
	return c.Rules.sight.frame[x]
}

// rebound reports that a side goes on in a connection of this table.
func (t *Table) rebound(m *Move) {
	old, fresh := &m.From.Trail.Sides[m.Side], &m.To.Trail.Sides[m.ToSide]
	c, r := m.To, &Quality[rFldRebind]
	first, was := m.NewAddress(), m.From.Endpoint(m.Side)
	f := Finding{Rule: r, Severity: r.Severity, Conn: c, Dir: Side(m.ToSide + 1), Frame: c.FirstFrame, Frames: []uint64{old.Last.Frame, c.FirstFrame},
		Time: t.clock.stamp(c.FirstFrame, c.FirstTime), HasTime: c.HasTime}
	f.Message = fmt.Sprintf("%s continues as %s: its numbers continue, from %d to %d", was.String(), first, old.High, fresh.Low)
	tally := conform.Tally{Fail: 1}
	switch {
	case m.Same:
		f.Message = fmt.Sprintf("%s continues as %s: it is the same session, %#08x", was.String(), first, c.SessionID)
	case !m.Sure:
		f.Guard = conform.GuardStart
		f.Message = fmt.Sprintf("%s continues as %s, or started again there: its numbers go from %d to %d", was.String(), first, old.High, fresh.Low)
		tally = conform.Tally{Inconclusive: 1}
		tally.Blocked[f.Guard] = 1
	}
	t.countRebind(c, tally)
	if f.Failed() {
		c.Findings[f.Severity]++
	} else if !t.cfg.Inconclusive {
		return
	}
	if t.cfg.Sink != nil {
		t.cfg.Sink.Finding(&f)
	}
}

// countRebind counts a verdict where those of a connection are counted.
func (t *Table) countRebind(c *Conn, n conform.Tally) {
	if c.Tallies == nil {
		t.quality.tally[rFldRebind].Add(&n)
		return
	}
	q := c.Tallies.Quality
	if i := slices.IndexFunc(q, func(x RuleCount) bool { return x.Rule == rFldRebind }); i >= 0 {
		q[i].Add(&n)
		return
	}
	c.Tallies.Quality = append(q, RuleCount{rFldRebind, n})
}
