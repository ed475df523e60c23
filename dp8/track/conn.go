package track

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
)

// A conn is one DirectPlay 8 connection: what the text says, on top of the
// engine's counters.
type conn struct {
	c     *session.Conn
	flow  *session.Flow
	wants *session.Config
	pair  *pair

	params       dp8.Params
	connector    int // direction of the connector, -1 when unknown
	mode         mode
	proof        proof
	side         [2]side
	alive        aliveState
	hs           handshakeState
	life         lifecycle
	finished     bool // settled: further frames are only counted
	commandState      // what judging handshakes needs

	fr   *dissect.Frame // the frame at hand, nil when none is
	f    *dp8.Frame
	now  uint64
	sent session.Sending
	ack  session.Acknowledgement
	link func(session.Position)

	// For the rules of sequence (see sequenceState).
	stamp    stamp
	said     saying
	prior    prior
	timers   timerState
	numbered [2]int64 // time of the latest numbered frame
	vouched  [2]int64 // when the other side last acknowledged no more than was captured
	grain    int64    // of the capture's times, as far as can be told, ns
	trusted  int64    // since when numbers are beyond doubt

	horizon int64 // of reordering, before the frame at hand, ns
	before  int64 // time of the frame before, ns
	core    bool  // a message of the DirectPlay core was seen
}

// A mode is how the frames of a connection are signed.
type mode uint8

const (
	modeUnknown mode = iota
	modeNone
	modeFast
	modeFull
)

var modeNames = [...]string{"", "none", "fast", "full"}

// A side is what is remembered of one sender.
type side struct {
	seq       session.Serial
	nseq      session.Serial // what its SACKs say it will send next
	version   uint32         // reported in the handshake, 0 when not seen
	fast      fastKey
	keys      keyring
	asm       assembler
	history   history
	sequence  sequenceState
	ended     bool // END_STREAM was captured
	endSeq    int64
	sendMask  uint64 // latest send mask: bit i is maskBase-1-i
	maskBase  int64
	gaveUp    int64 // it gave up only numbers below
	ackNext   int64 // last pure acknowledgement, to recognise repetitions
	ackMask   uint64
	acked     bool
	refused   []refusal // frames the peer must not accept
	closing   closeDuty
	unjudged  []unjudged  // frames that came before the secret
	doubts    *doubtWatch // nil while no signature was in doubt
	early     bool        // the peer acknowledged up to earlyTo before a frame was captured
	earlyTo   uint8
	doubtful  bool // it reported different versions
	uncoal    bool // it coalesced although it must not
	ticks     tickWatch
	cframes   cframes
	hard      hardDisconnectState
	sackWatch sackState
	alive1    keepAliveState
	open      openFrames
}

func newConn(p *pair, fr *dissect.Frame) *conn {
	c := &conn{flow: p.flow, pair: p, wants: p.flow.Wants(), connector: -1}
	c.c = p.flow.Open(fr)
	c.c.Follow(&c.life.state, &c.life.closer, c.timedOut)
	for i := range c.side {
		s := &c.side[i]
		s.seq.Bits, s.nseq.Bits = 8, 8
		s.keys.proof = &c.proof
		s.asm.conn, s.asm.dir = c, i
		s.history.lowMemory = c.wants.LowMemory
		c.c.Dir[i].SetLimits(session.Limits{Reach: dp8.WindowSize})
	}
	c.link = func(at session.Position) {
		c.fr.Acks = append(c.fr.Acks, at.Frame)
		c.flow.Acked(at, c.fr.Frame)
	}
	return c
}

