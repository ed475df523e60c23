package lab

import (
	"slices"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/pairs"
)

// oracle says what is true of a pair.
func oracle(p *pairs.Pair) *Compared {
	c := &Compared{}
	delays := map[string][]int64{}
	for i := range p.Truth.Datagrams {
		d := &p.Truth.Datagrams[i]
		if !d.UDP {
			continue
		}
		conn, dir := d.Player, []string{"a", "b"}[d.Side]
		r := Passage{Conn: &conn, Direction: dir, Fate: d.Fate, Frame1: d.Whole[0], Frame2: d.Whole[1], Altered: d.Altered, Reordered: d.Late}
		if d.Parts == 1 {
			r.Copies1, r.Copies2 = further(d.Frames[0]), further(d.Frames[1])
		}
		c.Passages = append(c.Passages, r)
		if d.Fate == pairs.Delivered {
			delays[dir] = append(delays[dir], d.OneWay)
		}
	}
	c.segments(p)
	for k := range max(1, players(p)) {
		conn := ComparedConn{ID: k}
		conn.Directions = map[string]ComparedDirection{}
		for dir, all := range delays {
			slices.Sort(all)
			x := spread(all, 0)
			y := spread(all, all[0])
			conn.Directions[dir] = ComparedDirection{OneWay: &x, Queue: &y}
		}
		c.Connections = append(c.Connections, conn)
	}
	return c
}

func players(p *pairs.Pair) (n int) {
	for i := range p.Truth.Datagrams {
		n = max(n, p.Truth.Datagrams[i].Player+1)
	}
	return n
}

func further(frames []int) []int {
	if len(frames) < 2 {
		return nil
	}
	return frames[1:]
}

func spread(sorted []int64, less int64) Spread {
	at := func(i int) float64 { return float64(sorted[i]-less) / 1e6 }
	n := len(sorted)
	return Spread{n, at((n - 1) / 2), at((n*95+99)/100 - 1), at(n - 1), 0.1}
}

// segments are those between the steps of the clocks.
func (c *Compared) segments(p *pairs.Pair) {
	from, end := p.Truth.Start, p.Truth.Start
	for i := range p.Truth.Datagrams {
		end = max(end, p.Truth.Datagrams[i].Sent)
	}
	clock := &p.Plan.Points[0].Clock
	told := func(t int64) string {
		return time.Unix(0, clock.Tell(p.Truth.Start, t)).UTC().Format(time.RFC3339Nano)
	}
	for _, s := range append(p.Plan.Changes(), pairs.Step{At: time.Duration(end - p.Truth.Start)}) {
		to := p.Truth.Start + int64(s.At)
		offset := float64(p.Plan.Offset(p.Truth.Start, from)) / 1e6
		c.Clock.Segments = append(c.Clock.Segments, ComparedSegment{From: told(from), To: told(to - 1), Offset: &offset,
			Drift: p.Plan.Points[1].Clock.PPM - p.Plan.Points[0].Clock.PPM, Bound: 0.1})
		if s.By != 0 {
			c.Clock.Steps = append(c.Clock.Steps, ComparedStep{told(to), float64(s.By) / 1e6})
		}
		from = to
	}
}

// TestPairJudge: who says what is true is never called wrong, and what is said wrongly is.
func TestPairJudge(t *testing.T) {
	spoiled := map[string]func(c *Compared) bool{
		"a loss called delivered": func(c *Compared) bool { return refate(c, pairs.LostBetween, pairs.Delivered) },
		"an arrival called lost":  func(c *Compared) bool { return refate(c, pairs.MissedBySecond, pairs.LostBetween) },
		"frames of two datagrams": func(c *Compared) bool {
			i := slices.IndexFunc(c.Passages, func(r Passage) bool { return r.Fate == pairs.Delivered && len(r.Copies1)+len(r.Copies2) == 0 })
			k := slices.IndexFunc(c.Passages[i+1:], func(r Passage) bool {
				return r.Fate == pairs.Delivered && r.Direction == c.Passages[i].Direction && len(r.Copies1)+len(r.Copies2) == 0
			})
			c.Passages[i].Frame2, c.Passages[i+1+k].Frame2 = c.Passages[i+1+k].Frame2, c.Passages[i].Frame2
			return true
		},
		"a frame left out": func(c *Compared) bool { c.Passages = c.Passages[1:]; return true },
		"an offset":        func(c *Compared) bool { *c.Clock.Segments[0].Offset += 0.4; return true },
		"a step that is not": func(c *Compared) bool {
			c.Clock.Steps = append(c.Clock.Steps, ComparedStep{c.Clock.Segments[0].From, 44})
			return true
		},
		"no step": func(c *Compared) bool {
			had := len(c.Clock.Steps) > 0
			c.Clock.Steps = nil
			return had
		},
		"a drift": func(c *Compared) bool {
			s := &c.Clock.Segments[0]
			s.Drift += 6
			s.Bound = 9
			return instant(s.To)-instant(s.From) > 15e9
		},
		"a copy unsaid": func(c *Compared) bool {
			return change(c, func(r *Passage) bool {
				had := len(r.Copies2) > 0
				r.Copies2 = nil
				return had && r.Fate == pairs.Delivered
			})
		},
		"a late one": func(c *Compared) bool {
			return change(c, func(r *Passage) bool { r.Reordered = true; return r.Fate == pairs.Delivered })
		},
		"a delay": func(c *Compared) bool {
			q := c.Connections[0].Directions["a"].Queue
			q.P50 += 90
			return q.Samples >= 20
		},
	}
	noticed := map[string]int{}
	tried := 0
	for _, r := range (PairOptions{Seeds: 2, First: 5}).runs() {
		p, err := r.Take()
		must(t, err)
		judge := func(c *Compared) string {
			out := &PairResult{Run: r, Kept: p.Truth.Identified, Calm: true}
			out.Fates, out.Clocks = JudgePair(p, c, true)
			return out.complaint()
		}
		tried++
		if s := judge(oracle(p)); s != "" {
			t.Errorf("%s: the truth is called wrong: %s", r.Name(), s)
			continue
		}
		if !p.Truth.Identified || p.Truth.Same || players(p) > 1 {
			continue
		}
		for name, spoil := range spoiled {
			if c := oracle(p); spoil(c) {
				if judge(c) == "" {
					t.Errorf("%s: nothing is said of %s", r.Name(), name)
				}
				noticed[name]++
			}
		}
	}
	for name := range spoiled {
		if noticed[name] < 3 {
			t.Errorf("%s: tried %d times alone", name, noticed[name])
		}
	}
	t.Logf("%d pairs, %v", tried, noticed)
}

// refate gives the first record of a fate another one.
func refate(c *Compared, from, to string) bool {
	return change(c, func(r *Passage) bool {
		if r.Fate == from && r.Frame1+r.Frame2 > 0 {
			r.Fate = to
			return true
		}
		return false
	})
}

// change changes records until one is as wanted.
func change(c *Compared, f func(*Passage) bool) bool {
	for i := range c.Passages {
		before := c.Passages[i]
		if f(&c.Passages[i]) {
			return true
		}
		c.Passages[i] = before
	}
	return false
}
