package timeline

import (
	"math"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Part counts what happens within one span of time, beside what does before and after it.
type Part struct {
	Timeline
	within func(at int64) int
	losses *Losses
}

// inPart is where the span begins as an interval; what is before and what is after it lie
// below and above.
const (
	beforePart = iota
	inPart
	afterPart
)

// NewPart makes a part. within tells how a time of the capture lies to the span: before it
// when negative, in it when 0, and after it when positive. losses hear what is concluded.
func NewPart(within func(at int64) int, losses *Losses, next session.Sink) *Part {
	p := &Part{within: within, losses: losses, Timeline: *over(next, func(_ *session.Conn, at int64) (from, to int64) {
		switch where := within(at); {
		case where < 0:
			return beforePart, inPart
		case where > 0:
			return afterPart, math.MaxInt64
		}
		return inPart, afterPart
	})}
	p.whole = true
	return p
}

// lost counts the losses of a direction whose frames stand in the span. They are unknown
// where there are more than can be placed.
func (p *Part) lost(c *session.Conn, dir dissect.Dir) (l seq.Lost, unknown bool) {
	claims, _ := p.losses.Of(c, dir)
	x := p.linesOf(c)
	for i := range claims {
		at := claims[i].Time
		if p.within(at-x.shiftAt(at)) != 0 {
			continue
		}
		switch claims[i].Place {
		case seq.BeforeCapture:
			l.BeforeCapture++
		case seq.AfterCapture:
			l.AfterCapture++
		case seq.NotCaptured:
			l.NotCaptured++
		}
	}
	return l, !p.losses.Complete(c, dir)
}

// Restrict makes a connection report what happened within the span alone, once the run is
// over.
func (p *Part) Restrict(c *session.Conn) {
	for dir := range dissect.Dirs {
		d := &c.Dir[dir]
		x := &Interval{}
		for _, v := range p.Direction(c, dir) {
			if v.From == inPart {
				x = v
			}
		}
		part := x.Counts.Put(d)
		part.Lost, part.LossUnknown = p.lost(c, dir)
		for m := range seq.NMeasures {
			part.Times[m] = x.Times(m)
		}
		seq.Restrict(d, part)
	}
}
