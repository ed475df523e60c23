package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// usual takes the data frame that most are: a whole message under the next number of its side, sent for the first
// time, on a connection where nothing is open or in doubt. It does what heedData does, in the same order, without
// the steps that have nothing to do with such a frame, and reports whether the frame at hand is one. TestUsual
// follows captures with it and without, and compares.
func (c *conn) usual(dir dissect.Dir, num seq.Num, d *dp8.DFrame) bool {
	const whole, masks = dp8.NewMsg | dp8.EndMsg, dp8.CtlSACK1 | dp8.CtlSACK2 | dp8.CtlSend1 | dp8.CtlSend2
	fr := c.Frame
	if d.Control&^masks != 0 || d.Command&whole != whole || fr.Err != nil || fr.Cut() {
		return false
	}
	s, peer, out, in := &c.side[dir], &c.side[dir.Other()], &c.c.Dir[dir], &c.c.Dir[dir.Other()]
	n, m := &s.Numbers, &s.History
	high, acked, ok := out.Steady()
	_, cum, steady := in.Steady()
	if !ok || !steady || num != high+1 || num != n.TopFirst+1 || num != n.TopSeen+1 || num != m.Top+1 || num <= 0 || acked >= num+manyMissed ||
		!n.Started || !m.Started || n.hasOutlier || n.claims.Len()|peer.Numbers.claims.Len() != 0 ||
		c.params.Version < dp8.Version15 || c.life.state != session.Established || c.life.hard != [2]bool{} || s.Ended || peer.Ended ||
		s.early || len(s.refused)|len(peer.refused)|len(peer.keys.held)|len(c.strays) != 0 ||
		!fr.HasTime || fr.Time-c.spoke > longPause || c.silent(dir) || c.pair.opts.long {
		return false
	}
	c.Sent.Num, c.Sent.Mark = num, seq.MarkFirst
	c.life.heard(dir)
	s.seq.Advance(num)
	c.Num, c.KeepAlive, c.Horizon = num, false, c.c.Rules.Horizon()
	c.stampUsual(dir, num, &peer.Numbers)
	c.Verdict = out.Send(&c.Sent)
	fr.Words |= c.Verdict.Words
	fr.Awaits = c.wants.Links
	c.Placing.First, c.Placing.Fresh, c.Placing.Order = true, true, NextNumber
	n.TopFirst, n.TopSeen = num, num
	n.jump.after++
	c.tell(dir, PlacedUsual)
	if d.SACKMask != 0 || !c.repeats(dir, n, peer, cum, d.NRcv) {
		c.acknowledge(dir, d.NRcv, d.SACKMask, false)
	}
	if d.SendMask != 0 {
		c.giveUp(dir, num, d.SendMask)
	}
	if num-acked+1 >= dp8.WindowSize {
		fr.Words |= dissect.WindowFull
	}
	c.deliver(dir, num, d, false, false)
	c.hear(m, false)
	c.Record = c.enter(m, num, d, false)
	c.carry(m, num, d)
	out.Keep(&c.Sent)
	c.tell(dir, Taken)
	return true
}

// stampUsual is placeInTime for a usual frame, and recall, which finds nothing of its number.
func (c *conn) stampUsual(dir dissect.Dir, num seq.Num, others *Numbers) {
	t, x := c.Frame.Time, &c.Stamp
	c.Said, c.Applied, c.Prior.Known = Saying{}, Applied{}, false
	x.data, x.Retry, x.Num, x.tick, x.Frame, x.Time = true, false, num, 0, c.Frame.Frame, t
	c.coarsen(t)
	c.spoke = max(c.spoke, t)
	c.numbered[dir] = max(c.numbered[dir], t)
	others.outran, others.beyond = 0, false
}

// repeats is acknowledge for a usual frame without a mask whose bNRcv is that of the frame of its side before it:
// all it shows is that nothing was taken back. It reports whether that is so.
func (c *conn) repeats(dir dissect.Dir, n *Numbers, peer *Side, cum seq.Num, nrcv uint8) bool {
	o, r, t := &peer.Numbers, &c.Reading, c.Frame.Time
	open := o.TopSeen + 1 - cum
	if uint8(cum) != nrcv || n.queued == 0 || n.queue[n.queued-1].Next != cum || uint64(open) >= cycle/2 ||
		!n.answered || n.beyond || !o.Started || t < c.trusted || c.silent(dir.Other()) {
		return false
	}
	c.AckedTo, c.Said.Next = cum, cum
	r.Heard, r.Opening, r.Ahead, r.Masked, r.Bit0, r.Bit63, r.Mask, r.Progress, r.Highest = true, false, false, false, false, false, 0, Onward, o.TopSeen
	c.confirmedAt[dir.Other()] = max(c.confirmedAt[dir.Other()], t)
	c.tell(dir, Acknowledges)
	c.Applied = Applied{true, true, cum, 0}
	peer.asm.passed(cum)
	return true
}
