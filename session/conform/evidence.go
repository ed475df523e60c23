package conform

import "math"

// What is implausible has a chance below 10^-9.
const implausible = 1e-9

// NeededOdds is in how many independent intervals something must be seen before it is
// implausible that the capture missed, in all of them, the frame that would explain it; lost
// and captured are the numbers of the side that would have sent it.
func NeededOdds(lost, captured uint64) int {
	p := max(0.001, 1.5*(float64(lost)+1)/(float64(captured)+1))
	if p >= 0.5 {
		return math.MaxInt32
	}
	return int(math.Log(implausible)/math.Log(p)+1e-9) + 1
}

// NeededTwice is NeededOdds where the frame that explains it must have been missed and one
// sent for the same purpose not: whatever share is missed, at most one time in four both are so.
func NeededTwice(lost, captured uint64) int {
	p := min(0.5, max(0.001, 1.5*(float64(lost)+1)/(float64(captured)+1)))
	return int(math.Log(implausible)/math.Log(p*(1-p))+1e-9) + 1
}

// A Sample counts how often something was observed, and how often it was not as it should
// be. One time alone proves nothing where the network may be at fault.
type Sample struct{ N, Bad int }

// Enter counts an observation.
func (s *Sample) Enter(bad bool) {
	s.N++
	if bad {
		s.Bad++
	}
}

// enoughSamples is the least number of observations that say something about a habit.
const enoughSamples = 20

// Mostly reports whether there are enough observations, and three in four were bad.
func (s *Sample) Mostly() bool { return s.N >= enoughSamples && s.Bad*4 >= s.N*3 }

// Implausible reports whether so many bad ones are implausible where each has the chance p to be
// bad by accident (Chernoff's bound).
func (s *Sample) Implausible(p float64) bool {
	k, expected := float64(s.Bad), float64(s.N)*max(p, 0.001)
	return p < 0.5 && k*(math.Log(k/expected)-1) > -math.Log(implausible)
}

// A Pending holds what looks broken until later frames prove it, explain it, or show that
// nothing can be said.
type Pending[T any] struct{ list []T }

// Len is the number of those held.
func (p *Pending[T]) Len() int { return len(p.list) }

// Latest is the one entered last, nil when there is none.
func (p *Pending[T]) Latest() *T {
	if len(p.list) == 0 {
		return nil
	}
	return &p.list[len(p.list)-1]
}

// Enter holds one more. When there are most already, giveUp ends the oldest.
func (p *Pending[T]) Enter(x T, most int, giveUp func(oldest *T)) {
	if len(p.list) >= most {
		giveUp(&p.list[0])
		p.list = append(p.list[:0], p.list[1:]...)
	}
	p.list = append(p.list, x)
}

// Settle asks of each, oldest first, whether it is held on.
func (p *Pending[T]) Settle(held func(x *T) bool) {
	keep := p.list[:0]
	for i := range p.list {
		if x := p.list[i]; held(&x) {
			keep = append(keep, x)
		}
	}
	clear(p.list[len(keep):])
	p.list = keep
}

// End ends all.
func (p *Pending[T]) End(end func(x *T)) {
	p.Settle(func(x *T) bool { end(x); return false })
}
