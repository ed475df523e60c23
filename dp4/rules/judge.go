// Package rules judges what the sides of DirectPlay 4 send (MC-DPL4R 3.1).
package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/dp4/track"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// New gives the protocol to a tracker, with its rules.
func New() *session.Protocol {
	p := track.New(func() track.Judge { return new(judge) })
	p.Rules, p.RuleSets = Rules, ruleSets
	p.Types = append(p.Types, types...)
	return p
}

// types are those of what judges a connection, and of what it holds open.
var types = []any{&judge{}}

// A judge judges one connection. What it remembers is its own; of the connection it
// reads what the View shows.
type judge struct {
	track.View
	*track.Event // at hand
	c            *session.Conn
	side         [2]side
}

// A side is what is remembered of one sender.
type side struct {
	// What most frames touch comes first, so that it lies in few cache lines.
	started    bool    // judged as the beginning
	nacks      bool    // it sends NACKs
	perMessage bool    // its serials count the transmissions of whole messages
	early      *early  // its latest packet was sent again too soon, if it was the latest
	captured   uint64  // packets
	heardTo    seq.Num // highest number its peer named, believed or not, in epoch heardIn
	heardIn    uint32
	claims     conform.Pending[claim] // about packets it did not send yet
	count      count
	hearing    hearing

	ignoredFrame ignoredFrame
	odd          []oddity
	odds         int
	duties       [numAnswers]conform.Sample // answers that were asked for; bad when there was none
	answers      int                        // acknowledgements by its peer of packets that asked for them
	denied       seq.Few[denial]            // its packets that are reported missing
	answered     seq.Num                    // these are of packets below it
	excess       excess
	product      product
	retries      int        // whose time was judged
	missed       uint64     // of these, transmissions before were not captured
	zeros        *[32]zeros // nil while no later part had serial 0
}

// Follow implements track.Judge.
func (j *judge) Follow(v track.View, e *track.Event) { j.View, j.Event, j.c = v, e, v.Conn() }

// Observe implements track.Judge.
func (j *judge) Observe() {
	switch e, dir := j.Event, j.Dir; e.Step {
	case track.Shape:
		j.judgeShape(e.Faults)
	case track.Ignored:
		j.judgeIgnored(dir)
	case track.Contradicts:
		j.judgeContradiction(dir)
	case track.Repeats:
		j.judgeRepeat(dir, e.Other)
	case track.Taken:
		j.judgePacket(dir)
	case track.Acknowledges:
		if e.Placed {
			j.judgeAcknowledgement(dir, e.Num)
		} else {
			j.hearAck(dir, 0, false)
		}
	case track.Applied:
		j.settleExcess(dir.Other())
	case track.Done:
		if e.Others && e.Packet.Type != dp4.TypeData && e.Faults == 0 {
			j.c.Rules.Broken(r221Pair, "the acknowledgement of a packet between these players names other players")
		}
		j.judgeWhole(dir, e.Faults)
	}
}

// Refuted implements track.Judge: packets whose sequence turned out to be out of place, for
// the side went on before them (MC-DPL4R 2.2.2).
func (j *judge) Refuted(dir dissect.Dir, frames []seq.ProvisionalFrame) {
	j.c.JudgeRefuted(dir, frames, func(p *seq.ProvisionalFrame, x *conform.Case) {
		x.Rule, x.Since = r222SeqInc, noWindow
		x.Message = fmt.Sprintf("sequence %d is out of place: those before and after it continue at %d", uint8(p.Num), uint8(p.Expected))
		if j.c.Dir[dir].Quality().Repeats(&p.Sending) {
			x.Blocked = conform.GuardDup
		}
		if p.Num < p.Expected || j.Doubted(dir) >= p.Time {
			x.Blocked = conform.GuardUnwrap // it may come from long ago, or numbers came round since
		}
	})
}

// End implements track.Judge.
func (j *judge) End(dir dissect.Dir) {
	j.closeHearing(dir)
	j.closeClaims(dir)
}

// blame breaks a rule at a packet captured before.
func (j *judge) blame(rule int, dir dissect.Dir, u track.Record, message string, proof ...uint64) {
	j.c.Rules.Judge(conform.Case{Rule: rule, Dir: dir, Frame: u.Frame(), Time: u.Time(), HasTime: true, Proof: proof, Message: message, Since: noWindow})
}

// broken breaks a rule at the frame at hand.
func (j *judge) broken(rule int, message string, proof ...uint64) {
	x := j.c.Rules.Here(rule, message, proof...)
	x.Since = noWindow
	j.c.Rules.Judge(x)
}

// judgePacket judges a data frame that was taken.
func (j *judge) judgePacket(dir dissect.Dir) {
	rules := &j.c.Rules
	if j.Fits {
		rules.PassSet(setOrder)
	}
	u := j.Record
	if !u.IsKnown() {
		return
	}
	retry := j.isRetry()
	if j.Profile().Windows {
		j.judgeSAK(dir, u.Num, retry)
	}
	if j.First {
		j.judgeNew(dir, u)
		return
	}
	if !j.comesAgain(dir, u) && retry {
		j.judgeUnreported(dir, u)
	}
	if retry && j.Packet.Flags&dp4.RLY == 0 {
		rules.Broken(r222UnrelRetry, fmt.Sprintf("sequence %d, which is not reliable, is sent again", j.Packet.Sequence), u.Frame())
	}
}

// judgeNew judges a packet captured for the first time.
func (j *judge) judgeNew(dir dissect.Dir, u track.Record) {
	s := &j.side[dir]
	if s.claims.Len() > 0 {
		j.settleClaims(dir, u.Num)
	}
	s.captured++
	if j.Packet.Serial != 0 && j.Packet.Flags&dp4.STA != 0 {
		s.missed++
	}
	j.judgeCovered(dir, u.Num)
	j.judgeFirst(dir, u)
}
