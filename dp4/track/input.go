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
	c.c.Follow(&c.life.state, nil, c.timedOut)
	if f.Type != dp4.TypeNone {
		c.c.Players, c.c.HasPlayers = [2]uint32{f.From.Value, f.To.Value}, true
	}
	if f.Type == dp4.TypeData && f.Initial() && !f.Ignored() {
		c.c.Complete = true
		c.life.state = session.Established
	}
	for i := range c.side {
		s := &c.side[i]
		s.seq.Bits, s.msg.Bits = 8, 8
		s.asm.conn, s.asm.dir = c, i
		c.c.Dir[i].SetLimits(limits)
		s.packets.lowMemory, s.history.packets, s.facts.packets = c.wants.LowMemory, &s.packets, &s.packets
	}
	c.link = func(at seq.Position) {
		c.fr.Acks = append(c.fr.Acks, at.Frame)
		c.flow.Acked(at, c.fr.Frame)
	}
	return c
}

// input tracks one decoded datagram.
func (c *conn) input(fr *dissect.Frame, f *dp4.Frame, err *dissect.Error) {
	c.fr, c.f, c.now = fr, f, fr.Frame
	dir := c.c.Count(fr)
	c.c.Malform(fr, err)
	c.life.heard(dir)
	if c.finished { // too late to change anything
		return
	}
	damaged := c.c.Damaged(fr.Datagram)
	var x fault
	if !damaged {
		x = c.packets().faults(err)
	}
	c.shun = damaged || x&faultsShun != 0 || err != nil
	malformed := err != nil && !fr.Cut()
	untracked := malformed || damaged || err != nil && !f.Headed(err) || f.Ignored() || x&faultNoack != 0 || !c.between(fr.Datagram, f)
	num, msg := int64(0), int64(0)
	if f.Type == dp4.TypeData && !untracked {
		num, msg = c.recognize(dir)
	} else if !damaged {
		c.sent.Of(fr.Datagram, 0, seq.Unmarked)
		c.sent.Passed = !untracked && fr.IPID != 0 && c.side[dir].hasTick && int32(f.Tick-c.side[dir].tick) < 0 // only ACK and NACK come here
		c.fr.Words |= c.c.Dir[dir].Unnumbered(&c.sent, untracked)
	}
	if x != 0 && c.packets().isNew() {
		c.packets().judgeShape(x)
	}
	switch {
	case malformed:
		c.side[dir].bytes.doubt()
	case untracked:
		c.countUntracked(dir)
		if f.Type == dp4.TypeData {
			c.side[dir].oddly(f.Sequence, fr.Time)
		}
		if x == faultCmdext && err == nil {
			c.packets().shunFrame(dir, r222CmdextActed)
		}
	case f.Type == dp4.TypeData:
		c.dataFrame(dir, num, msg)
	default:
		c.acknowledgement(dir, err == nil)
	}
	if err == nil && !damaged && c.packets().isNew() {
		if f.Type != dp4.TypeData && x == 0 && !c.between(fr.Datagram, f) {
			c.c.Rules.Broken(r221Pair, "the acknowledgement of a packet between these players names other players")
		}
		c.packets().judgeWhole(dir, x)
	}
}

// countUntracked counts a frame by what it is and tracks nothing of it.
func (c *conn) countUntracked(dir int) {
	switch c.f.Type {
	case dp4.TypeData:
		c.c.Dir[dir].DataFrames++
		c.side[dir].bytes.doubt()
	case dp4.TypeACK, dp4.TypeNACK:
		c.c.Dir[dir].Acks++
	}
}

// recognize unwraps the numbers of a data frame and tells whether it is a copy.
func (c *conn) recognize(dir int) (num, msg int64) {
	f, s, out := c.f, &c.side[dir], &c.c.Dir[dir]
	num = out.Provisionals().Unwrap(s.seq.Peek(uint32(f.Sequence)), 256)
	msg = s.msg.Peek(uint32(f.MessageID))
	top, _ := out.Window().Highest()
	c.sent.Of(c.fr.Datagram, num, s.history.judge(c.fr, f, num, msg, top, out.MinRTT()))
	c.sent.Counted = true // the serial counts sendings
	// What is sent unreliably, in one packet, and asks for no acknowledgement is acknowledged with
	// what comes later (MC-DPL4R 3.1.5.2), however long that takes.
	const alone = dp4.STA | dp4.EOM
	c.sent.NoAck = f.Flags&(dp4.RLY|dp4.SAK) == 0 && f.Flags&alone == alone
	if out.Copied(&c.sent) {
		c.fr.Words |= dissect.Duplicate
	}
	return num, msg
}

