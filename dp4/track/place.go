package track

import (
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Contradiction is what is wrong with the numbers of a packet by those captured before
// (MC-DPL4R 2.2.2, 3.1.5.2). Unless it says otherwise, the frame at hand is not tracked.
type Contradiction uint8

const (
	OtherPacket  Contradiction = iota + 1 // Other has its number, and is of another message
	NewBelow                              // … and this one is a new packet below the highest
	OtherRLY                              // it is sent again with another RLY
	OtherEnds                             // … STA or EOM
	OtherData                             // … data
	MessageSkips                          // there is no room after Other for the messages it skips
	MessageBack                           // it is of an earlier message than Other before it
	MessageAhead                          // its message does not fit that of Other after it
	PacketsSkip                           // it begins the next message, numbers after the end of Other's are left out
	NotBegun                              // it follows the end of Other's message without STA; it is tracked
	Ended                                 // it is of the message that ended with Other, right before it
	Unfinished                            // it has STA, but its message went on at Other, right before it
	Unended                               // Other has no EOM, and Next after it is of another message, which this one shows to be in order; it is tracked
	Within                                // Other, right before it, lies within Message: that is out of place, this one is tracked
	LateFirst                             // it is sent for the first time long after Other, whose number is higher
	RanAhead                              // … and that one stands alone: that is out of place, this one is tracked
	MessageRan                            // the message of Other, the highest, does not fit: that is out of place, this one is tracked
	MixedRLY                              // it differs in RLY from other packets of Message
	TwoSTA                                // it has STA, as another packet of Message
	TwoEOM                                // … EOM
	AfterEOM                              // it lies after the end of Message
)

// found tells the judge of a contradiction.
func (c *conn) found(what Contradiction, other Record, m *Message) {
	c.Contradiction, c.Other, c.Message = what, other, m
	c.tell(Contradicts)
}

// possible reports whether the numbers of a data frame can be right by those captured
// before; where they are not, it is not to be tracked.
func (c *conn) possible(num, msg seq.Num) bool {
	h := &c.own.history
	var u Record
	if c.known {
		u = h.record(num)
	}
	if !c.Frame.HasTime || !h.pace.steady(c.Frame.Time) {
		if !u.IsKnown() || u.Msg != msg || u.data != dataPrint(c.Packet, c.Frame) {
			h.doubt(c.Frame.Time) // too long ago to compare with
			u = Record{}
		}
	}
	if c.First = !u.IsKnown(); !c.First {
		return c.repeats(u, msg)
	}
	if c.Packet.Serial != 0 {
		c.Clean = c.c.Rules.Clean(0)
	}
	return c.fits(num, msg)
}

// repeats compares a transmission of a packet with that captured before (MC-DPL4R 2.2.2).
func (c *conn) repeats(u Record, msg seq.Num) bool {
	what := c.unlike(u, msg)
	if what == 0 {
		c.Other = u
		c.tell(Repeats)
		return true
	}
	c.Restarts = c.Packet.Initial() && c.Packet.Serial == 0
	c.found(what, u, nil)
	return c.Restarts
}

// unlike says in what a transmission differs from the packet that has its number, 0 for nothing.
func (c *conn) unlike(u Record, msg seq.Num) Contradiction {
	f := c.Packet
	data := dataPrint(f, c.Frame)
	switch {
	case u.Msg != msg && c.isNewBelow(u.Num, msg):
		return NewBelow
	case u.Msg != msg:
		return OtherPacket
	case (f.Flags^u.Flags)&dp4.RLY != 0:
		return OtherRLY
	case (f.Flags^u.Flags)&dp4.WholeMessage != 0:
		return OtherEnds
	case data != 0 && u.data != 0 && data != u.data:
		return OtherData
	}
	return 0
}

// isNewBelow reports whether what has the number of another packet is a new one: the
// first transmission of a message after all others, below the highest number.
func (c *conn) isNewBelow(num, msg seq.Num) bool {
	s := c.own
	last, ok := s.msg.Known()
	return ok && msg > last && num < s.history.top && c.Packet.Serial == 0 && c.Packet.Flags&dp4.STA != 0
}

// fits compares a packet captured for the first time with its neighbours. Of two
// packets, one after the other, the second belongs to the same message or to a
// later one, and no more messages begin than there are packets (MC-DPL4R 2.2.2).
func (c *conn) fits(num, msg seq.Num) bool {
	h := &c.own.history
	if !h.topSet || num > h.top+NearPackets {
		return true
	}
	if num == h.top+1 && h.topEnds && msg == h.topMsg+1 && c.Packet.Flags&dp4.STA != 0 && !h.isOpen && h.message(msg) == nil {
		c.Fits = true // the next one, most of the time
		return true
	}
	p := h.before(num)
	if p.IsKnown() && !c.fitsAfter(p, num, msg) {
		return false
	}
	u := h.above(num)
	if u.IsKnown() {
		if d, dm := u.Num-num, u.Msg-msg; dm < 0 || dm > d {
			if u.Num == h.top && p.IsKnown() && p.Num == num-1 {
				c.found(MessageRan, u, nil)
				c.rewind(u, num)
				return c.fitsMessage(num, h.messageAt(msg, p, u))
			}
			c.found(MessageAhead, u, nil)
			return false
		}
		if !c.fitsBefore(num, u) {
			return false
		}
	}
	if !c.fitsMessage(num, h.messageAt(msg, p, u)) {
		return false
	}
	c.Fits = p.IsKnown()
	return true
}

// fitsAfter compares with the nearest packet before.
func (c *conn) fitsAfter(p Record, num, msg seq.Num) bool {
	h, begins := &c.own.history, c.Packet.Flags&dp4.STA != 0
	d, dm := num-p.Num, msg-p.Msg
	switch {
	case (dm < 0 || dm > d) && h.jumped(num, msg):
		return true
	case dm < 0:
		return c.goesBack(p, num, msg)
	case dm > d:
		h.jumpNum, h.jumpMsg, h.jump = num, msg, true
		c.found(MessageSkips, p, nil)
		return false
	case p.Flags&dp4.EOM == 0:
		return c.fitsUnended(p, d, dm)
	case d == 1 && dm == 0:
		if !begins && h.goesPast(num, p.Msg) {
			return true
		}
		c.found(Ended, p, nil)
		return false
	case d > 1 && dm == 1 && begins && h.isPast && h.past == num-1:
	case d > 1 && dm == 1 && begins:
		c.found(PacketsSkip, p, nil)
		return false
	case d == 1 && !begins:
		c.found(NotBegun, p, nil)
	}
	if h.isOpen && num == h.open+1 {
		c.settleOpen()
	}
	return true
}

// goesPast notes a packet after the end of its message. A message that goes on had
// no end there: that is one fault, not many.
func (h *history) goesPast(num, msg seq.Num) (again bool) {
	again = h.isPast && h.pastMsg == msg && num > h.past
	h.past, h.pastMsg, h.isPast = num, msg, true
	if m := h.message(msg); again && m != nil {
		m.HasEOM = false
	}
	return again
}

// fitsUnended: after a packet that did not end its message. When another message
// follows, the next packet tells which of both is out of place.
func (c *conn) fitsUnended(p Record, d, dm seq.Num) bool {
	h := &c.own.history
	if d != 1 {
		return true
	}
	if h.isOpen && p.Num == h.open {
		c.settleOpen()
	}
	if dm == 0 && c.Packet.Flags&dp4.STA != 0 {
		c.found(Unfinished, p, nil)
		return false
	}
	if dm == 1 {
		h.open, h.isOpen = p.Num+1, true
	}
	return true
}

// settleOpen ends the case of a packet that followed one without EOM and was of
// another message, now that the packet after it continues that one.
func (c *conn) settleOpen() {
	h := &c.own.history
	h.isOpen = false
	p, u := h.record(h.open-1), h.record(h.open)
	if p.IsKnown() && u.IsKnown() {
		c.Next = u
		c.found(Unended, p, nil)
	}
}

// goesBack: the packet belongs to an earlier message than the one before it. When
// that message was under way, the packet in between is out of place (MC-DPL4R
// 3.1.5.2), else this one is.
func (c *conn) goesBack(p Record, num, msg seq.Num) bool {
	h := &c.own.history
	m := h.message(msg)
	if m != nil && m.Low < p.Num && !(m.HasEOM && m.EOM < p.Num) {
		c.found(Within, p, m)
		h.drop(p)
		h.isOpen = false
		return true
	}
	h.jumpNum, h.jumpMsg, h.jump = num, msg, true
	c.found(MessageBack, p, nil)
	return false
}

// drop forgets a packet that is out of place.
func (h *history) drop(u Record) {
	if m := h.message(u.Msg); m != nil && m.Low == u.Num {
		m.set = false
	}
	u.epoch = noEpoch
	h.gap = max(h.gap, u.Num)
	h.topEnds = h.topEnds && u.Num != h.top
}

// messageAt gives a message that a packet between two others is of, nil where none of its packets is known.
func (h *history) messageAt(msg seq.Num, before, above Record) *Message {
	if m := h.message(msg); m != nil {
		return m
	}
	for _, u := range [...]Record{before, above} {
		if h.compares(u) && u.Msg == msg && u.Flags&dp4.WholeMessage == dp4.WholeMessage {
			return u.whole()
		}
	}
	return nil
}

// fitsMessage compares with the other packets of the message.
func (c *conn) fitsMessage(num seq.Num, m *Message) bool {
	f, what := c.Packet, Contradiction(0)
	switch {
	case m == nil:
	case (f.Flags&dp4.RLY != 0) != m.rly:
		what = MixedRLY
	case f.Flags&dp4.STA != 0 && m.HasSTA && m.STA != num:
		what = TwoSTA
	case m.HasEOM && num > m.EOM && c.own.history.goesPast(num, m.Num):
	case m.HasEOM && num > m.EOM:
		what = AfterEOM
	case f.Flags&dp4.EOM != 0 && m.HasEOM && m.EOM != num:
		what = TwoEOM
	}
	if what != 0 {
		c.found(what, Record{}, m)
	}
	return what == 0
}

// fitsBefore: a first transmission, which its serial 0 proves, comes long after a
// packet with a higher number. When that one stands alone, it ran ahead.
func (c *conn) fitsBefore(num seq.Num, u Record) bool {
	f := c.Packet
	if f.Serial != 0 || f.Flags&dp4.STA == 0 || u.Low != 0 || !c.fine() || c.Frame.Time-u.Time() <= 2*int64(u.horizon) {
		return true
	}
	if u.Num < c.own.history.top {
		c.found(LateFirst, u, nil)
		return false
	}
	c.found(RanAhead, u, nil)
	c.rewind(u, num)
	return true
}

// rewind forgets a packet that ran ahead of all others: numbers go on below it.
func (c *conn) rewind(u Record, num seq.Num) {
	s := c.own
	s.history.drop(u)
	s.history.top, s.history.gap = num, num
	s.seq, s.msg = seq.Serial{Bits: 8}, seq.Serial{Bits: 8}
	s.seq.Advance(num - 1)
	s.msg.Advance(s.msg.Peek(uint32(c.Packet.MessageID)))
}

// fine reports that times of the capture are known to be fine enough to tell a later
// transmission from a copy.
func (c *conn) fine() bool {
	rules := &c.c.Rules
	return rules.ClockFine() && rules.Frames(0)+rules.Frames(1) >= fineFrames
}

// fineFrames is after how many frames the granularity of times shows.
const fineFrames = 24
