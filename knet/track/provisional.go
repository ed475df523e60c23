package track

import (
	"fmt"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// confirmAcked believes the provisional datagrams of a side that the one at hand
// acknowledges.
func (c *conn) confirmAcked(dir int) {
	for i := range c.d.Messages {
		m := &c.d.Messages[i]
		if m.Kind != knet.PacketAck || !m.Known() {
			continue
		}
		first := c.side[dir].ids.Peek(m.Ack.PacketID & knet.PacketIDMask)
		mask := m.Ack.Bits << 1
		if m.Ack.PacketID <= knet.PacketIDMask {
			mask |= 1
		}
		for ; mask != 0; mask &= mask - 1 {
			n := first + int64(bits.TrailingZeros64(mask))
			if c.c.Dir[dir].Provisionals().Vouch(n, n+1) {
				c.believe(dir)
			}
		}
	}
}

// believe tracks the provisional datagrams of a side that the one at hand confirms.
func (c *conn) believe(dir int) {
	at, s, out := c.event, &c.side[dir], &c.c.Dir[dir]
	if c.pair.again == nil {
		c.pair.again = new(knet.Datagram)
	}
	c.c.Believe(dir, at.fr, func(again *dissect.Frame) {
		c.event = event{fr: again, d: c.pair.again, now: at.now}
		if c.d.Decode(again.Payload, c.pair.reads(c, dir), nil) != nil {
			return
		}
		ackReading{c}.readAcks(dir)
		num := s.ids.Peek(c.d.PacketID)
		if ref, ok := s.ids.Known(); ok && (num > ref+farAway || num < ref-farAway) {
			s.forget()
		}
		c.describe(num)
		c.inspect()
		data, acks, keepAlives := out.DataFrames, out.Acks, out.KeepAlives
		c.believed(dir, num)
		out.DataFrames, out.Acks, out.KeepAlives = data, acks, keepAlives // it was counted when it came
	})
	c.event = at
	c.judgeRefuted(dir)
}

// judgeProvisional judges what a provisional datagram shows wherever it stands, and notes
// what it asks for: its answer may come all the same.
func (c *conn) judgeProvisional(dir int, sent *seq.Sending) {
	c.frames().pronounce()
	for i := range c.d.Messages {
		if m := &c.d.Messages[i]; m.Whole && m.IsFragment() && c.pair.sure() && !c.fr.Words.Has(dissect.Duplicate) {
			c.contents().judgeFragment(dir, sent, m)
		}
	}
	c.contents().noteAsked(dir)
}

// judgeRefuted judges datagrams whose PacketIDs turned out to be out of place: the side
// went on before them (kNet page, InOrder Datagrams and Messages). With Spec a low
// PacketID may be up to 50 sendings old.
func (c *conn) judgeRefuted(dir int) {
	c.c.JudgeRefuted(dir, c.c.Dir[dir].Provisionals().Refuted(), func(p *seq.ProvisionalFrame, x *conform.Case) {
		c.c.Dir[dir].Provisionals().Disregard(p.Num)
		x.Rule, x.Since = rDgIdInc, p.Time+1
		x.Message = fmt.Sprintf("PacketID %d is out of place: those before and after it continue at %d", p.Num&knet.PacketIDMask, p.Expected&knet.PacketIDMask)
		switch {
		case !c.pair.sure():
			x.Blocked = conform.GuardDial
		case c.side[dir].datagrams.startAt > p.Time:
			x.Blocked = conform.GuardLife // the side began again since
		case p.By != 0 && c.pair.params.Dialect == knet.Spec && p.Num < p.Expected:
			x.Blocked = conform.GuardClean // it may have been sent before, unseen
		}
	})
}
