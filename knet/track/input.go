package track

import (
	"encoding/binary"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

func newConn(p *pair, fr *dissect.Frame) *conn {
	c := &conn{flow: p.flow, pair: p, wants: p.flow.Wants(), client: -1}
	c.c = p.flow.Open(fr)
	c.c.Follow(&c.life.state, &c.life.closer, c.timedOut)
	for i := range c.side {
		s := &c.side[i]
		s.ids.Bits, s.numbers.Bits = knet.PacketIDBits, knet.NumberBits
		s.transfers.conn, s.transfers.dir = c, i
		s.waiting.conn, s.waiting.dir = c, i
		if p.params.Dialect == knet.Spec {
			c.c.Dir[i].SetLimits(pageLimits)
		} else {
			c.c.Dir[i].SetLimits(libraryLimits)
		}
		s.lowMemory = c.wants.LowMemory
		s.datagrams.lowMemory = c.wants.LowMemory
		c.told[i] = s.acknowledged
	}
	if p.decided {
		c.c.Dialect = p.params.Dialect.String()
	}
	c.link = func(at seq.Position) {
		c.fr.Acks = append(c.fr.Acks, at.Frame)
		c.flow.Acked(at, c.fr.Frame)
	}
	return c
}

// input tracks one decoded datagram.
func (c *conn) input(fr *dissect.Frame, d *knet.Datagram, err *dissect.Error) {
	c.fr, c.d, c.now, c.pong, c.suspect = fr, d, fr.Frame, pong{}, false
	c.doubtful = false
	c.suspicions, c.named = 0, 0
	dir := c.c.Count(fr)
	c.c.Malform(fr, err)
	switch {
	case err != nil && !fr.Cut():
		c.malformed(dir, err)
	case c.finished, c.c.Damaged(fr.Datagram), err != nil && err.Offset < 3:
		c.count(dir)
	case d.Type == knet.TypeConnect:
		c.connect(dir)
	default:
		c.datagram(dir)
	}
}

// malformed takes a datagram that can't be read to its end. Where its header can be, the
// PacketID is not missing, whatever became of the messages.
func (c *conn) malformed(dir int, err *dissect.Error) {
	if s := &c.side[dir]; len(c.d.Messages) > 0 && !c.finished && !c.c.Damaged(c.fr.Datagram) {
		if _, known := s.ids.Known(); known {
			c.c.Dir[dir].Provisionals().Disregard(s.ids.Peek(c.d.PacketID))
		}
	}
	c.frames().judgeMalformed(dir, err)
}

// describe describes the datagram at hand, which has a PacketID, to the engine. The
// library never sends a PacketID again; the page sends the datagram again.
func (c *conn) describe(num int64) *seq.Sending {
	if c.d.Dialect == knet.Spec {
		return c.sending(num, seq.Unmarked)
	}
	sent := c.sending(num, seq.MarkFirst)
	sent.Exact = true
	return sent
}

// datagram tracks a numbered datagram.
func (c *conn) datagram(dir int) {
	out, num := &c.c.Dir[dir], c.side[dir].ids.Peek(c.d.PacketID)
	if c.d.Dialect == knet.Spec && !c.side[dir].bits.sure {
		ackReading{c}.readAcks(dir)
	}
	if c.c.Dir[1-dir].Provisionals().Any() {
		c.confirmAcked(1 - dir)
	}
	sent := c.describe(num)
	c.inspect()
	if len(c.faults) > 0 {
		apart := c.isApart(dir)
		c.doubtful = apart || c.doubts(dir)
		c.suspect = c.doubtful
		if apart {
			c.frames().judgeApart(dir)
			return
		}
	}
	switch out.Place(sent, c.fr.Datagram) {
	case seq.Provisional:
		c.c.SetAside(dir, sent, c.fr)
		c.judgeProvisional(dir, sent)
		c.count(dir)
		c.judgeRefuted(dir)
		return
	case seq.Confirmed:
		c.believe(dir)
		c.inspect()
	}
	c.believed(dir, num)
	if out.Provisionals().HasRefuted() {
		c.judgeRefuted(dir)
	}
}

// believed tracks a datagram whose PacketID stands in the series of its side.
func (c *conn) believed(dir int, num int64) {
	s, out, sent := &c.side[dir], &c.c.Dir[dir], &c.sent
	known, _ := out.Captured(num)
	other := known && c.hasOtherContent(dir, sent)
	if other {
		sent.Mark = seq.MarkFirst // a datagram that is sent again is so as it was
	}
	if !known {
		c.frames().judge(dir, sent) // it can be no copy
		if c.overdue(dir) && c.isApart(dir) {
			c.frames().judgeApart(dir)
			return
		}
	}
	s.ids.Advance(num)
	s.keepFirst(c.d.PacketID, sent)
	sent.NoAck = !c.d.Reliable
	v := out.Send(sent)
	c.fr.Words |= v.Words
	if c.fr.Cut() {
		s.cuts.add(num)
	}
	if other = other && !v.Words.Has(dissect.Duplicate); other {
		out.Provisionals().Replace(sent)
	}
	if v.Words&(dissect.Retry|dissect.Duplicate) != 0 {
		c.fr.RetryOf = v.RetryOf
	}
	if c.d.Dialect == knet.Spec && c.d.Reliable {
		s.repeated(v)
	}
	c.frames().pronounce()
	if known && !v.Words.Has(dissect.Duplicate) {
		c.frames().judge(dir, sent)
	}
	c.speaks(dir)
	c.messages(dir, num, v.Novelty == seq.First || other)
}

// hasOtherContent reports a PacketID that was captured with other bytes, all of them.
func (c *conn) hasOtherContent(dir int, sent *seq.Sending) bool {
	look, _ := c.c.Dir[dir].Look(sent.Num)
	if look.Hash == sent.Hash || look.Hash == 0 || c.fr.Cut() {
		return false
	}
	return !c.side[dir].cuts.has(sent.Num)
}

func (s *side) keepFirst(id uint32, sent *seq.Sending) {
	if id < firstIDs && !s.firsts[id].seen {
		s.firsts[id] = first{true, sent.Num, sent.IPID, sent.Hash, sent.Time}
	}
}

// messages tracks the messages of a datagram; fresh says that no copy of it was
// captured before.
func (c *conn) messages(dir int, num int64, fresh bool) {
	if c.d.Plain && c.d.Dialect != knet.Spec && c.wants.Messages == session.CountMessages {
		c.frames().countMessages(dir, num, fresh)
		return
	}
	var x contents
	if fresh && c.d.Dialect == knet.Spec {
		fresh = c.freshContent(dir, num)
	}
	for i := range c.d.Messages {
		m := &c.d.Messages[i]
		if !m.Known() {
			continue // cut by the capture
		}
		x.see(m)
		if c.d.Dialect == knet.Spec && m.Kind != knet.ConnectSyn && m.Kind != knet.ConnectSynAck {
			c.says(dir)
		}
		isNew := fresh
		if m.IsReliable() && c.d.Dialect != knet.Spec {
			isNew = c.numbered(dir, num, m, fresh)
		}
		if m.Kind != knet.Application {
			c.control(dir, num, m, fresh)
			continue
		}
		c.spoken = true
		if c.d.Dialect == knet.Spec {
			c.confirm(dir)
		}
		if isNew {
			c.application(dir, num, i, m)
		}
	}
	c.enter(dir, &x)
	c.fr.Awaits = c.wants.Links && (c.d.Reliable || c.side[dir].plain.await(num))
	c.fr.Unreliable = !c.d.Reliable
	c.judgeAcks(dir, &x)
	for i := range c.side {
		if w := &c.side[i].waiting; w.some() {
			w.release()
		}
	}
}

// numbered tracks the number of a reliable message of Reference, which it keeps
// when it is sent again, and reports whether it is new.
func (c *conn) numbered(dir int, num int64, m *knet.Message, fresh bool) bool {
	s := &c.side[dir]
	n := s.numbers.Peek(m.Number)
	if !fresh {
		return false
	}
	s.numbers.Advance(n)
	v := c.c.Dir[dir].SendUnit(n, num, printOf(m), c.fr)
	if v.New {
		return true
	}
	if v.Words != 0 && c.fr.RetryOf == 0 {
		c.fr.RetryOf = v.RetryOf
	}
	c.fr.Words |= v.Words
	if c.pair.sure() && !c.suspect {
		c.numbers().judgeResent(dir, m, &v)
	}
	return false
}

// printOf is a fingerprint of what a message says, 0 for one that is cut. It looks at the
// size, the id, and the first and last bytes: what differs there differs.
func printOf(m *knet.Message) uint16 {
	if !m.Whole {
		return 0
	}
	h, b := uint64(len(m.Body))<<32^uint64(m.ID.Value), m.Body
	if n := len(b); n >= 8 {
		h ^= binary.LittleEndian.Uint64(b)*0x9e3779b97f4a7c15 ^ bits.RotateLeft64(binary.LittleEndian.Uint64(b[n-8:]), 31)
	} else {
		for _, c := range b {
			h = h<<8 | h>>56 ^ uint64(c)
		}
	}
	return uint16(h*0xff51afd7ed558ccd>>48) | 1
}
