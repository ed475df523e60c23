package track

import (
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A judge judges one connection. What it remembers is its own; of the connection it reads
// what the View shows.
type judge struct {
	View
	*Event // at hand
	c      *session.Conn
	hs     *handshakeState
	signed *signedWatch
	side   [2]judgedSide
	timers timerState
	core   bool // a message of the DirectPlay core was seen
	commandState
}

// A judgedSide is what a judge remembers of one sender.
type judgedSide struct {
	*side // what the connection knows of it

	sequence  sequenceState
	marks     seq.History[mark]
	run       run
	closing   closeDuty
	inDoubt   []doubtCase // what frames of doubtful signature break if they are forged
	doubtful  bool        // it reported different versions
	uncoal    bool        // it coalesced although it must not
	cframes   cframes
	hard      hardDisconnectState
	sackWatch sackState
	alive1    keepAliveState
}

// commandState is what judging the command frames of a connection needs, besides what is
// kept of each side.
type commandState struct {
	asked       [2]asked
	lastConnect badConnect
	strayCases  []strayCase
	chosen      secretWatch
	early       earlyFrame
	repeats     int // CONNECTs since the listener's latest answer
	offers      int // answers of the listener since the connector's latest confirmation
	confirms    int // confirmations
}

// Follow implements Judge.
func (c *judge) Follow(v View) {
	c.View, c.c, c.hs, c.signed = v, v.Conn(), v.Handshake(), v.Signed()
	for dir := range c.side {
		c.side[dir].side = v.Side(dir)
	}
}

// Observe implements Judge.
func (c *judge) Observe(e *Event) {
	if c.Event != e { // it is the same for a connection
		c.Event = e
	}
	dir := e.Dir
	switch e.Step {
	case Unread:
		c.commands().judgeMalformed()
		c.content().judgeMalformedData()
	case Untracked:
		c.sequence().blindTo(dir)
	case Verified:
		c.signing().passSignature(dir, e.Num)
	case Unchecked:
		c.c.Rules.Doubt(conform.GuardAuth)
	case Doubtful:
		c.signing().doubtSignature(dir, &e.signature)
		c.c.Rules.Doubt(conform.GuardAuth)
	case Refused:
		c.signing().reportSignature(dir, e.Num, &e.signature)
	case Proven:
		c.signing().judgeModifier(dir, e.suspects)
	case Foreign:
		c.content().judgeForeignKeepAlive(&e.f.DFrame)
	case BehindEnd:
		c.ends().judgeBeyond(&c.c.Rules, dir, &e.f.DFrame)
	case Woken:
		c.timers.wake(c, e.pause)
	case Placed:
		c.content().judgeData(dir, e.Num, &e.f.DFrame, e.keepAlive)
		c.sequence().judgeNumber(dir, e.Num, &e.f.DFrame)
	case Announces:
		c.acks().judgeSACK(dir)
		c.commands().judgeTick(dir)
		c.acks().judgeNSeq(dir, e.Num)
	case Acknowledges:
		c.judgeAcknowledges(dir)
	case Acknowledged:
		c.judgeAcknowledged(dir)
	case Taken:
		if e.f.Type == dp8.TypeDFrame {
			c.judgeKept(dir, e.Num, &e.f.DFrame)
			return
		}
		c.handshakes().speaks(dir)
		c.ends().judgeReply(dir, e.Num)
	case Greets:
		c.handshakes().judgeGreeting(dir, &e.f.Handshake)
	case Heeded:
		c.judgeHeeded(dir, &e.f.Handshake)
	case Resets:
		c.commands().judgeTick(dir)
		c.commands().judgeHard(dir, &e.f.Handshake)
	case ResetsOther:
		c.commands().judgeStrayHard(&e.f.Handshake, e.stray)
	}
}

// Forget implements Judge.
func (c *judge) Forget(dir int) { c.sequence().forget(dir) }

// Refuted implements Judge.
func (c *judge) Refuted(dir int, frames []seq.ProvisionalFrame) { c.judgeRefuted(dir, frames) }

// Claim implements Judge.
func (c *judge) Claim(dir int, k *claim) { c.acks().judgeClaim(dir, k) }

// Stray implements Judge.
func (c *judge) Stray(s *stray) {
	if s.outcome == strayOpen {
		c.handshakes().judgeRival(s)
	} else {
		c.commands().judgeStray(s)
	}
}

// Refusal implements Judge.
func (c *judge) Refusal(dir int, r *refusal) {
	if r.actedOn {
		c.signing().judgeActed(dir, r)
	} else {
		c.signing().passActed(r)
	}
}

// judgeAcknowledges judges what the frame at hand acknowledges before that is applied.
func (c *judge) judgeAcknowledges(dir int) {
	if c.side[dir].ended || c.side[1-dir].ended {
		c.ends().judgeAcknowledged(dir, c.next)
	}
	if !c.fr.Words.Has(duplicate) {
		_, mask, _ := c.masks()
		c.acks().judgeAcknowledgement(dir, mask)
	}
}

// judgeAcknowledged judges what it does when that was applied, and what it gives up before
// that is.
func (c *judge) judgeAcknowledged(dir int) {
	if c.said.begins {
		c.c.Rules.Pass(r31522Start)
	}
	if c.applied.done {
		c.retries().acknowledged(dir, c.applied.cum, c.applied.known, c.applied.words, c.f.Type == dp8.TypeSACK)
	}
	if _, _, told := c.masks(); told != 0 || c.side[dir].sequence.alone.waiting {
		c.sequence().judgeSendMask(dir, c.Num, told, c.said.drops)
	}
}

// masks gives bNRcv, SACK mask and send mask of the data frame or SACK at hand.
func (c *judge) masks() (nrcv uint8, sacks, drops uint64) {
	if k := &c.f.SACK; c.f.Type == dp8.TypeSACK {
		return k.NRcv, k.SACKMask, k.SendMask
	}
	d := &c.f.DFrame
	return d.NRcv, d.SACKMask, d.SendMask
}

// judgeHeeded judges a frame of the handshake that was heeded.
func (c *judge) judgeHeeded(dir int, h *dp8.Handshake) {
	c.commands().judgeTick(dir)
	x := &c.greeting
	switch {
	case h.Opcode == dp8.OpConnect:
		c.retries().judgeConnects(h)
		if x.exchanged {
			c.handshakes().exchangeRoles()
		}
	case dir != c.Connector():
		c.retries().judgeConnectedLate()
	case x.secrets:
		c.signing().judgeSigningVersion()
		c.signing().judgeLeak(h)
		c.signing().checkSupplied(h)
	}
}

// judgeKept judges a data frame that is no copy once it is remembered, by the rules on
// messages, on the handshake before it and on the close behind which it comes.
func (c *judge) judgeKept(dir int, num int64, d *dp8.DFrame) {
	const whole = dp8.NewMsg | dp8.EndMsg
	c.content().judgeMessage(dir, num)
	if c.side[1-dir].ended {
		c.ends().judgeReply(dir, num+1)
	}
	if dir != c.Connector() {
		c.handshakes().judgeUnestablished(dir, r31Est)
	}
	c.handshakes().speaks(dir)
	c.acks().sawRetry(dir, d.IsRetry())
	if d.Control&dp8.CtlCoalesce != 0 {
		c.content().judgeCoalesced(d)
	}
	if d.Command&whole != whole || d.Control&dp8.CtlCoalesce != 0 {
		c.content().judgeBetween(dir, num, d)
	}
	if c.verdict.Novelty != seq.First {
		return
	}
	if c.side[dir].sackWatch.over.Frame != 0 {
		c.acks().settleNSeq(dir, num)
	}
	if !c.side[dir].alive1.over {
		c.commands().judgeFirstKeepAlive(dir, num, d, c.keepAlive)
	}
	if c.Resets() != [2]bool{} {
		c.commands().judgeDataBehindHard(dir, num)
	}
}

// End implements Judge: it ends what the capture leaves open.
func (c *judge) End(unproven [2]bool) {
	c.sequence().settleSequence()
	c.commands().finishStrays()
	c.handshakes().passRival()
	rules := &c.c.Rules
	for dir := range c.side {
		c.signing().finishDoubts(&c.side[dir])
		c.commands().judgeTickRate(dir)
		c.commands().finishHard(dir)
		if w := &c.side[dir].sackWatch; w.over.Frame != 0 {
			w.over.Blocked = conform.GuardClean
			rules.Judge(w.over)
		}
	}
	if e := &c.early; e.Frame != 0 {
		e.Blocked = conform.GuardClean
		rules.Judge(e.Case)
	}
	c.ends().judgeTermination()
	for dir := range unproven {
		if unproven[dir] {
			c.signing().judgeUnproven(dir)
		}
	}
}

// versionsSeen reports whether both sides said their version.
func (c *judge) versionsSeen() bool { return c.side[0].version != 0 && c.side[1].version != 0 }