// input tracks one decoded datagram.
func (c *conn) input(fr *dissect.Frame, f *dp8.Frame, err *dissect.Error) {
	c.fr, c.f, c.now = fr, f, fr.Frame
	dir := c.c.Count(fr)
	c.c.Malform(fr, err)
	switch {
	case c.finished: // too late to change anything
	case err != nil && !fr.Cut():
		c.fr.Words |= c.c.Dir[dir].Unnumbered(c.sending(0, session.Unmarked), true)
		c.judgeMalformed(dir)
		c.malformedFrame(dir)
		c.judgeMalformedData(err)
	case c.c.Damaged(fr.Datagram), fr.Cut() && !f.Headed(err):
		c.countUntracked(dir)
	case f.Type == dp8.TypeDFrame:
		c.dataFrame(dir)
	case f.Type == dp8.TypeSACK:
		c.sack(dir)
	case f.Type != dp8.TypeNone:
		c.handshake(dir)
	}
	c.before = fr.Time
}

// countUntracked counts a frame by what it is and tracks nothing of it.
func (c *conn) countUntracked(dir int) {
	out := &c.c.Dir[dir]
	switch c.f.Type {
	case dp8.TypeSACK:
		out.Acks++
	case dp8.TypeDFrame:
		c.countData(out, &c.f.DFrame, c.f.DFrame.KeepAlive)
	}
	c.blindTo(dir)
}

// malformedFrame tracks nothing, but an unsigned frame that is too short for
// the signature it lacks is still counted as one.
func (c *conn) malformedFrame(dir int) {
	if f := c.fr.Err.Field; f == &dp8.Fields[dp8.FSignature] {
		c.countSignature(dir, sigInvalid)
		c.refuseSignature(dir, c.side[dir].seq.Peek(uint32(c.f.DFrame.Seq)), sigInvalid)
	}
}

// sending describes the frame at hand to the engine.
func (c *conn) sending(num int64, mark session.Mark) *session.Sending {
	return c.sent.Of(c.fr.Datagram, num, mark)
}

// dataFrame tracks a data frame.
func (c *conn) dataFrame(dir int) {
	d, s, out := &c.f.DFrame, &c.side[dir], &c.c.Dir[dir]
	c.doubtKeepAlive(d)
	num := s.seq.Peek(uint32(d.Seq))
	keepAlive := d.KeepAlive || c.params.Version < dp8.Version15 && d.IsEmptyKeepAlive()
	c.countData(out, d, keepAlive)
	if d.KeepAlive && !c.fr.Cut() {
		c.learnSigning(d.HasSignature)
	}
	if out.Stale(c.sending(num, session.Unmarked)) {
		c.fr.Words |= dissect.Duplicate
		return
	}
	if !c.authentic(dir, num, d.HasSignature, d.SignatureOff, d.Signature) {
		return
	}
	if c.foreignKeepAlive(d) {
		c.judgeForeignKeepAlive(dir, num, d)
		return
	}
	c.mark(dir, num, d)
	if c.isBehindEnd(dir, num) {
		c.ignoreBehindEnd(dir, num, d, keepAlive)
		return
	}
	switch out.Place(&c.sent, c.fr.Datagram) {
	case session.Provisional:
		c.fr.Words |= out.Unnumbered(&c.sent, true)
		return
	case session.Confirmed:
		c.believe(dir)
	}
	c.numberedFrame(dir, num, d, keepAlive)
	if out.HasRefuted() {
		c.judgeRefuted(dir)
	}
}

