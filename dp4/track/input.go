package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

func newConn(p *pair, fr *dissect.Frame, f *dp4.Frame) *conn {
	c := p.spare.Take()
	c.flow, c.wants = p.flow, p.flow.Wants()
	c.c = p.flow.Open(fr)
	c.c.Follow(&c.life.state, nil, c)
	if f.Type != dp4.TypeNone {
		c.c.Players, c.c.HasPlayers = [2]uint32{f.From.Value, f.To.Value}, true
	}
	if f.Type == dp4.TypeData && f.Initial() && !f.Ignored() {
		c.c.Complete = true
		c.life.state = session.Established
	}
	for i := range dissect.Dirs {
		s := &c.side[i]
		s.seq.Bits, s.msg.Bits = 8, 8
		s.dir, s.out = i, &c.c.Dir[i]
		s.asm.conn, s.asm.dir = c, i
		s.out.SetLimits(limits)
		s.history.out = s.out
	}
	if p.judge != nil {
		c.judge = p.judge()
		c.judge.Follow(View{c}, &c.Event)
	}
	return c
}

// link notes that the frame at hand acknowledges another one.
func (c *conn) link(at seq.Position) {
	c.Frame.Acks = append(c.Frame.Acks, at.Frame)
	c.flow.Acked(at, c.Frame.Frame)
}

// input tracks one decoded datagram.
func (c *conn) input(fr *dissect.Frame, f *dp4.Frame, err *dissect.Error) {
	dir := c.c.Count(fr)
	c.begin(&c.side[dir], fr, f)
	c.c.Malform(fr, err)
	c.life.heard(dir)
	if c.finished { // too late to change anything
		return
	}
	damaged := c.own.out.Damaged(fr.Datagram)
	if c.Faults = 0; !damaged {
		c.Faults = faults(fr, f, err)
	}
	c.doubtful = false
	malformed, untracked := false, false
	if err != nil || damaged || c.Faults != 0 || c.Others { // what its receiver ignores has a fault
		c.doubtful = damaged || c.Faults.Doubtful() || err != nil
		malformed = err != nil && !fr.Cut()
		untracked = malformed || damaged || err != nil && !f.Headed(err) || f.Ignored() || c.Faults&FaultNoack != 0 || c.Others
	}
	num, msg, next := seq.Num(0), seq.Num(0), false
	if f.Type == dp4.TypeData && !untracked {
		num, msg, next = c.recognize()
	} else if !damaged {
		c.sent.Of(fr.Datagram, 0, seq.Unmarked)
		c.sent.Outdated = !untracked && fr.IPID != 0 && c.own.hasTick && int32(f.Tick-c.own.tick) < 0 // only ACK and NACK come here
		fr.Words |= c.own.out.Unnumbered(&c.sent, untracked)
	}
	if c.Faults != 0 && c.IsNew() {
		c.tell(Shape)
	}
	switch {
	case malformed:
		c.own.bytes.doubt()
	case untracked:
		c.untracked(err)
	case f.Type == dp4.TypeData:
		c.dataFrame(num, msg, next)
	default:
		c.acknowledgement(err == nil)
	}
	if err == nil && !damaged && c.IsNew() {
		c.tell(Done)
	}
}

// untracked counts a frame by what it is and tracks nothing of it.
func (c *conn) untracked(err *dissect.Error) {
	switch c.Packet.Type {
	case dp4.TypeData:
		c.own.out.DataFrames++
		if c.Faults == FaultCmdext && err == nil {
			c.own.total += c.size()
			c.ignored(ByFlags)
		} else {
			c.ignored(Unclear)
		}
	case dp4.TypeACK, dp4.TypeNACK:
		c.own.out.Acks++
	}
}

// ignored notes a data frame of which its side's state does not follow: whether the
// receiver counts its bytes, and what it answers, is not known.
func (c *conn) ignored(why Reason) {
	c.own.bytes.doubt()
	c.Reason = why
	c.tell(Ignored)
}

// size is what the data frame at hand adds to its receiver's count of bytes.
func (c *conn) size() int64 { return int64(c.Packet.Size(c.Frame.Length)) }

// recognize unwraps the numbers of a data frame and tells whether it is a copy. Of the next number
// after all others nothing is remembered: it is none, and the first transmission of what begins
// with serial 0.
func (c *conn) recognize() (num, msg seq.Num, next bool) {
	f, s, out := c.Packet, c.own, c.own.out
	num, msg = s.seq.Peek(uint32(f.Sequence)), s.msg.Peek(uint32(f.MessageID))
	var u Record
	if next = out.IsNext(num); !next {
		num = out.Provisionals().Unwrap(num, 256)
		u = s.history.at(num)
	}
	c.known = u.IsKnown()
	mark := seq.MarkFirst
	if !next || f.Serial != 0 || f.Flags&dp4.STA == 0 {
		mark = s.history.mark(c.Frame, f, u, num, msg)
	}
	c.sent.Of(c.Frame.Datagram, num, mark)
	c.sent.Counted = true // the serial counts transmissions
	// What is sent unreliably, in one packet, and asks for no acknowledgement is acknowledged with
	// what comes later (MC-DPL4R 3.1.5.2), however long that takes.
	const alone = dp4.STA | dp4.EOM
	c.sent.NoAck = f.Flags&(dp4.RLY|dp4.SAK) == 0 && f.Flags&alone == alone
	if !next && out.Copied(&c.sent) {
		c.Frame.Words |= dissect.Duplicate
	}
	return num, msg, next
}

