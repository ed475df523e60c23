// Package rules judges what the sides of kNet connections do by the texts. It looks at what
// knet/track follows; that needs none of it.
package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/knet/track"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// New gives the protocol to a tracker, with its rules.
func New() *session.Protocol {
	p := track.New(func() track.Judge { return new(judge) })
	p.Rules, p.RuleSets = Rules, ruleSets()
	p.Types = append(p.Types, types...)
	return p
}

// types are those of what judges a connection, and of what it holds open.
var types = []any{&judge{}, ahead{}, ackedPlain{}, unasked{}, tooMany{}, unmatched{}, unconfirmed{}, unanswered{}, reused{}, strayFragment{}, unfree{}}

// A judge judges one connection. What it remembers is its own; of the connection it
// reads what the View shows.
type judge struct {
	track.View
	*track.Event // at hand
	c            *session.Conn
	side         [2]side
	handshake    shaking

	// Of the datagram at hand.
	suspect    bool  // it has a fault, or may have: it changes nothing that rules remember
	jump       bool  // its PacketID is not the next one
	resumedAt  int64 // when both sides had been silent for longer than connected ones are, and one went on: the connection may be another since
	noted      bool  // it is remembered
	plain      bool  // takesPlain has taken it
	broken     bool  // a fragment of it is proven wrong
	reported   bool  // of something that it breaks, though it cannot be read
	suspicions int   // against it
	named      int   // PacketIDs that it acknowledges
}

// A side is what is remembered of one sender.
type side struct {
	datagrams datagrams
	order     order
	ask       asking
	ending    ending

	acking        acking
	delays        delays
	reacks        reacks
	sentTransfers *sentTransfers
	pace          pace
}

// Follow implements track.Judge.
func (j *judge) Follow(v track.View) {
	j.View, j.c = v, v.Conn()
	for dir := range dissect.Dirs {
		j.side[dir].datagrams.out = &j.c.Dir[dir]
	}
}

// Observe implements track.Judge.
func (j *judge) Observe(e *track.Event) {
	if j.Event != e { // it is the same for a connection
		j.Event = e
	}
	frames := frameJudge{j}
	switch dir := e.Dir; e.Step {
	case track.Unread:
		j.begin()
		frames.judgeUnread(dir)
	case track.Apart:
		frames.judgeApart(dir)
	case track.Aside:
		j.begin()
		frames.judgeAside(dir)
	case track.Fresh:
		j.begin()
		frames.judgeDatagram(dir, &e.Sent)
	case track.Taken:
		if j.plain && !e.Known {
			frames.passPlain(dir)
			return
		}
		frames.pronounce()
		if e.Known {
			j.begin()
			if !e.Frame.Words.Has(dissect.Duplicate) {
				frames.judgeDatagram(dir, &e.Sent)
			}
		}
		if j.noted {
			frames.note(dir)
		}
		j.acknowledges(dir)
	case track.Resent:
		if j.Sure() && !j.suspect {
			j.numbers().judgeResent(dir, e.Message, e.Unit)
		}
	}
}

// begin begins with a datagram.
func (j *judge) begin() {
	j.suspect, j.jump, j.noted, j.plain, j.broken, j.suspicions, j.named = j.Doubtful, false, false, false, false, 0, 0
}

// acknowledges notes that a side sent a PacketAck, where that is waited for.
func (j *judge) acknowledges(dir dissect.Dir) {
	if j.Datagram.Plain || j.side[dir].acking.noAcks.since == 0 {
		return
	}
	for i := range j.Datagram.Messages {
		if m := &j.Datagram.Messages[i]; m.Kind == knet.PacketAck && m.Whole {
			j.side[dir].acking.acknowledges()
		}
	}
}

// Refuted implements track.Judge: datagrams whose PacketIDs turned out to be out of place:
// the side went on before them (kNet page, InOrder Datagrams and Messages). With Spec a low
// PacketID may be up to 50 transmissions old.
func (j *judge) Refuted(dir dissect.Dir, frames []seq.ProvisionalFrame) {
	j.c.JudgeRefuted(dir, frames, func(p *seq.ProvisionalFrame, x *conform.Case) {
		x.Rule, x.Since = rDgIdInc, p.Time+1
		x.Message = fmt.Sprintf("PacketID %d is out of place: those before and after it continue at %d", p.Num&knet.PacketIDMask, p.Expected&knet.PacketIDMask)
		switch {
		case !j.Sure():
			x.Blocked = conform.GuardDial
		case j.side[dir].datagrams.startAt > p.Time, j.resumedAt > p.Time && x.Blocked == conform.GuardNone:
			x.Blocked = conform.GuardLife // the side began again since, or may have
		case p.By != 0 && j.Dialect() == knet.Spec && p.Num < p.Expected:
			x.Blocked = conform.GuardClean // it may have been sent before, unseen
		case p.By != 0 && j.Dialect() == knet.Spec && !j.c.Rules.CleanOf(dir, 0):
			x.Blocked = conform.GuardClean // those since may have been, and are sent again
		}
	})
}

// Forget implements track.Judge. Where no datagram is at hand another dialect was learned, and
// nobody began again.
func (j *judge) Forget(dir dissect.Dir) {
	j.side[dir].forget()
	if j.Event != nil && j.Frame != nil {
		j.peerOfAnother(dir)
	}
}

// Compact implements track.Judge.
func (j *judge) Compact() {
	for i := range j.side {
		j.side[i].datagrams.clear()
	}
}

// End implements track.Judge.
func (j *judge) End(dir dissect.Dir) { j.numbers().judgeEndOf(dir) }
