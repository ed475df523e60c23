package liveview

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/sampler"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// A column of the table on a terminal.
type column struct {
	head string
	help string // one line
	left bool   // aligned to the left
	end  bool   // an address, of which both ends matter
	rank int    // those of high rank leave first when room is short, those of rank 0 stay
	room int    // least width, so that the table keeps still
	most bool   // the largest come first
	cell func(l *look, r *sampler.Row) terminal.Cell
	// What rows are ordered by: a number, of which unknown ones come last, or else.
	key   func(r *sampler.Row) sampler.Value
	order func(a, b *sampler.Row) int
}

var columns = []column{
	{head: "#", help: "number of the connection, as in the analysis", rank: 4, room: 2,
		cell: func(l *look, r *sampler.Row) terminal.Cell { return number(l, r) },
		key:  func(r *sampler.Row) sampler.Value { return sampler.When(r.ID >= 0, float64(r.ID)) }},
	{head: "Protocol", help: "protocol, and its dialect or version", left: true, rank: 5,
		cell: func(l *look, r *sampler.Row) terminal.Cell {
			return terminal.Cell{Text: r.Protocol, Style: l.Palette.Protocol}
		},
		order: func(a, b *sampler.Row) int { return cmp.Compare(a.Protocol, b.Protocol) }},
	{head: "A", help: "the side that sent the first frame; 7@ADDRESS is player 7", left: true, end: true, room: 13,
		cell:  func(l *look, r *sampler.Row) terminal.Cell { return l.end(r, 0) },
		order: func(a, b *sampler.Row) int { return compareEnds(&a.End[0], &b.End[0]) }},
	{head: "B", help: "the other side", left: true, end: true, rank: 8, room: 13,
		cell:  func(l *look, r *sampler.Row) terminal.Cell { return l.end(r, 1) },
		order: func(a, b *sampler.Row) int { return compareEnds(&a.End[1], &b.End[1]) }},
	{head: "State", help: "its progress, or how, by whom and why it was ended", left: true, rank: 1, room: 11,
		cell:  func(l *look, r *sampler.Row) terminal.Cell { return l.ending(r) },
		order: func(a, b *sampler.Row) int { return cmp.Compare(a.State, b.State) }},
	{head: "Time", help: "since its first frame", rank: 14, room: 5, most: true,
		cell: func(l *look, r *sampler.Row) terminal.Cell { return l.Plain(clock(r.Duration)) },
		key:  func(r *sampler.Row) sampler.Value { return sampler.Known(float64(r.Duration)) }},
	{head: "Idle", help: "since its latest frame", rank: 13, room: 4, most: true,
		cell: func(l *look, r *sampler.Row) terminal.Cell { return idle(l, r) },
		key:  func(r *sampler.Row) sampler.Value { return sampler.Known(float64(r.Idle)) }},
	{head: "Ping", help: "smoothed round-trip time to both sides, as far as acknowledgements show it; dim when old", room: 7, most: true,
		cell: func(l *look, r *sampler.Row) terminal.Cell { return l.millis(r.Ping(), r.Stale()) },
		key:  (*sampler.Row).Ping},
	{head: "Jitter", help: "how much round trips deviate from the ping, smoothed", rank: 9, room: 7, most: true,
		cell: func(l *look, r *sampler.Row) terminal.Cell { return l.millis(r.Jitter(), r.Stale()) },
		key:  (*sampler.Row).Jitter},
	{head: "Loss", help: "resent before it was acknowledged, or missing, of all transmissions; the worse side", rank: 2, room: 5, most: true,
		cell: func(l *look, r *sampler.Row) terminal.Cell { return l.percent(r.Loss(), lossWarn, lossBad) },
		key:  (*sampler.Row).Loss},
	{head: "Retries", help: "retries of data frames; the worse side", rank: 10, room: 5, most: true,
		cell: func(l *look, r *sampler.Row) terminal.Cell { return l.percent(r.RetryShare(), retryWarn, 101) },
		key:  (*sampler.Row).RetryShare},
	{head: "Unneeded", help: "retries of acknowledged numbers, since the start", rank: 15, room: 3, most: true,
		cell: func(l *look, r *sampler.Row) terminal.Cell { return l.whole(r.Unneeded()) },
		key:  (*sampler.Row).Unneeded},
	{head: "Flight", help: "numbers sent and not acknowledged yet, both sides", rank: 11, room: 4, most: true,
		cell: func(l *look, r *sampler.Row) terminal.Cell { return l.whole(r.InFlight()) },
		key:  (*sampler.Row).InFlight},
	{head: "Frames", help: "datagrams a second, both sides", rank: 12, room: 6, most: true,
		cell: func(l *look, r *sampler.Row) terminal.Cell { return l.often(r.FramesPerSec()) },
		key:  func(r *sampler.Row) sampler.Value { return sampler.Known(r.FramesPerSec()) }},
	{head: "Rate", help: "payload bytes a second, both sides", rank: 6, room: 9, most: true,
		cell: func(l *look, r *sampler.Row) terminal.Cell { return l.rate(r.BytesPerSec()) },
		key:  func(r *sampler.Row) sampler.Value { return sampler.Known(r.BytesPerSec()) }},
	{head: "Quality", help: "of 100 datagrams, how many came at the first attempt and in order; the worse side", rank: 3, room: 3,
		cell: func(l *look, r *sampler.Row) terminal.Cell { return l.quality(r.Quality()) },
		key:  (*sampler.Row).Quality},
	{head: "Findings", help: "broken rules, by the worst severity", rank: 7, room: 6, most: true,
		cell: func(l *look, r *sampler.Row) terminal.Cell { return l.findings(r.Findings) },
		key:  func(r *sampler.Row) sampler.Value { return sampler.Known(badness(r.Findings)) }},
}

