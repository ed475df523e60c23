package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

func newConn(p *pair, fr *dissect.Frame) *conn {
	c := &conn{Event: p.room.event, flow: p.flow, pair: p, wants: p.flow.Wants(), connector: -1}
	c.c = p.flow.Open(fr)
	c.c.Follow(&c.life.state, &c.life.closer, c)
	for i := range dissect.Dirs {
		s := &c.side[i]
		s.seq.Bits, s.nseq.Bits = 8, 8
		s.keys.proof, s.keys.watch = &c.proof, p.opts.Keys
		s.asm.conn, s.asm.dir = c, i
		s.History.out = &c.c.Dir[i]
		c.c.Dir[i].SetLimits(seq.Limits{Reach: dp8.WindowSize})
	}
	if p.judge != nil {
		c.judge = p.judge()
		c.judge.Follow(View{c}, c.Event)
	}
	return c
}

// link notes that the frame at hand acknowledges another one.
func (c *conn) link(at seq.Position) {
	c.Frame.Acks = append(c.Frame.Acks, at.Frame)
	c.flow.Acked(at, c.Frame.Frame)
}

// input tracks one decoded datagram.
func (c *conn) input(fr *dissect.Frame, f *dp8.Frame, err *dissect.Error) {
	c.Frame, c.Packet, c.toldIn = fr, f, fr.Frame
	dir := c.c.Count(fr)
	out := &c.c.Dir[dir]
	c.c.Malform(fr, err)
	switch {
	case c.finished: // too late to change anything
	case err != nil && !fr.Cut():
		c.Frame.Words |= out.Unnumbered(c.sending(0, seq.Unmarked), true)
		c.Damaged = out.Damaged(fr.Datagram)
		c.tell(dir, Unread)
		c.malformedFrame(dir)
	case out.Damaged(fr.Datagram), fr.Cut() && !f.Headed(err):
		c.countUntracked(dir)
	case f.Type == dp8.TypeDFrame:
		c.dataFrame(dir)
	case f.Type == dp8.TypeSACK:
		c.sack(dir)
	case f.Type != dp8.TypeNone:
		c.handshake(dir)
	}
	c.prevTime = fr.Time
}

// countUntracked counts a frame by what it is and tracks nothing of it.
func (c *conn) countUntracked(dir dissect.Dir) {
	out := &c.c.Dir[dir]
	switch c.Packet.Type {
	case dp8.TypeSACK:
		out.Acks++
	case dp8.TypeDFrame:
		c.countData(out, &c.Packet.DFrame, c.Packet.DFrame.KeepAlive)
	}
	c.tell(dir, Untracked)
}

// malformedFrame tracks nothing, but an unsigned frame that is too short for
// the signature it lacks is still counted as one.
func (c *conn) malformedFrame(dir dissect.Dir) {
	if f := c.Frame.Err.Field; f == &dp8.Fields[dp8.FSignature] && !c.undecided() {
		c.learnSigning(dir, false)
		c.countSignature(dir, sigInvalid)
		c.disbelieve(dir, c.side[dir].seq.Peek(uint32(c.Packet.DFrame.Seq)), sigInvalid)
	}
}

// dataFrame tracks a data frame.
func (c *conn) dataFrame(dir dissect.Dir) {
	d, s, out := &c.Packet.DFrame, &c.side[dir], &c.c.Dir[dir]
	c.Frame.Skippable = d.Command&dp8.Reliable == 0
	if d.KeepAlive {
		c.doubtKeepAlive(d)
	}
	num := s.seq.Peek(uint32(d.Seq))
	keepAlive := c.isKeepAlive(d)
	c.countData(out, d, keepAlive)
	if d.KeepAlive && !c.Frame.Cut() {
		c.learnSigning(dir, d.HasSignature)
	}
	if out.Stale(c.sending(num, seq.Unmarked)) {
		c.Frame.Words |= dissect.Duplicate
		return
	}
	if !c.authentic(dir, num, d.HasSignature, d.SignatureOff, d.Signature) {
		return
	}
	if !c.usual(dir, num, d) {
		c.heedData(dir, num, d, keepAlive)
	}
}

