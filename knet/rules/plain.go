package rules

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// takesPlain is judgeDatagram for what most datagrams of Reference are: nothing but whole
// messages of the application, without fault, and the next of a side of which
// nothing is held open. It reports false, having done nothing, for all others.
func (c frameJudge) takesPlain(dir dissect.Dir, sent *seq.Sending) bool {
	s := &c.side[dir]
	r := &s.datagrams
	switch {
	case !c.Datagram.Plain || c.Datagram.Dialect == knet.Spec || len(c.Faults) > 0 || c.Frame.Cut():
		return false
	case !r.has || sent.Num != r.top+1 || s.order.odd.set || s.order.odd.runs != 0 || len(s.acking.ahead) > 0:
		return false
	case c.side[0].ending.begun() || c.side[1].ending.begun():
		return false
	}
	before := r.stand()
	r.top, r.topAt, c.noted = sent.Num, sent.Time, true
	c.broken, c.jump, c.plain = false, false, true
	c.numbers().judgeStep(dir, 1)
	if c.goesOn(dir, before) {
		c.c.Rules.PassSet(setGoesOn)
	} else {
		c.c.Rules.PassSet(setNumber)
		c.contents().judgeSilence(dir, before)
	}
	return true
}

// goesOn reports a datagram with data that comes while both sides speak and are heard: before it nobody was silent for long.
func (c frameJudge) goesOn(dir dissect.Dir, before stand) bool {
	s, o, now := &c.side[dir], &c.side[dir.Other()], c.Frame.Time
	return c.State() == session.Established &&
		now-before.topAt <= silenceTime && s.datagrams.gapAt <= before.topAt &&
		s.ask.has && now-s.ask.at <= rarePings && s.ask.alone.frame == 0 && o.ask.alone.frame == 0 &&
		o.datagrams.has && now-o.datagrams.topAt <= loneTime
}

// passPlain passes what a datagram of takesPlain passes that was counted, and notes it.
func (c frameJudge) passPlain(dir dissect.Dir) {
	n := len(c.Datagram.Messages)
	c.c.Rules.PassSet(setDatagram)
	c.c.Rules.PassSetTimes(setMessage, n)
	c.side[dir].datagrams.note(&c.Sent, note{messages: uint8(min(n, 255))})
}

// begun reports that the side has sent something that ends the connection.
func (e *ending) begun() bool { return e.disc.set || e.ack.set || e.discs > 0 }
