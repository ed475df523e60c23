package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/dissect"
)

// Dice are what edits are rolled with: *rand.Rand is.
type Dice interface {
	IntN(n int) int
	Float64() float64
}

// An Edit is a habit of captures or of networks. It gives what it does to a
// capture; no endpoint is to blame for what is left.
type Edit struct {
	Name      string
	RandomOps func(r Dice, s *Subject) Ops
}

// Edits are all kinds.
var Edits = []Edit{
	{"drop", drop}, {"drop-few", dropFew}, {"duplicate", duplicate}, {"copy-late", copyLate}, {"swap", swapSome},
	{"relay", relay}, {"cut-start", cutStart}, {"cut-end", cutEnd}, {"cut-middle", cutMiddle}, {"one-way", oneWay},
	{"one-silent", oneSilent}, {"truncate", truncate}, {"clock", clock},
}

func chance(r Dice, p float64) bool { return r.Float64() < p }

// each gives an op for every datagram with a chance.
func each(r Dice, s *Subject, p float64, op func(i int) Op) (ops Ops) {
	for i := range s.all {
		if chance(r, p) {
			ops = append(ops, op(i))
		}
	}
	return ops
}

func lose(i int) Op { return Op{Kind: Drop, At: i, To: i + 1} }

// drop loses up to a fifth.
func drop(r Dice, s *Subject) Ops { return each(r, s, r.Float64()*0.2, lose) }

// dropFew loses one to three datagrams.
func dropFew(r Dice, s *Subject) (ops Ops) {
	for range 1 + r.IntN(3) {
		ops = append(ops, lose(r.IntN(len(s.all))))
	}
	return ops
}

// duplicate repeats datagrams at once, as a mirror port does, or a little later, as
// a network does.
func duplicate(r Dice, s *Subject) Ops {
	p, late := r.Float64()*0.3, time.Duration(r.IntN(25e6))
	return each(r, s, p, func(i int) Op { return Op{Kind: Copy, At: i, By: late} })
}

// relay sends datagrams on by two ways, where that does not look like a retry: Hazel and
// the page of kNet send the same bytes again.
func relay(r Dice, s *Subject) Ops {
	if !s.marksRetries() {
		return nil
	}
	p, late := r.Float64()*0.3, time.Duration(r.IntN(25e6))
	return each(r, s, p, func(i int) Op { return Op{Kind: Relay, At: i, By: late} })
}

// copyLate repeats much later what has an identification that gives it away.
func copyLate(r Dice, s *Subject) (ops Ops) {
	for range 1 + r.IntN(5) {
		if i := r.IntN(len(s.all)); s.all[i].IPID != 0 {
			ops = append(ops, Op{Kind: Copy, At: i, By: time.Duration(r.IntN(1e9))})
		}
	}
	return ops
}

func swapSome(r Dice, s *Subject) Ops {
	return each(r, s, r.Float64()*0.2, func(i int) Op { return Op{Kind: Swap, At: i} })
}

func cutStart(r Dice, s *Subject) Ops { return Ops{{Kind: Drop, To: r.IntN(len(s.all))}} }

func cutEnd(r Dice, s *Subject) Ops { return Ops{{Kind: Drop, At: r.IntN(len(s.all)), To: len(s.all)}} }

func cutMiddle(r Dice, s *Subject) Ops {
	from := r.IntN(len(s.all))
	return Ops{{Kind: Drop, At: from, To: min(len(s.all), from+r.IntN(len(s.all)/3+1))}}
}

func oneWay(r Dice, s *Subject) Ops {
	return Ops{{Kind: Drop, To: len(s.all), Side: 1 + r.IntN(2)}}
}

// oneSilent loses one direction for a while.
func oneSilent(r Dice, s *Subject) Ops {
	from := r.IntN(len(s.all))
	return Ops{{Kind: Drop, At: from, To: from + r.IntN(len(s.all)-from+1), Side: 1 + r.IntN(2)}}
}

// truncate is a short snapshot length, for some packets or for all.
func truncate(r Dice, s *Subject) (ops Ops) {
	snap, p := 4+r.IntN(200), 1.0
	if chance(r, 0.5) {
		p = 0.2
	}
	for i := range s.all {
		if d := &s.all[i]; d.Kind == dissect.UDP && len(d.Payload) > snap && chance(r, p) {
			ops = append(ops, Op{Kind: Cut, At: i, Len: snap})
		}
	}
	return ops
}

// clock is a capture whose clock is wrong, or goes in steps as some do.
func clock(r Dice, _ *Subject) Ops {
	if chance(r, 0.5) {
		return Ops{{Kind: Shift, By: time.Duration(r.IntN(2e9)-1e9) * time.Microsecond}}
	}
	steps := []time.Duration{time.Microsecond, time.Millisecond, 10 * time.Millisecond, 15625 * time.Microsecond, time.Second}
	return Ops{{Kind: Coarse, By: steps[r.IntN(len(steps))]}}
}
