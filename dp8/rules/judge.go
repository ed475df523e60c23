// Package rules judges what the sides of DirectPlay 8 connections send (MC-DPL8R 3.1). It looks
// at what dp8/track follows; that needs none of it.
package rules

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// New gives the protocol to a tracker, with its rules.
func New(opts track.Options) *session.Protocol {
	p := track.New(opts, func() track.Judge { return new(judge) })
	p.Rules, p.RuleSets = Rules, ruleSets
	p.Types = append(p.Types, types...)
	return p
}

// types are those of what judges a connection, and of what it holds open.
var types = []any{&judge{}, unended{}, foreignID{}, moved{}, actedOn{}, hasty{}, repeatedOffers{}}

// A judge judges one connection. What it remembers is its own; of the connection it reads
// what the View shows.
type judge struct {
	track.View
	*track.Event // at hand
	c            *session.Conn
	hs           *track.Handshake
	signed       *track.Signed
	core         bool // a message of the DirectPlay core was seen
	timers       timerState

	side [2]side
	commandState
}

// A side is what a judge remembers of one sender.
type side struct {
	*track.Side         // what the connection knows of it
	afterWhole  seq.Num // the number after the latest that held a whole message and followed the end of another
	hasWhole    bool    // there is one
	largest     uint16  // bytes of the largest payload that it sent in one frame
	alive1      keepAliveState
	sackWatch   sackState
	sequence    sequenceState
	run         run

	marks    seq.Few[mark]
	closing  closeDuty
	inDoubt  []doubtCase // what frames of doubtful signature break if they are forged
	astray   bool        // its signatures were in doubt
	doubtful bool        // it reported different versions
	uncoal   bool        // it coalesced although it must not
	cframes  cframes
	hard     hardDisconnectState
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
func (j *judge) Follow(v track.View, e *track.Event) {
	j.View, j.Event, j.c, j.hs, j.signed = v, e, v.Conn(), v.Handshake(), v.Signed()
	for dir := range dissect.Dirs {
		j.side[dir].Side = v.Side(dir)
	}
}

// Observe implements Judge.
func (j *judge) Observe(s track.Step) {
	e := j.Event
	dir := e.Dir
	switch s {
	case track.Unread:
		j.commands().judgeMalformed()
		j.content().judgeMalformedData()
	case track.Untracked:
		j.sequence().blindTo(dir)
	case track.Verified:
		j.signing().passSignature(dir, e.Num)
	case track.Unchecked:
		j.c.Rules.Doubt(conform.GuardAuth)
	case track.Doubtful:
		j.signing().doubtSignature(dir, &e.Signature)
		j.c.Rules.Doubt(conform.GuardAuth)
	case track.Refused:
		j.signing().reportSignature(dir, e.Num, &e.Signature)
	case track.Proven:
		j.signing().judgeModifier(dir, e.Suspects)
	case track.Foreign:
		j.content().judgeForeignKeepAlive(&e.Packet.DFrame)
	case track.BehindEnd:
		j.ends().judgeBeyond(&j.c.Rules, dir, &e.Packet.DFrame)
	case track.Woken:
		j.timers.wake(j, e.Pause)
	case track.Placed, track.PlacedUsual:
		j.content().judgeData(dir, e.Num, &e.Packet.DFrame, e.KeepAlive)
		j.sequence().judgeNumber(dir, e.Num, &e.Packet.DFrame)
	case track.Announces:
		j.acks().judgeSACK(dir)
		j.commands().judgeTick(dir)
		j.acks().judgeNSeq(dir, e.Num)
	case track.Closes:
		j.ends().judgeAcknowledged(dir, e.AckedTo)
	case track.Acknowledges:
		j.acks().judgeAcknowledgement(dir)
	case track.GivesUp:
		j.sequence().judgeSendMask(dir, e.Num)
	case track.Taken:
		if e.Applied.Done {
			j.retries().acknowledged(dir, &e.Applied)
		} else if e.Said.Begins {
			j.c.Rules.Pass(r31522Start)
		}
		if e.Packet.Type == dp8.TypeDFrame {
			j.judgeTaken(dir, e.Num, &e.Packet.DFrame)
		} else {
			j.judgeTakenSACK(dir, e.Num, &e.Packet.SACK)
		}
	case track.Greets:
		j.handshakes().judgeGreeting(dir, &e.Packet.Handshake)
	case track.Heeded:
		j.judgeHeeded(dir, &e.Packet.Handshake)
	case track.Resets:
		j.commands().judgeTick(dir)
		j.commands().judgeHard(dir, &e.Packet.Handshake)
	case track.ResetsOther:
		j.commands().judgeStrayHard(&e.Packet.Handshake, e.Stray)
	}
}

// Forget implements Judge.
func (j *judge) Forget(dir dissect.Dir) { j.sequence().forget(dir) }

// Refuted implements Judge.
func (j *judge) Refuted(dir dissect.Dir, frames []seq.ProvisionalFrame) { j.judgeRefuted(dir, frames) }

// Claim implements Judge.
func (j *judge) Claim(dir dissect.Dir, k *track.Claim) { j.acks().judgeClaim(dir, k) }

// Stray implements Judge.
func (j *judge) Stray(s *track.Stray) {
	if s.Outcome == track.StrayOpen {
		j.handshakes().judgeRival(s)
	} else {
		j.commands().judgeStray(s)
	}
}

// Refusal implements Judge.
func (j *judge) Refusal(dir dissect.Dir, r *track.Refusal) {
	if r.ActedOn {
		j.signing().judgeActed(dir, r)
	} else {
		j.signing().passActed(r)
	}
}

// nrcv is the bNRcv of the data frame or SACK at hand.
func (j *judge) nrcv() uint8 {
	if j.Packet.Type == dp8.TypeSACK {
		return j.Packet.SACK.NRcv
	}
	return j.Packet.DFrame.NRcv
}

// judgeHeeded judges a frame of the handshake that was heeded.
func (j *judge) judgeHeeded(dir dissect.Dir, h *dp8.Handshake) {
	j.commands().judgeTick(dir)
	x := &j.Greeting
	switch {
	case h.Opcode == dp8.OpConnect:
		j.retries().judgeConnects(h)
		if x.Exchanged {
			j.handshakes().exchangeRoles()
		}
	case dir != j.Connector():
		j.retries().judgeConnectedLate()
	case x.Secrets:
		j.signing().judgeSigningVersion()
		j.signing().judgeLeak(h)
		j.signing().checkSupplied(h)
	}
}

// judgeTaken judges a data frame that is no copy once it is remembered, by the rules on
// messages, on the handshake before it and on the close behind which it comes.
func (j *judge) judgeTaken(dir dissect.Dir, num seq.Num, d *dp8.DFrame) {
	const whole = dp8.NewMsg | dp8.EndMsg
	s, peer := &j.side[dir], &j.side[dir.Other()]
	if s.sequence.alone.waiting && d.SendMask == 0 {
		j.sequence().judgeSilence(dir, num, 0)
	}
	j.content().judgeMessage(dir, num)
	if peer.Ended {
		j.ends().judgeReply(dir, num+1)
	}
	if dir != j.Connector() {
		j.handshakes().judgeUnestablished(dir, r31Est)
	}
	j.handshakes().speaks(dir)
	peer.sackWatch.sawData(d.IsRetry())
	if coalesced := d.Control&dp8.CtlCoalesce != 0; coalesced || d.Command&whole != whole {
		if coalesced {
			j.content().judgeCoalesced(d)
		}
		j.content().judgeBetween(dir, num, d)
	}
	if j.Verdict.Novelty != seq.First {
		return
	}
	if s.sackWatch.over.Frame != 0 {
		j.acks().settleNSeq(dir, num)
	}
	if !s.alive1.over {
		j.commands().judgeFirstKeepAlive(dir, num, d, j.KeepAlive)
	}
	if j.Resets() != [2]bool{} {
		j.commands().judgeDataBehindHard(dir, num)
	}
}

// judgeTakenSACK judges a SACK that was heeded.
func (j *judge) judgeTakenSACK(dir dissect.Dir, next seq.Num, k *dp8.SACK) {
	if k.SendMask == 0 && j.side[dir].sequence.alone.waiting && !j.Frame.Words.Has(duplicate) {
		j.sequence().judgeSilence(dir, next, 0)
	}
	j.handshakes().speaks(dir)
	j.ends().judgeReply(dir, next)
}

// End implements Judge: it ends what the capture leaves open.
func (j *judge) End(unproven [2]bool) {
	j.sequence().settleSequence()
	j.commands().finishStrays()
	j.handshakes().passRival()
	rules := &j.c.Rules
	for dir := range dissect.Dirs {
		j.signing().finishDoubts(&j.side[dir])
		j.commands().judgeTickRate(dir)
		j.commands().finishHard(dir)
		if w := &j.side[dir].sackWatch; w.over.Frame != 0 {
			w.over.Blocked = conform.GuardClean
			rules.Judge(w.over)
		}
	}
	if e := &j.early; e.Frame != 0 {
		e.Blocked = conform.GuardClean
		rules.Judge(e.Case)
	}
	j.ends().judgeTermination()
	for dir := range dissect.Dirs {
		if unproven[dir] {
			j.signing().judgeUnproven(dir)
		}
	}
}

// versionsSeen reports whether both sides said their version.
func (j *judge) versionsSeen() bool { return j.side[0].Version != 0 && j.side[1].Version != 0 }
