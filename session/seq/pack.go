package seq

import (
	"github.com/dpdissect/dpdissect/dissect"
	"math"
	"math/bits"
)

// PackSides takes the two directions of a connection that is closed. What comes of them when
// they are read is as if no frame had come since.
func (p *Packer) PackSides(sides *[2]Direction) {
	for i := range dissect.Dirs {
		p.direction(&sides[i])
		if p.reads {
			sides[i].peer = &sides[i.Other()]
		}
	}
}

func (p *Packer) direction(d *Direction) {
	s, e := &d.Signatures, &d.end
	p.Uints(&d.Frames, &d.Bytes, &d.DataFrames, &d.Acks, &d.Retries, &d.UnneededRetries, &d.Duplicates, &d.OutOfOrder, &d.Gaps,
		&d.Messages, &d.MessageBytes, &d.IncompleteMessages, &d.KeepAlives, &s.Valid, &s.Invalid, &s.Unverifiable,
		&d.delivered, &d.byMaskOnly, &d.notCaptured, &d.lostBefore, &d.voided, &e.missing, &e.lostBehind, &e.sendings)
	p.Ints(&e.minRTT)
	measured, restricted := e.times != nil, d.part != nil
	p.Bools(&s.Learned, &d.HasSignatures, &d.verified, &d.noBefore, &d.noAfter, &d.distrusted, &d.unpaired, &d.heard, &d.resentUnanswered,
		&d.offloaded, &d.over, &measured, &restricted)
	p.Text(&d.Dialect)
	if measured {
		if p.reads {
			e.times = new([NMeasures]RTT)
		}
		p.times(e.times)
	}
	if !restricted {
		return
	}
	if p.reads {
		d.part = new(Part)
	}
	x := d.part
	p.Uints(&x.Missing, &x.Transmissions, &x.Lost.BeforeCapture, &x.Lost.AfterCapture, &x.Lost.NotCaptured)
	p.times(&x.Times)
	p.Bools(&x.LossUnknown)
}

// times takes summaries. Where nothing was sent again, waits are round trips.
func (p *Packer) times(list *[NMeasures]RTT) {
	equal := list[AckWait] == list[RoundTrip]
	p.Bools(&equal)
	for m := range NMeasures {
		if m == AckWait && equal {
			continue
		}
		r := &list[m]
		p.Uints(&r.Samples)
		p.Ints(&r.Min, &r.P50, &r.P95, &r.Max)
	}
	if equal {
		list[AckWait] = list[RoundTrip]
	}
}

// Stuck takes units that are sent again and again.
func (p *Packer) Stuck(list ...*StuckUnit) {
	for which := some(p, list); which != 0; which &= which - 1 {
		u := list[bits.TrailingZeros64(which)]
		first := Sign{uint64(u.Sends), u.Frame, u.Time}
		p.Signs(&first)
		u.Sends, u.Frame, u.Time = uint8(first.N), first.Frame, first.Time
		u.Num, u.Others = Num(p.int(int64(u.Num))), int(p.int(int64(u.Others)))
		u.Size = uint16(p.uint(uint64(u.Size)))
		span := u.Latest - u.Time
		if u.Latest == 0 {
			span = 0
		}
		if span = p.int(span); span != 0 {
			u.Latest = u.Time + span
		}
	}
}

// Runs takes runs of sendings.
func (p *Packer) Runs(list ...*Deaf) {
	for which := some(p, list); which != 0; which &= which - 1 {
		r := list[bits.TrailingZeros64(which)]
		p.Signs(&r.First)
		p.Times(&r.Last, &r.Several)
		r.Units, r.Most = int32(p.int(int64(r.Units))), uint8(p.uint(uint64(r.Most)))
		for _, v := range []*uint32{&r.before, &r.after, &r.acks[0], &r.acks[1]} {
			*v = uint32(p.uint(uint64(*v)))
		}
	}
}

// Losses takes losses that nothing proves.
func (p *Packer) Losses(l *Losses) {
	if some(p, []*Losses{l}) != 0 {
		p.Signs(&l.Unacked, &l.Needed)
		p.Stuck(&l.Starved)
		p.Uints(&l.Longest, &l.run)
		p.Ints((*int64)(&l.last[0]), (*int64)(&l.last[1]))
	}
}

// Swell takes how a round trip went with the rates.
func (p *Packer) Swell(s *Swell) {
	if some(p, []*Swell{s}) != 0 {
		p.Ints(&s.Base, &s.Peak, &s.least, &s.before, &s.pause, &s.ends[0], &s.ends[1])
		p.Signs(&s.At)
		p.Times(&s.time, &s.latest)
		p.Bools(&s.Recovered)
		for _, v := range []*uint8{&s.n, &s.rising, &s.Rose} {
			*v = uint8(p.uint(uint64(*v)))
		}
		for i := range 2 {
			p.Uints(&s.bytes[i])
			for _, v := range []*float32{&s.BaseRate[i], &s.PeakRate[i], &s.top[i]} {
				*v = math.Float32frombits(uint32(p.uint(uint64(math.Float32bits(*v)))))
			}
		}
	}
}

// Spells takes times of trouble, nil for none.
func (p *Packer) Spells(s **Spells) {
	some := *s != nil
	if p.Bools(&some); !some {
		*s = nil
		return
	}
	if *s == nil {
		*s = new(Spells)
	}
	for kind := range *s {
		list := &(*s)[kind]
		n := int(p.uint(uint64(len(*list))))
		if p.reads {
			*list = nil
		}
		if p.reads && n > 0 {
			*list = make([]Spell, n)
		}
		for i := range *list {
			x := &(*list)[i]
			p.Times(&x.From, &x.To)
			p.Uints(&x.N, &x.Counted[0], &x.Counted[1])
			p.Ints(&x.Most)
			p.Signs(&x.Worst)
		}
	}
}
