package track

import (
	"fmt"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
)

// farAway is by how many a PacketID must have jumped for rules to forget what its side
// sent before.
const farAway = 1 << 16

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
			if c.c.Dir[dir].Vouch(n, n+1) {
				c.believe(dir)
			}
		}
	}
}

// believe tracks the provisional datagrams of a side that the one at hand confirms.
func (c *conn) believe(dir int) {
	fr, d, sent, s, out := c.fr, c.d, c.sent, &c.side[dir], &c.c.Dir[dir]
	answer, suspect, named, suspicions := c.pong, c.suspect, c.named, c.suspicions
	if c.pair.again == nil {
		c.pair.again = new(knet.Datagram)
	}
	for _, x := range out.TakeConfirmed() {
		c.fr, c.d = c.c.Replay(x), c.pair.again
		if c.d.Decode(x.Payload, c.pair.params, nil) != nil {
			continue
		}
		num := s.ids.Peek(c.d.PacketID)
		if ref, ok := s.ids.Known(); ok && (num > ref+farAway || num < ref-farAway) {
			s.forget()
		}
		c.pong, c.suspect, c.named, c.suspicions = pong{}, false, 0, 0
		c.describe(num)
		c.frames().inspect()
		data, acks, keepAlives := out.DataFrames, out.Acks, out.KeepAlives
		c.believed(dir, num)
		out.DataFrames, out.Acks, out.KeepAlives = data, acks, keepAlives // it was counted when it came
		fr.Words |= c.fr.Words & dissect.Gap
	}
	c.c.Resume(fr)
	c.fr, c.d, c.sent = fr, d, sent
	c.pong, c.suspect, c.named, c.suspicions = answer, suspect, named, suspicions
	c.judgeRefuted(dir)
}

// judgeProvisional judges what a provisional datagram shows wherever it stands, and notes
// what it asks for: its answer may come all the same.
func (c *conn) judgeProvisional(dir int, sent *session.Sending) {
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
	for _, p := range c.c.Dir[dir].Refuted() {
		x := session.Case{Rule: rDgIdInc, Dir: dir, Frame: p.Frame, Time: p.Time, HasTime: p.HasTime, Proof: []uint64{p.By}, Since: p.Time + 1,
			Message: fmt.Sprintf("PacketID %d is out of place: those before and after it go on at %d", p.Num&knet.PacketIDMask, p.Expected&knet.PacketIDMask)}
		switch {
		case !c.pair.sure():
			x.Blocked = session.GuardDial
		case p.By == 0:
			x.Blocked = session.GuardUnwrap
		case c.pair.params.Dialect == knet.Spec && p.Num < p.Expected:
			x.Blocked = session.GuardClean // it may have been sent before, unseen
		}
		c.c.Rules.Judge(x)
	}
}