// isKeepAlive reports a KeepAlive. Below version 1.5 it has neither id nor payload.
func (c *conn) isKeepAlive(d *dp8.DFrame) bool {
	return d.KeepAlive || c.params.Version < dp8.Version15 && d.IsEmptyKeepAlive()
}

// heedData tracks a data frame that is not known to be forged.
func (c *conn) heedData(dir dissect.Dir, num seq.Num, d *dp8.DFrame, keepAlive bool) {
	out := &c.c.Dir[dir]
	if c.foreignKeepAlive(d) {
		c.ignoreForeign(dir, num, d)
		return
	}
	c.mark(dir, num, d)
	if c.isBehindEnd(dir, num) {
		c.ignoreBehindEnd(dir, num, d, keepAlive)
		return
	}
	switch out.Place(&c.Sent, c.Frame.Datagram) {
	case seq.Provisional:
		c.c.SetAside(dir, &c.Sent, c.Frame)
		c.refuted(dir)
		return
	case seq.Confirmed:
		c.believe(dir)
	}
	c.numberedFrame(dir, num, d, keepAlive)
	if out.Provisionals().HasRefuted() {
		c.refuted(dir)
	}
}

// numberedFrame tracks a data frame that its receiver may accept. The order counts:
//   - confirmAcked first: it replays frames kept aside, each as the one at hand.
//   - Horizon, the Stamp, placeInTime and recall before Send: they note what was known without
//     this frame.
//   - noteEnd before Placed, but Ended and EndSeq behind it (sawData): the judge asks whether the
//     stream had ended before this frame.
//   - acknowledge before giveUp: it begins Said, to which giveUp adds Drops.
//   - remember behind Placed, for the judge compares with what was sent before; carry behind
//     remember and giveUp: it copies Said into the Record.
func (c *conn) numberedFrame(dir dissect.Dir, num seq.Num, d *dp8.DFrame, keepAlive bool) {
	s, out := &c.side[dir], &c.c.Dir[dir]
	c.confirmAcked(dir.Other(), d.NRcv, d.SACKMask)
	c.life.heard(dir)
	c.learnFromData(d)
	s.seq.Advance(num)
	if s.early {
		s.early = false
		out.AckedBefore(s.seq.Peek(uint32(s.earlyTo)))
	}
	c.Num, c.KeepAlive, c.Horizon = num, keepAlive, c.c.Rules.Horizon()
	c.Stamp.data, c.Stamp.Retry, c.Stamp.tick = true, c.Sent.Mark == seq.MarkRetry, 0
	c.placeInTime(dir, num)
	c.recall(dir, num)
	c.Verdict = out.Send(&c.Sent)
	v := &c.Verdict
	c.Frame.Words |= v.Words
	c.Frame.Awaits = c.wants.Links && v.Novelty != seq.Forgotten
	if v.Words.Has(dissect.Retry) || v.Words.Has(dissect.Duplicate) {
		c.Frame.RetryOf = v.RetryOf
	}
	copied := v.Words.Has(dissect.Duplicate)
	if !copied && len(s.refused) > 0 {
		c.accept(dir, num)
	}
	if !copied {
		if d.Control&dp8.CtlEndStream != 0 || s.Ended {
			c.noteEnd(dir, num, d)
		}
		c.number(dir, num, d)
		c.tell(dir, Placed)
		c.dropOutlier(dir)
	}
	c.acknowledge(dir, d.NRcv, d.SACKMask, false)
	if d.SendMask != 0 {
		c.giveUp(dir, num, d.SendMask)
	}
	if v.Novelty == seq.First && out.Outstanding() >= dp8.WindowSize {
		c.Frame.Words |= dissect.WindowFull
	}
	if v.Novelty == seq.First || v.Novelty == seq.LateFirst {
		c.deliver(dir, num, d, keepAlive, v.Novelty == seq.LateFirst)
	}
	c.sawData(dir, num, d, v.Transmissions)
	if !copied {
		c.Record = c.remember(dir, num, d, keepAlive)
		c.carry(&s.History, num, d)
		if c.Sent.Mark != seq.MarkRetry {
			out.Keep(&c.Sent)
		}
		c.tell(dir, Taken)
	}
	if !copied && c.strays != nil && (keepAlive && d.KeepAlive || v.Novelty == seq.First && v.Words&gapWord == 0) {
		c.lives(dir, d.KeepAlive && c.c.HasSessionID, num)
	}
}

