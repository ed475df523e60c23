package track

import (
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgePlain is judge for what most datagrams of Reference are: nothing but whole
// messages of the application, without fault, and the next of a side of which
// nothing is held open. It reports false, having done nothing, for all others.
func (c frameJudge) judgePlain(dir int, sent *seq.Sending) bool {
	s := &c.side[dir]
	r := &s.datagrams
	switch {
	case !c.d.Plain || c.d.Dialect == knet.Spec || len(c.faults) > 0 || c.fr.Cut():
		return false
	case !r.has || sent.Num != r.top+1 || s.order.odd.set || s.order.odd.runs != 0 || len(s.acking.ahead) > 0:
		return false
	case c.side[0].ending.begun() || c.side[1].ending.begun():
		return false
	}
	before := r.stand()
	if !r.follow(sent, c.d) {
		return false
	}
	c.broken, c.jump = false, false
	c.numbers().judgeStep(dir, 1)
	c.c.Rules.PassSet(setNumber)
	c.contents().judgeSilence(dir, before)
	return true
}

// countMessages is messages for a datagram like that when messages are only counted.
func (c frameJudge) countMessages(dir int, num int64, fresh bool) {
	out := &c.c.Dir[dir]
	for i := range c.d.Messages {
		m := &c.d.Messages[i]
		if !m.IsReliable() {
			if fresh {
				out.CountMessage(true, len(m.Body))
			}
		} else if fresh && c.numbered(dir, num, m, true) {
			out.CountMessage(true, len(m.Body))
		}
	}
	c.spoken = true
	out.DataFrames++
	c.fr.Awaits = c.wants.Links && (c.d.Reliable || c.side[dir].plain.await(num))
	c.fr.Unreliable = !c.d.Reliable
}

// begun reports that the side has sent something that ends the connection.
func (e *ending) begun() bool { return e.disc.set || e.ack.set || e.discs > 0 }
