package session

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dpdissect/dpdissect/session/conform"
)

// JudgeMoves tells of connections that go on from another address (FLD-REBIND): of those
// among conns that were closed, each once. One that carries another on may be open still.
// The tables that they are of must not be used meanwhile.
func JudgeMoves(conns []*Conn) {
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
		if x := (mover{c}); !c.closed || c.Trail.told || !x.mayMove() || x.endedInOrder(0, c.Trail) && x.endedInOrder(1, c.Trail) {
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
