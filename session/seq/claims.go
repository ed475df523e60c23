package seq

import (
	"cmp"

	"github.com/dpdissect/dpdissect/dissect/stable"
)

// LostAt is where a number was lost, as seen from the capture point.
type LostAt uint8

const (
	BeforeCapture LostAt = iota + 1
	AfterCapture
	NotCaptured // it arrived: the capture missed it
)

// A Claim is a number that is counted in Lost.
type Claim struct {
	Settled
	Place LostAt
}

// Suspects reports whether a number may be counted in Lost: the others need not be kept
// for Claims.
func (x *Settled) Suspects() bool { return x.Before || x.After || x.NotCaptured }

// Claims gives the numbers that the losses of a direction count, of all that was concluded
// about it: of those after the capture point the ones that were missing longest.
func (l Lost) Claims(all []Settled) (out []Claim) {
	var after []Claim
	missed := uint64(0) // masked ones included
	for i := range all {
		if all[i].NotCaptured {
			missed++
		}
	}
	for _, x := range all {
		switch {
		case x.Before && l.BeforeCapture > 0:
			out = append(out, Claim{x, BeforeCapture})
		case x.NotCaptured && l.NotCaptured > 0 && (!x.Masked || missed == l.NotCaptured):
			out = append(out, Claim{x, NotCaptured})
		case x.After:
			after = append(after, Claim{x, AfterCapture})
		}
	}
	stable.Sort(after, func(a, b Claim) int { return cmp.Compare(b.Missing, a.Missing) })
	return append(out, after[:min(len(after), int(l.AfterCapture))]...)
}