const gapWord = dissect.Gap | dissect.GapFilled

// mark completes the description of the frame at hand that conn.sending began: what RETRY says,
// and whether its side has told of more received since it was sent.
func (c *conn) mark(dir dissect.Dir, num seq.Num, d *dp8.DFrame) {
	c.Sent.Num, c.Sent.Mark = num, seq.MarkFirst
	if d.Control&dp8.CtlRetry != 0 {
		c.Sent.Mark = seq.MarkRetry
	} else if top := c.side[dir].History.Top; num <= top || num > top+dp8.WindowSize/4 { // a far one may be low, unwrapped wrongly
		cum, ok := c.c.Dir[dir.Other()].Window().Cumulative()
		c.Sent.Outdated = ok && near(cum, d.NRcv) < cum
	}
}

// countData enters a captured data frame, copies and retries included.
func (c *conn) countData(out *seq.Direction, d *dp8.DFrame, keepAlive bool) {
	switch {
	case keepAlive:
		out.KeepAlives++
		c.Frame.Words |= dissect.KeepAlive
	case len(d.Payload) > 0 || d.Coalesced || d.Control&dp8.CtlEndStream == 0:
		out.DataFrames++
	}
	if d.Control&dp8.CtlEndStream != 0 {
		c.Frame.Words |= dissect.Close
	}
}

// sack tracks a SACK.
func (c *conn) sack(dir dissect.Dir) {
	k, s := &c.Packet.SACK, &c.side[dir]
	c.c.Dir[dir].Acks++
	if !c.Frame.Cut() {
		c.learnSigning(dir, k.HasSignature || len(k.Trailing) == 8)
	}
	next := c.nextSend(s, k.NSeq)
	if !c.authentic(dir, next, k.HasSignature, len(c.Frame.Payload)-len(k.Trailing)-8, k.Signature) {
		return
	}
	x := c.sending(0, seq.Unmarked)
	x.Outdated = s.Ticks.passed(k.Timestamp)
	c.Frame.Words |= c.c.Dir[dir].Unnumbered(x, false)
	c.heedSACK(dir, next, k)
}

// heedSACK tracks a SACK that is not known to be forged, nor asked again whether it is a copy: one
// that was held is remembered, and would be taken for its own.
func (c *conn) heedSACK(dir dissect.Dir, next seq.Num, k *dp8.SACK) {
	s := &c.side[dir]
	c.confirmAcked(dir.Other(), k.NRcv, k.SACKMask)
	c.life.heard(dir)
	c.Num = next
	if !c.Frame.Words.Has(dissect.Duplicate) && !c.Frame.Cut() && !c.heedsSACK(dir, next, k) {
		return
	}
	c.listen(dir, next)
	s.nseq.Advance(next)
	c.Stamp.data, c.Stamp.Retry, c.Stamp.tick = false, false, k.Timestamp
	c.placeInTime(dir, next)
	c.deny(dir, next)
	c.acknowledge(dir, k.NRcv, k.SACKMask, true) // before giveUp, as in numberedFrame
	s.Restless = k.SendMask != 0 || c.Frame.Words.Has(dissect.DuplicateAck)
	if k.SendMask != 0 {
		c.giveUp(dir, next, k.SendMask)
	}
	c.tell(dir, Taken)
}

// heedsSACK reports whether a SACK that is no copy may change anything.
func (c *conn) heedsSACK(dir dissect.Dir, next seq.Num, k *dp8.SACK) bool {
	c.noteTick(dir, k.Timestamp)
	heeded := c.heedsNext(dir, next)
	c.tell(dir, Announces)
	return heeded
}