// numberedFrame tracks a data frame that its receiver may heed.
func (c *conn) numberedFrame(dir int, num int64, d *dp8.DFrame, keepAlive bool) {
	s, out := &c.side[dir], &c.c.Dir[dir]
	c.confirmAcked(1-dir, d.NRcv)
	c.life.heard(dir)
	c.learnFromData(d)
	s.seq.Advance(num)
	if s.early {
		s.early = false
		out.Passed(s.seq.Peek(uint32(s.earlyTo)))
	}
	c.horizon = c.c.Rules.Horizon()
	c.stamp.data, c.stamp.retry, c.stamp.tick = true, c.sent.Mark == session.MarkRetry, 0
	c.heed(dir, num)
	c.recall(dir, num)
	v := out.Send(&c.sent)
	c.fr.Words |= v.Words
	c.fr.Awaits = c.wants.Links && v.Novelty != session.Forgotten
	if v.Words.Has(dissect.Retry) || v.Words.Has(dissect.Duplicate) {
		c.fr.RetryOf = v.RetryOf
	}
	copied := v.Words.Has(dissect.Duplicate)
	if !copied {
		c.judgeData(dir, num, d, keepAlive)
		c.judgeNumber(dir, num, d, v)
	}
	c.acknowledge(dir, d.NRcv, d.SACKMask, false)
	c.giveUp(dir, num, d.SendMask)
	if v.Novelty == session.First && out.InFlight() >= dp8.WindowSize {
		c.fr.Words |= dissect.WindowFull
	}
	if v.Novelty == session.First || v.Novelty == session.LateFirst {
		c.deliver(dir, num, d, keepAlive, v.Novelty == session.LateFirst)
	}
	c.sawData(dir, num, d, v.Sendings)
	if !copied {
		c.remember(dir, num, d, keepAlive)
		c.carry(dir, num, d)
		if c.sent.Mark != session.MarkRetry {
			out.Keep(&c.sent)
		}
		c.judgeMessage(dir, num)
		if c.side[1-dir].ended {
			c.judgeReply(dir, num+1)
		}
	}
	c.judgeFlow(dir, num, d, keepAlive, v)
}

// mark completes the description of a data frame for the engine: what RETRY says, and
// whether its side has told of more received since it was sent.
func (c *conn) mark(dir int, num int64, d *dp8.DFrame) {
	c.sent.Num, c.sent.Mark = num, session.MarkFirst
	if d.Control&dp8.CtlRetry != 0 {
		c.sent.Mark = session.MarkRetry
	} else if num <= c.side[dir].history.top {
		cum, ok := c.c.Dir[1-dir].Window().Cumulative()
		c.sent.Passed = ok && near(cum, d.NRcv) < cum
	}
}

// countData enters a captured data frame, copies and retries included.
func (c *conn) countData(out *session.Direction, d *dp8.DFrame, keepAlive bool) {
	switch {
	case keepAlive:
		out.KeepAlives++
		c.fr.Words |= dissect.KeepAlive
	case len(d.Payload) > 0 || d.Coalesced || d.Control&dp8.CtlEndStream == 0:
		out.DataFrames++
	}
	if d.Control&dp8.CtlEndStream != 0 {
		c.fr.Words |= dissect.Close
	}
}

// foreignKeepAlive reports a KeepAlive of another session: receivers must
// ignore it (MC-DPL8R 3.1.5.2).
func (c *conn) foreignKeepAlive(d *dp8.DFrame) bool {
	foreign := d.KeepAlive && c.hs.sessionKnown && d.SessionID != c.c.SessionID
	if foreign {
		c.unsay(d.SessionID)
	}
	return foreign
}

// sack tracks a SACK.
func (c *conn) sack(dir int) {
	k, s, out := &c.f.SACK, &c.side[dir], &c.c.Dir[dir]
	out.Acks++
	if !c.fr.Cut() {
		c.learnSigning(k.HasSignature)
	}
	next := c.nextSend(s, k.NSeq)
	if !c.authentic(dir, next, k.HasSignature, len(c.fr.Payload)-len(k.Trailing)-8, k.Signature) {
		return
	}
	c.confirmAcked(1-dir, k.NRcv)
	x := c.sending(0, session.Unmarked)
	x.Passed = c.side[dir].ticks.passed(k.Timestamp)
	c.fr.Words |= out.Unnumbered(x, false)
	c.life.heard(dir)
	if !c.judgeSACK(dir, next) {
		return
	}
	c.listen(dir, next)
	c.speaks(dir)
	s.nseq.Advance(next)
	c.stamp.data, c.stamp.retry, c.stamp.tick = false, false, k.Timestamp
	c.heed(dir, next)
	c.judgeNextSend(dir, next)
	c.acknowledge(dir, k.NRcv, k.SACKMask, true)
	c.giveUp(dir, next, k.SendMask)
	c.judgeReply(dir, next)
}

