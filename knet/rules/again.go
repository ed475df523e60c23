package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A receiver acknowledges each copy that it receives, for the acknowledgement of the one
// before may have been lost. A copy may be lost as well: it counts when others were
// acknowledged meanwhile.
const (
	reackTime = 1.5e9 // ns within which a copy is acknowledged, or never
	fewReacks = 12
	maxCopies = 16
)

// reacks are datagrams of a side of Spec that were sent again although they had been
// acknowledged.
type reacks struct {
	open   []copyOf
	sample conform.Sample
	since  int64
	last   copyOf // that was not acknowledged
	told   bool
}

// A copyOf waits for its acknowledgement.
type copyOf struct {
	num   seq.Num
	at    int64
	frame uint64
	acks  uint8 // of the datagram before it
	known int   // acknowledgements of the side before it
}

// judgeReacks judges the peer of a side that sends a datagram again that was acknowledged.
func (c numberJudge) judgeReacks(dir dissect.Dir, num seq.Num, x sentDatagram) {
	s := &c.side[dir]
	r := &s.reacks
	if r.told {
		return
	}
	keep := r.open[:0]
	for _, p := range r.open {
		if c.Frame.Time-p.at < reackTime {
			keep = append(keep, p)
		} else if y := s.datagrams.at(p.num); y.isKnown() && s.order.known > p.known {
			if r.sample.Enter(y.acks <= p.acks); y.acks <= p.acks {
				r.last = p
			}
		}
	}
	if r.open = keep; len(r.open) < maxCopies {
		r.open = append(r.open, copyOf{num, c.Frame.Time, c.Frame.Frame, x.acks, s.order.known})
	}
	if r.since == 0 {
		r.since = x.Time()
	}
	if n := r.sample.Bad; n < fewReacks || n < r.sample.N || n < c.neededReacks(dir) || !c.intact(dir.Other(), r.since) {
		return
	}
	r.told = true
	c.c.Rules.Judge(conform.Case{Rule: rRdAcked, Dir: dir.Other(), Frame: r.last.frame, Time: r.last.at, HasTime: true, Since: r.since, Proof: []uint64{x.Frame()},
		Message: fmt.Sprintf("none of %d reliable datagrams that were sent again after their acknowledgement was acknowledged again, while others were", r.sample.N)})
}

// neededReacks counts the copies without an acknowledgement that prove a fault, by how many
// datagrams of a side are never acknowledged.
func (c numberJudge) neededReacks(dir dissect.Dir) int {
	s := &c.side[dir].datagrams
	lost, sent := uint64(0), uint64(0)
	for _, x := range s.latest {
		if x.isReliable() && c.Frame.Time-x.Time() >= reackTime {
			sent++
			if x.acks == 0 {
				lost++
			}
		}
	}
	return conform.NeededOdds(lost, sent)
}