// end is an address, and in front of it the number of a player, of which there may be
// several at one.
func (l *look) end(r *sampler.Row, side int) terminal.Cell {
	if n, ok := strings.CutPrefix(r.Player[side], "player "); ok {
		return l.Plain(n + "@" + r.Name[side])
	}
	return l.Plain(r.Name[side])
}

func number(l *look, r *sampler.Row) terminal.Cell {
	if r.ID < 0 {
		return l.Unknown()
	}
	c := l.Judged(uint64(r.ID), l.Derived)
	c.Dim = false
	return c
}

// idle is worth looking at from a few seconds on.
func idle(l *look, r *sampler.Row) terminal.Cell {
	c := l.Plain(clock(r.Idle))
	if r.Idle < int64(3e9) {
		c.Style = l.Derived
	}
	return c
}

// badness weighs findings: any error is worse than all warnings.
func badness(n [3]uint64) (v float64) {
	for _, n := range n {
		v = v*1e6 + float64(min(n, 999_999))
	}
	return v
}

func compareEnds(a, b *dissect.Endpoint) int {
	return cmp.Or(bytes.Compare(a.IP[:], b.IP[:]), cmp.Compare(a.Port, b.Port))
}

// compare orders rows by the column; rows that end up equal keep the order in which
// they were seen. reverse turns what is known around: the unknown stays after it.
func (c *column) compare(a, b *sampler.Row, reverse bool) int {
	if c.key == nil {
		n := c.order(a, b)
		if reverse {
			n = -n
		}
		return cmp.Or(n, cmp.Compare(a.Key, b.Key))
	}
	x, y := c.key(a), c.key(b)
	switch {
	case x.Known != y.Known && x.Known:
		return -1
	case x.Known != y.Known:
		return 1
	}
	n := cmp.Compare(x.V, y.V)
	if c.most != reverse {
		n = -n
	}
	return cmp.Or(n, cmp.Compare(a.Key, b.Key))
}