// nextSend unwraps a bNSeq near what the side has sent.
func (c *conn) nextSend(s *side, wire uint8) int64 {
	if ref, ok := s.seq.Known(); ok {
		return near(ref+1, wire)
	}
	return s.nseq.Peek(uint32(wire))
}

// near is the number with the given low byte that is nearest to ref.
func near(ref int64, wire uint8) int64 { return ref + int64(int8(wire-uint8(ref))) }

// acknowledge applies NRcv and SACK mask of a frame of side dir to what the
// other side sent (MC-DPL8R 3.1.5.2.2, 3.1.5.2.3).
func (c *conn) acknowledge(dir int, nrcv uint8, mask uint64, pure bool) {
	other := 1 - dir
	out := &c.c.Dir[other]
	ref, ok := out.Window().Highest()
	if !ok {
		c.side[other].early, c.side[other].earlyTo = true, nrcv
		c.judgeFirstAck(dir, nrcv)
		c.side[other].history.missed = c.side[other].history.missed || nrcv != 0
		return
	}
	cum, known := out.Window().Cumulative()
	if known {
		ref = max(ref, cum)
	}
	next := near(ref, nrcv)
	if s, peer := &c.side[dir], &c.side[other]; s.ended || peer.ended || len(peer.refused) > 0 {
		c.judgeAcknowledged(dir, next)
	}
	genuine := !c.fr.Words.Has(dissect.Duplicate)
	if genuine {
		mask = c.judgeAcknowledgement(dir, nrcv, mask)
	}
	if s := &c.side[other]; s.closing.beyond && next > s.endSeq+1 {
		next, mask = s.endSeq+1, 0 // what it acknowledges beyond should have been ignored
	}
	a, d := &c.ack, c.fr.Datagram
	a.Next, a.Mask, a.Base = next, mask, next+1
	a.Frame, a.Time, a.HasTime, a.Copy = d.Frame, d.Time, d.HasTime, c.fr.Words.Has(dissect.Duplicate)
	words := out.Acknowledge(a, c.link)
	if genuine {
		c.acknowledged(dir, cum, known, words, pure)
	}
	if s := &c.side[dir]; pure {
		if words == 0 && s.acked && s.ackNext == next && s.ackMask == mask {
			words |= dissect.DuplicateAck
		}
		s.acked, s.ackNext, s.ackMask = true, next, mask
	}
	c.fr.Words |= words
	if cum, ok := out.Window().Cumulative(); ok {
		c.side[other].asm.passed(min(cum, ref+1))
	}
}

// giveUp applies a send mask: bit i gives up the number before-1-i of the side
// itself (MC-DPL8R 3.1.5.2.4). Masks repeat themselves, so only bits that the
// mask before did not have are looked at.
func (c *conn) giveUp(dir int, before int64, mask uint64) {
	if mask == 0 && !c.side[dir].sequence.alone.waiting {
		return
	}
	if !c.fr.Words.Has(dissect.Duplicate) {
		mask = c.judgeSendMask(dir, before, mask)
	}
	if mask == 0 {
		return
	}
	s := &c.side[dir]
	fresh := mask
	if shift := before - s.maskBase; shift >= 0 && shift < 64 {
		fresh &^= s.sendMask << uint(shift)
	}
	s.sendMask, s.maskBase = mask, before
	s.gaveUp = max(s.gaveUp, before)
	for ; fresh != 0; fresh &= fresh - 1 {
		n := before - 1 - int64(bits.TrailingZeros64(fresh))
		c.c.Dir[dir].GiveUp(n)
		s.asm.giveUp(n)
		s.keys.see(n)
	}
}
