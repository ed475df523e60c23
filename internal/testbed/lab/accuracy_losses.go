package lab

import (
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
		for _, c := range d.conn.Dir[d.dir].Lost().Claims(all) {
			place, truth := places[c.Place], new([3]int)
			if t := m.fates.Lost[from][int64(c.Num+shift)]; t != nil {
				truth = t
			}
			m.cell(from).Lost[match(truth, place)][place]++
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
func (m *meter) align(all []seq.Settled) (from tracegen.Sender, shift seq.Num, ok bool) {
	for _, x := range all {
		if f, known := m.fates.Frames[int(x.Frame)]; known && f.Num >= 0 {
			return f.From, seq.Num(f.Num) - x.Num, true
		}
	}
	return from, 0, false
}

// places are those of the truth, by those of claims.
var places = map[seq.LostAt]int{seq.BeforeCapture: tracegen.LostBefore, seq.AfterCapture: tracegen.LostAfter, seq.NotCaptured: tracegen.LostByTap}

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