// dataFrame tracks a data frame.
func (c *conn) dataFrame(num, msg seq.Num, next bool) {
	s, out := c.own, c.own.out
	c.Frame.Skippable = c.Packet.Flags&dp4.RLY == 0
	out.DataFrames++
	if out.Stale(&c.sent) {
		c.Frame.Words |= dissect.Duplicate
		s.total += c.size()
		c.ignored(Unclear)
		return
	}
	if !next {
		switch out.Place(&c.sent, c.Frame.Datagram) {
		case seq.Provisional:
			c.c.SetAside(c.Dir, &c.sent, c.Frame)
			c.ignored(Unclear)
			c.refuted(s)
			return
		case seq.Confirmed:
			c.believe(s)
			msg = s.msg.Peek(uint32(c.Packet.MessageID)) // counted on from those that are believed now
			c.known = true
		}
	}
	c.believed(num, msg)
	if out.Provisionals().HasRefuted() {
		c.refuted(s)
	}
}

// believed tracks a data frame whose sequence stands in the series of its side.
func (c *conn) believed(num, msg seq.Num) {
	f, s, out := c.Packet, c.own, c.own.out
	c.Num, c.Msg, c.Fits = num, msg, false
	if num < 0 && c.c.Complete { // half of the cycle went by unseen (guard UNWRAP)
		c.doubtful, s.history.pace.begun = true, false
	}
	possible := c.doubtful || !c.IsNew() || c.possible(num, msg)
	size := f.Size(c.Frame.Length)
	s.total += int64(size)
	if !possible {
		c.impossible(msg)
		return
	}
	if !s.hasSure || !c.c.Complete {
		c.start(num, msg)
	}
	s.seq.Advance(num)
	s.msg.Advance(msg)
	if s.early {
		s.early = false
		out.AckedBefore(s.seq.Peek(uint32(s.earlyTo)))
	}
	v := out.Send(&c.sent)
	c.Frame.Words |= v.Words
	c.Frame.Awaits = c.wants.Links && v.Novelty != seq.Forgotten
	if v.Words&(dissect.Retry|dissect.Duplicate) != 0 {
		c.Frame.RetryOf = v.RetryOf
	}
	if v.Words&(dissect.Retry|dissect.Duplicate) == 0 {
		out.Keep(&c.sent)
	}
	s.bytes.sent(size)
	s.aheadThen = s.bytes.ahead
	c.remember(num, v.Words)
	if v.Novelty == seq.First {
		c.deliver(num, msg)
		if acked, ok := s.asm.acked(); ok && msg-acked >= dp4.MessageWindow {
			c.Frame.Words |= dissect.WindowFull
		}
	}
	if v.Words&(dissect.Retry|dissect.Duplicate) == dissect.Retry {
		c.life.try(c.Dir, v.Transmissions, c.Frame)
	}
}

// impossible notes a data frame whose numbers contradict others.
func (c *conn) impossible(msg seq.Num) {
	why := Unclear
	if top, ok := c.own.msg.Known(); ok && msg-top >= dp4.MessageWindow {
		why = ByWindow
	}
	c.ignored(why)
}

// remember keeps what is known of a data frame that the engine has taken, and said so of.
func (c *conn) remember(num seq.Num, said dissect.Words) {
	var taken Record
	s, h := c.own, &c.own.history
	compared := !c.doubtful && c.IsNew()
	if compared && c.Frame.HasTime {
		h.pace.see(c.Frame.Time)
	}
	if u, fresh := h.place(num); u.IsKnown() {
		if !fresh || u.known.Frame() != c.Frame.Frame {
			u.sent = h.tellApart(u)
			u.sent.seen = c.Frame.Time
		}
		c.keepSent(u, fresh, said)
		switch {
		case compared && c.First:
			c.keep(u)
			taken = u
		case compared && h.compares(u):
			h.further(u, c.Packet, c.Frame, s.total)
			taken = u
		}
	}
	if c.Record = taken; taken.IsKnown() || c.Fits {
		c.tell(Taken)
	}
}

// start looks at the first data frame of a side, which may have the numbers
// everything begins with.
func (c *conn) start(num, msg seq.Num) {
	s := c.own
	if _, known := s.seq.Known(); !known {
		first := msg - dp4.MessageWindow + 1 // what the sender may have outstanding
		if c.Packet.Initial() || c.c.Complete && msg <= dp4.MessageWindow {
			s.out.Begin(num)
			first = min(msg, 1)
			s.sure, s.hasSure = num, true
		}
		s.asm.start(first)
		return
	}
	if !s.hasSure && c.Packet.Flags&dp4.STA != 0 && c.Packet.Serial == 0 && c.Frame.HasTime && c.Frame.Time-c.c.FirstTime >= seq.StartHorizon {
		s.sure, s.hasSure = num, true // a first transmission, and later ones after it
	}
	// The first frame was overtaken on its way.
	if !c.c.Complete && c.Dir == 0 && c.Packet.Initial() && num < 2 && c.Frame.HasTime && c.Frame.Time-c.c.FirstTime < seq.StartHorizon {
		c.c.Complete = true
		c.life.settle(session.Established)
	}
}

// deliver hands the content of a data frame to the messages of its side.
func (c *conn) deliver(num, msg seq.Num) {
	f := c.Packet
	size := len(f.Data) + c.Frame.Length - len(c.Frame.Payload)
	if a := &c.own.asm; f.Flags&dp4.WholeMessage == dp4.WholeMessage && c.wants.Messages == session.CountMessages {
		a.see(msg)
		c.own.out.CountMessage(!c.Frame.Cut(), size)
	} else {
		a.add(&piece{num: num, msg: msg, flags: f.Flags, size: size, data: f.Data, fr: c.Frame})
	}
}
