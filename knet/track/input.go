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
		s.dir, s.out, s.peer = i, &c.c.Dir[i], &c.side[i.Other()]
		s.ids.Bits, s.numbers.Bits = knet.PacketIDBits, knet.NumberBits
		s.transfers.conn, s.transfers.dir = c, i
		s.waiting.conn, s.waiting.dir = c, i
		if p.params.Dialect == knet.Spec {
			s.out.SetLimits(pageLimits)
		} else {
			s.out.SetLimits(libraryLimits)
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
	s := &c.side[c.c.Count(fr)]
	c.c.Malform(fr, err)
	switch {
	case err != nil && !fr.Cut():
		c.malformed(s)
	case c.finished, c.c.Damaged(fr.Datagram), err != nil && err.Offset < 3:
		c.count(s)
	case d.Type == knet.TypeConnect:
		c.connect(s.dir)
	default:
		c.datagram(s)
	}
}

// malformed takes a datagram that can't be read to its end. Where its header can be, the
// PacketID is not missing, whatever became of the messages.
func (c *conn) malformed(s *side) {
	if c.finished || c.c.Damaged(c.Frame.Datagram) {
		return
	}
	if _, known := s.ids.Known(); known && len(c.Datagram.Messages) > 0 {
		s.out.Provisionals().Disregard(s.ids.Peek(c.Datagram.PacketID))
	}
	if c.transmission(0, seq.Unmarked); !c.isCopied(s) {
		c.tell(s, Unread)
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
func (c *conn) datagram(s *side) {
	out, num := s.out, s.ids.Peek(c.Datagram.PacketID)
	if c.Datagram.Dialect == knet.Spec && !s.bits.sure {
		ackReading{c}.readAcks(s.dir)
	}
	if s.peer.out.Provisionals().Any() {
		c.confirmAcked(s.peer)
	}
	sent := c.describe(num)
	c.inspect()
	if len(c.Faults) > 0 {
		if c.isApart(s) {
			c.Doubtful = true
			c.setApart(s)
			return
		}
		c.Doubtful = c.doubts(s)
	}
	switch out.Place(sent, c.Frame.Datagram) {
	case seq.Provisional:
		c.c.SetAside(s.dir, sent, c.Frame)
		c.tell(s, Aside)
		c.count(s)
		c.refuted(s)
		return
	case seq.Confirmed:
		c.believe(s)
	}
	c.believed(s, num)
	if out.Provisionals().HasRefuted() {
		c.refuted(s)
	}
}

// believed tracks a datagram whose PacketID stands in the series of its side.
func (c *conn) believed(s *side, num seq.Num) {
	out, sent := s.out, &c.Sent
	known, _ := out.Captured(num)
	c.Known = known
	other := known && c.hasOtherContent(s, sent)
	if other {
		sent.Mark = seq.MarkFirst // a datagram that is sent again is so as it was
	}
	if !known {
		c.tell(s, Fresh) // it can be no copy
		if c.isApart(s) && c.overdue(s) {
			c.setApart(s)
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
	c.tell(s, Taken)
	if other {
		out.Provisionals().Replace(sent)
	}
	c.speaks(s.dir)
	c.carrier.Of(out, num, c.Frame)
	c.messages(s, num, v.Novelty == seq.First || other)
}

// hasOtherContent reports a PacketID that was captured with other bytes, all of them.
func (c *conn) hasOtherContent(s *side, sent *seq.Sending) bool {
	look, _ := s.out.Look(sent.Num)
	if look.Digest == sent.Digest() || look.Digest == 0 || c.Frame.Cut() {
		return false
	}
	return !s.cuts.has(sent.Num)
}

func (s *side) keepFirst(id uint32, sent *seq.Sending) {
	if id < firstIDs && !s.firsts[id].seen {
		s.firsts[id] = first{sent.Num, sent.Hash, sent.Time, sent.IPID, true}
	}
}

// messages tracks the messages of a datagram; fresh says that no copy of it was
// captured before.
func (c *conn) messages(s *side, num seq.Num, fresh bool) {
	if c.Datagram.Plain && c.Datagram.Dialect != knet.Spec && c.wants.Messages == session.CountMessages {
		c.countMessages(s, num, fresh)
		return
	}
	var x Contents
	if fresh && c.Datagram.Dialect == knet.Spec {
		fresh = c.freshContent(s.dir, num)
	}
	for i := range c.Datagram.Messages {
		m := &c.Datagram.Messages[i]
		if !m.Known() {
			continue // cut by the capture
		}
		x.See(m)
		if c.Datagram.Dialect == knet.Spec && m.Kind != knet.ConnectSyn && m.Kind != knet.ConnectSynAck {
			c.says(s)
		}
		isNew := fresh
		if m.IsReliable() && c.Datagram.Dialect != knet.Spec {
			isNew = c.numbered(s, m, fresh)
		}
		if m.Kind != knet.Application {
			c.control(s, num, m, fresh)
			continue
		}
		c.spoken = true
		if c.Datagram.Dialect == knet.Spec {
			c.confirm(s.dir)
		}
		if isNew {
			c.application(s, num, i, m)
		}
	}
	c.enter(s, &x)
	c.Frame.Awaits = c.wants.Links && (c.Datagram.Reliable || s.plain.await(num))
	c.Frame.Unreliable = !c.Datagram.Reliable
	c.acksOnly(s, &x)
	for i := range c.side {
		if w := &c.side[i].waiting; w.some() {
			w.release()
		}
	}
}

// countMessages is messages for a datagram of Reference with nothing but whole messages of the application, when messages are only counted.
func (c *conn) countMessages(s *side, num seq.Num, fresh bool) {
	for i, all := 0, c.Datagram.Messages; fresh && i < len(all); {
		if all[i].IsReliable() {
			i += c.countRow(s, all[i:])
		} else {
			s.out.CountMessage(true, len(all[i].Body))
			i++
		}
	}
	c.spoken = true
	s.out.DataFrames++
	c.Frame.Awaits = c.wants.Links && (c.Datagram.Reliable || s.plain.await(num))
	c.Frame.Unreliable = !c.Datagram.Reliable
}

// longRow bounds the messages that are numbered together.
const longRow = 8

// countRow counts the reliable messages of Reference that others begin with, as long as their numbers stand in a row and none
// was sent before. It gives how many it took: these, and the one that was.
func (c *conn) countRow(s *side, all []knet.Message) (taken int) {
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
	first := s.numbers.Peek(number)
	fresh, again := c.carrier.SendUnits(first, prints[:taken])
	for ; taken > fresh; taken-- {
		size -= len(all[taken-1].Body)
	}
	if again != nil {
		taken++
	}
	s.numbers.Advance(first + seq.Num(taken-1))
	s.out.Messages += uint64(fresh)
	s.out.MessageBytes += uint64(size)
	if again != nil {
		c.sentBefore(s, &all[fresh], again)
	}
	return taken
}

// numbered tracks the number of a reliable message of Reference, which it keeps
// when it is sent again, and reports whether it is new.
func (c *conn) numbered(s *side, m *knet.Message, fresh bool) bool {
	n := s.numbers.Peek(m.Number)
	if !fresh {
		return false
	}
	s.numbers.Advance(n)
	v := c.carrier.SendUnit(n, printOf(m))
	if v != nil {
		c.sentBefore(s, m, v)
	}
	return v == nil
}

// sentBefore takes a message of which its number says that it was sent before.
func (c *conn) sentBefore(s *side, m *knet.Message, v *seq.UnitVerdict) {
	if v.Words != 0 && c.Frame.RetryOf == 0 {
		c.Frame.RetryOf = v.RetryOf
	}
	c.Frame.Words |= v.Words
	c.Message, c.Unit = m, v
	c.tell(s, Resent)
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
