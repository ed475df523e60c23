package explain

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A window is a time in which one kind of trouble lasted, on the clock of the connection, ns.
type window struct {
	seq.Spell
}

// mostWindows is how many times of one kind of trouble are told of a side.
const mostWindows = 3

// quietGap is the time without a loss, in ns, that ends a time of losses: where few in a
// hundred are lost, seconds pass between two of them.
const quietGap = 10e9

// windows are the times of some kinds of trouble of a side, the heaviest of them in the order
// of time; those no further apart than a gap are one. heavy tells how heavy one is.
func (s *subject) windows(dir dissect.Dir, gap int64, heavy func(*window) float64, kinds ...seq.SpellKind) []window {
	all := s.side(dir).Spells
	if all == nil {
		return nil
	}
	var list []window
	for _, kind := range kinds {
		for _, x := range all[kind] {
			list = append(list, window{x})
		}
	}
	stable.Sort(list, func(x, y window) int { return cmp.Compare(x.From, y.From) })
	out := list[:0]
	for _, x := range list {
		if n := len(out); n > 0 && x.From-out[n-1].To <= gap {
			out[n-1].Add(&x.Spell)
			continue
		}
		out = append(out, x)
	}
	if len(out) > mostWindows {
		stable.Sort(out, func(x, y window) int { return cmp.Compare(heavy(&y), heavy(&x)) })
		out = out[:mostWindows]
		stable.Sort(out, func(x, y window) int { return cmp.Compare(x.From, y.From) })
	}
	return out
}

// many and long tell how heavy a window is.
func many(w *window) float64 { return float64(w.N) }
func long(w *window) float64 { return float64(w.Most) }

// heaviest is the window with the most trouble of a kind, or from one sign to the end where
// none is known.
func (s *subject) heaviest(dir dissect.Dir, first seq.Sign, kinds ...seq.SpellKind) window {
	list := s.windows(dir, quietGap, many, kinds...)
	if len(list) == 0 {
		return window{seq.Spell{From: first.Time, To: first.Time, N: first.N, Worst: first}}
	}
	return slices.MaxFunc(list, func(x, y window) int { return cmp.Compare(x.N, y.N) })
}

// within gives a contribution its window.
func (s *subject) within(c *Contribution, w *window) {
	c.From, c.To = s.clock(w.From), s.clock(w.To)
	if c.at.N == 0 {
		c.at = w.Worst
	}
}
