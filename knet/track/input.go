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
	c.c.Follow(&c.life.state, &c.life.closer, c)
	for i := range dissect.Dirs {
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
	}
	if p.decided {
		c.c.Dialect = p.params.Dialect.String()
	}
	if p.judge != nil {
		c.judge = p.judge()
		c.judge.Follow(View{c})
	}
	return c
}

// link notes that the frame at hand acknowledges another one.
func (c *conn) link(at seq.Position) {
	c.Frame.Acks = append(c.Frame.Acks, at.Frame)
	c.flow.Acked(at, c.Frame.Frame)
}

// input tracks one decoded datagram.
func (c *conn) input(fr *dissect.Frame, d *knet.Datagram, err *dissect.Error) {
	c.Frame, c.Datagram, c.now, c.pong, c.Doubtful = fr, d, fr.Frame, pong{}, false
	c.Known = false
	dir := c.c.Count(fr)
	c.c.Malform(fr, err)
	switch {
	case err != nil && !fr.Cut():
		c.malformed(dir)
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
func (c *conn) malformed(dir dissect.Dir) {
	if c.finished || c.c.Damaged(c.Frame.Datagram) {
		return
	}
	s := &c.side[dir]
	if _, known := s.ids.Known(); known && len(c.Datagram.Messages) > 0 {
		c.c.Dir[dir].Provisionals().Disregard(s.ids.Peek(c.Datagram.PacketID))
	}
	if c.transmission(0, seq.Unmarked); !c.isCopied(dir) {
		c.tell(dir, Unread)
	}
}

// describe describes the datagram at hand, which has a PacketID, to the engine. The
// library never sends a PacketID again; the page sends the datagram again.
func (c *conn) describe(num seq.Num) *seq.Sending {
	if c.Datagram.Dialect == knet.Spec {
		return c.transmission(num, seq.Unmarked)
	}
	sent := c.transmission(num, seq.MarkFirst)
	sent.Exact = true
	return sent
}

// datagram tracks a numbered datagram.
func (c *conn) datagram(dir dissect.Dir) {
	out, num := &c.c.Dir[dir], c.side[dir].ids.Peek(c.Datagram.PacketID)
	if c.Datagram.Dialect == knet.Spec && !c.side[dir].bits.sure {
		ackReading{c}.readAcks(dir)
	}
	if c.c.Dir[dir.Other()].Provisionals().Any() {
		c.confirmAcked(dir.Other())
	}
	sent := c.describe(num)
	c.inspect()
	if len(c.Faults) > 0 {
		if c.isApart(dir) {
			c.Doubtful = true
			c.setApart(dir)
			return
		}
		c.Doubtful = c.doubts(dir)
	}
	switch out.Place(sent, c.Frame.Datagram) {
	case seq.Provisional:
		c.c.SetAside(dir, sent, c.Frame)
		c.tell(dir, Aside)
		c.count(dir)
		c.refuted(dir)
		return
	case seq.Confirmed:
		c.believe(dir)
	}
	c.believed(dir, num)
	if out.Provisionals().HasRefuted() {
		c.refuted(dir)
	}
}

// believed tracks a datagram whose PacketID stands in the series of its side.
func (c *conn) believed(dir dissect.Dir, num seq.Num) {
	s, out, sent := &c.side[dir], &c.c.Dir[dir], &c.Sent
	known, _ := out.Captured(num)
	c.Known = known
	other := known && c.hasOtherContent(dir, sent)
	if other {
		sent.Mark = seq.MarkFirst // a datagram that is sent again is so as it was
	}
	if !known {
		c.tell(dir, Fresh) // it can be no copy
		if c.isApart(dir) && c.overdue(dir) {
			c.setApart(dir)
			return
		}
	}
	s.ids.Advance(num)
	s.keepFirst(c.Datagram.PacketID, sent)
	sent.NoAck = !c.Datagram.Reliable
	v := out.Send(sent)
	c.Frame.Words |= v.Words
	if c.Frame.Cut() {
		s.cuts.add(num)
	}
	other = other && !v.Words.Has(dissect.Duplicate)
	if v.Words&(dissect.Retry|dissect.Duplicate) != 0 {
		c.Frame.RetryOf = v.RetryOf
	}
	if c.Datagram.Dialect == knet.Spec && c.Datagram.Reliable {
		s.repeated(v)
	}
	c.tell(dir, Taken)
	if other {
		out.Provisionals().Replace(sent)
	}
	c.speaks(dir)
	c.carrier.Of(out, num, c.Frame)
	c.messages(dir, num, v.Novelty == seq.First || other)
}

// hasOtherContent reports a PacketID that was captured with other bytes, all of them.
func (c *conn) hasOtherContent(dir dissect.Dir, sent *seq.Sending) bool {
	look, _ := c.c.Dir[dir].Look(sent.Num)
	if look.Digest == sent.Digest() || look.Digest == 0 || c.Frame.Cut() {
		return false
	}
	return !c.side[dir].cuts.has(sent.Num)
}

func (s *side) keepFirst(id uint32, sent *seq.Sending) {
	if id < firstIDs && !s.firsts[id].seen {
		s.firsts[id] = first{sent.Num, sent.Hash, sent.Time, sent.IPID, true}
	}
}

// messages tracks the messages of a datagram; fresh says that no copy of it was
// captured before.
func (c *conn) messages(dir dissect.Dir, num seq.Num, fresh bool) {
	if c.Datagram.Plain && c.Datagram.Dialect != knet.Spec && c.wants.Messages == session.CountMessages {
		c.countMessages(dir, num, fresh)
		return
	}
	var x Contents
	if fresh && c.Datagram.Dialect == knet.Spec {
		fresh = c.freshContent(dir, num)
	}
	for i := range c.Datagram.Messages {
		m := &c.Datagram.Messages[i]
		if !m.Known() {
			continue // cut by the capture
		}
		x.See(m)
		if c.Datagram.Dialect == knet.Spec && m.Kind != knet.ConnectSyn && m.Kind != knet.ConnectSynAck {
			c.says(dir)
		}
		isNew := fresh
		if m.IsReliable() && c.Datagram.Dialect != knet.Spec {
			isNew = c.numbered(dir, num, m, fresh)
		}
		if m.Kind != knet.Application {
			c.control(dir, num, m, fresh)
			continue
		}
		c.spoken = true
		if c.Datagram.Dialect == knet.Spec {
			c.confirm(dir)
		}
		if isNew {
			c.application(dir, num, i, m)
		}
	}
	c.enter(dir, &x)
	c.Frame.Awaits = c.wants.Links && (c.Datagram.Reliable || c.side[dir].plain.await(num))
	c.Frame.Unreliable = !c.Datagram.Reliable
	c.acksOnly(dir, &x)
	for i := range c.side {
		if w := &c.side[i].waiting; w.some() {
			w.release()
		}
	}
}

// countMessages is messages for a datagram of Reference with nothing but whole messages of the application, when messages are only counted.
func (c *conn) countMessages(dir dissect.Dir, num seq.Num, fresh bool) {
	out := &c.c.Dir[dir]
	for i, all := 0, c.Datagram.Messages; fresh && i < len(all); {
		if all[i].IsReliable() {
			i += c.countRow(dir, all[i:])
		} else {
			out.CountMessage(true, len(all[i].Body))
			i++
		}
	}
	c.spoken = true
	out.DataFrames++
	c.Frame.Awaits = c.wants.Links && (c.Datagram.Reliable || c.side[dir].plain.await(num))
	c.Frame.Unreliable = !c.Datagram.Reliable
}

// longRow bounds the messages that are numbered together.
const longRow = 8

// countRow counts the reliable messages of Reference that others begin with, as long as their numbers stand in a row and none
// was sent before. It gives how many it took: these, and the one that was.
func (c *conn) countRow(dir dissect.Dir, all []knet.Message) (taken int) {
	var prints [longRow]uint16
	number, size := all[0].Number, 0
	for i := range all {
		m := &all[i]
		if i == len(prints) || m.Number != number+uint32(i) || !m.IsReliable() {
			break
		}
		prints[i] = printOf(m)
		size += len(m.Body)
		taken++
	}
	numbers, out := &c.side[dir].numbers, &c.c.Dir[dir]
	first := numbers.Peek(number)
	fresh, again := c.carrier.SendUnits(first, prints[:taken])
	for ; taken > fresh; taken-- {
		size -= len(all[taken-1].Body)
	}
	if again != nil {
		taken++
	}
	numbers.Advance(first + seq.Num(taken-1))
	out.Messages += uint64(fresh)
	out.MessageBytes += uint64(size)
	if again != nil {
		c.sentBefore(dir, &all[fresh], again)
	}
	return taken
}

// numbered tracks the number of a reliable message of Reference, which it keeps
// when it is sent again, and reports whether it is new.
func (c *conn) numbered(dir dissect.Dir, num seq.Num, m *knet.Message, fresh bool) bool {
	s := &c.side[dir]
	n := s.numbers.Peek(m.Number)
	if !fresh {
		return false
	}
	s.numbers.Advance(n)
	v := c.carrier.SendUnit(n, printOf(m))
	if v != nil {
		c.sentBefore(dir, m, v)
	}
	return v == nil
}

// sentBefore takes a message of which its number says that it was sent before.
func (c *conn) sentBefore(dir dissect.Dir, m *knet.Message, v *seq.UnitVerdict) {
	if v.Words != 0 && c.Frame.RetryOf == 0 {
		c.Frame.RetryOf = v.RetryOf
	}
	c.Frame.Words |= v.Words
	c.Message, c.Unit = m, v
	c.tell(dir, Resent)
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
