package lab

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session/seq"
)

// losses compares the losses that are claimed with those that were, number by
// number.
func (m *meter) losses() {
	for d, all := range m.settled {
		from, shift, ok := m.align(all)
		if !ok {
			continue
		}
		for _, c := range claimed(d.conn.Dir[d.dir].Lost(), all) {
			truth := new([3]int)
			if t := m.fates.Lost[from][c.Num+shift]; t != nil {
				truth = t
			}
			m.cell(from).Lost[match(truth, c.place)][c.place]++
		}
	}
	for from, numbers := range m.fates.Lost {
		for _, truth := range numbers {
			for place, n := range truth {
				m.cell(from).Lost[place][unknown] += n
			}
		}
	}
}

// align tells who sent a direction's numbers, and how much higher they really are.
func (m *meter) align(all []seq.Settled) (from tracegen.Sender, shift int64, ok bool) {
	for _, x := range all {
		if f, known := m.fates.Frames[int(x.Frame)]; known && f.Num >= 0 {
			return f.From, f.Num - x.Num, true
		}
	}
	return from, 0, false
}

// A claim is a number that is said to be lost.
type claim struct {
	seq.Settled
	place int
}

// claimed are the conclusions that are claimed in the end.
func claimed(lost seq.Lost, all []seq.Settled) (out []claim) {
	var after []claim
	missed := uint64(0) // masked ones included
	for _, x := range all {
		if x.NotCaptured {
			missed++
		}
	}
	for _, x := range all {
		switch {
		case x.Before && lost.BeforeCapture > 0:
			out = append(out, claim{x, tracegen.LostBefore})
		case x.NotCaptured && (!x.Masked || missed == lost.NotCaptured):
			out = append(out, claim{x, tracegen.LostByTap})
		case x.After:
			after = append(after, claim{x, tracegen.LostAfter})
		}
	}
	slices.SortStableFunc(after, func(a, b claim) int { return cmp.Compare(b.Missing, a.Missing) })
	return append(out, after[:min(len(after), int(lost.AfterCapture))]...)
}

// match takes the loss that a claim speaks of out of the truth about a number, and
// gives its true place.
func match(truth *[3]int, said int) int {
	for _, place := range []int{said, tracegen.LostBefore, tracegen.LostAfter, tracegen.LostByTap} {
		if truth[place] > 0 {
			truth[place]--
			return place
		}
	}
	return notLost
}