// dataFrame tracks a data frame.
func (c *conn) dataFrame(dir int, num, msg int64) {
	s, out := &c.side[dir], &c.c.Dir[dir]
	out.DataFrames++
	if out.Stale(&c.sent) {
		c.fr.Words |= dissect.Duplicate
		c.disbelieve(dir)
		s.total += int64(c.f.Size(c.fr.Length))
		return
	}
	switch out.Place(&c.sent, c.fr.Datagram) {
	case seq.Provisional:
		c.c.SetAside(dir, &c.sent, c.fr)
		c.disbelieve(dir)
		c.judgeRefuted(dir)
		return
	case seq.Confirmed:
		c.believe(dir)
		msg = s.msg.Peek(uint32(c.f.MessageID)) // counted on from those that are believed now
	}
	c.believed(dir, num, msg)
	if out.Provisionals().HasRefuted() {
		c.judgeRefuted(dir)
	}
}

// disbelieve notes a data frame of which its side's state does not follow: whether the
// receiver counts its bytes, and what it answers, is not known.
func (c *conn) disbelieve(dir int) {
	c.side[dir].bytes.doubt()
	c.side[dir].oddly(c.f.Sequence, c.fr.Time)
}

// believed tracks a data frame whose sequence stands in the series of its side.
func (c *conn) believed(dir int, num, msg int64) {
	f, s, out := c.f, &c.side[dir], &c.c.Dir[dir]
	if !c.shun && c.packets().isNew() && !c.packets().judgeData(dir, num, msg) {
		c.disbelieve(dir)
		if top, ok := s.msg.Known(); ok && msg-top >= dp4.MessageWindow {
			c.packets().shunFrame(dir, r3152Range)
		} else {
			s.total += int64(f.Size(c.fr.Length))
		}
		return
	}
	s.total += int64(f.Size(c.fr.Length))
	c.begin(dir, num, msg)
	s.seq.Advance(num)
	s.msg.Advance(msg)
	if s.early {
		s.early = false
		out.Passed(s.seq.Peek(uint32(s.earlyTo)))
	}
	v := out.Send(&c.sent)
	c.fr.Words |= v.Words
	c.fr.Awaits = c.wants.Links && v.Novelty != seq.Forgotten
	if v.Words&(dissect.Retry|dissect.Duplicate) != 0 {
		c.fr.RetryOf = v.RetryOf
	}
	if v.Words&(dissect.Retry|dissect.Duplicate) == 0 {
		out.Keep(&c.sent)
	}
	s.bytes.sent(f.Size(c.fr.Length))
	s.aheadThen = s.bytes.ahead
	s.history.keep(c.fr, f, num, msg, c.sent.Hash, s.bytes.captured, v.Words)
	if !c.shun {
		c.packets().remember(dir, num, msg)
	}
	if v.Novelty == seq.First {
		c.deliver(dir, num, msg)
		if acked, ok := s.asm.acked(); ok && msg-acked >= dp4.MessageWindow {
			c.fr.Words |= dissect.WindowFull
		}
	}
	if v.Words&(dissect.Retry|dissect.Duplicate) == dissect.Retry {
		c.life.try(dir, v.Sendings, c.fr)
	}
}

// begin looks at the first data frame of a side, which may have the numbers
// everything begins with.
func (c *conn) begin(dir int, num, msg int64) {
	s := &c.side[dir]
	if _, known := s.seq.Known(); !known {
		first := msg - dp4.MessageWindow + 1 // what the sender may have outstanding
		if c.f.Initial() || c.c.Complete && msg <= dp4.MessageWindow {
			c.c.Dir[dir].Begin(num)
			first = min(msg, 1)
			s.sure, s.hasSure = num, true
		}
		s.asm.start(first)
		return
	}
	if !s.hasSure && c.f.Flags&dp4.STA != 0 && c.f.Serial == 0 && c.fr.HasTime && c.fr.Time-c.c.FirstTime >= seq.StartHorizon {
		s.sure, s.hasSure = num, true // a first sending, and later ones behind it
	}
	// The first frame was overtaken on its way.
	if !c.c.Complete && dir == 0 && c.f.Initial() && num < 2 && c.fr.HasTime && c.fr.Time-c.c.FirstTime < seq.StartHorizon {
		c.c.Complete = true
		c.life.settle(session.Established)
	}
}

// deliver hands the content of a data frame to the messages of its side.
func (c *conn) deliver(dir int, num, msg int64) {
	f := c.f
	size := len(f.Data) + c.fr.Length - len(c.fr.Payload)
	if a := &c.side[dir].asm; f.Flags&dp4.WholeMessage == dp4.WholeMessage && c.wants.Messages == session.CountMessages {
		a.see(msg)
		c.c.Dir[dir].CountMessage(!c.fr.Cut(), size)
	} else {
		a.add(&piece{num: num, msg: msg, flags: f.Flags, size: size, data: f.Data, fr: c.fr})
	}
}
