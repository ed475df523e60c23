package rules

import (
	"fmt"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel/track"
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
var types = []any{&judge{}, unsent{}, neverResent{}, afterwards{}, bareHello{}, unrepeated{}, unframed{}, odd{}, firstID{}, unanswered{}}

// A judge judges one connection. What it remembers is its own; of the connection it
// reads what the View shows.
type judge struct {
	track.View
	*track.Event // at hand
	c            *session.Conn
	side         [2]side
	begun        bool // the first datagram was judged
}

// A side is what is remembered of one sender.
type side struct {
	// What most frames touch comes first, so that it lies in few cache lines.
	*track.Span        // what it sent so far
	largest     uint16 // payload acknowledged
	swapped     int    // ids in a row that step by 256
	odd         *oddity
	payloads    payloads
	forgotten   forgotten
	claims      claims

	jump      seq.Num         // the longest step forward
	again     seq.Few[resent] // packets sent, or acknowledged, again
	ignored   *ignored        // nil while it resent nothing late
	early     int             // resends before an answer could come
	renewed   bool            // its numbers began again
	copies    copies
	denied    denied
	ahead     claims // of ids that the other side had not reached
	aheads    uint64 // … which it reached much later
	unread    int    // datagrams of which it is not known what they were
	refuted   bool   // some had ids that turned out to be out of place
	beat      beats
	lacking   []*track.Partial // messages whose missing parts were looked at
	endless   []endless
	toldAfter bool
	toldReply bool
}

// Follow implements track.Judge.
func (j *judge) Follow(v track.View, e *track.Event) {
	j.View, j.Event, j.c = v, e, v.Conn()
	for dir := range dissect.Dirs {
		j.side[dir].Span = v.Span(dir)
	}
}

// Observe implements track.Judge.
func (j *judge) Observe() {
	e := j.Event
	dir := e.Dir
	if e.Parts.Has(track.Unread) {
		j.side[dir].unread++
	}
	if e.Parts.Has(track.Numbered) {
		j.judgeTransmission(dir)
	}
	if e.Parts.Has(track.Greets) {
		j.judgeHelloAgain(dir)
	}
	if e.Parts.Has(track.Acknowledges) {
		j.judgeAcknowledgement(dir)
	}
	if e.Whole {
		j.c.Rules.Pass(rHdrFragComplete)
	}
	if e.Parts.Has(track.Plain) {
		if !j.begun {
			j.judgeStart(dir)
		}
		j.judgeHeader(dir, e.May)
		if e.Frame.Err == nil && j.Left() {
			j.judgeAfterwards(dir)
		}
	}
}

// Refuted implements track.Judge: datagrams whose ids turned out to be out of place, for
// the side went on before them (Hazel page, Reliable Delivery).
func (j *judge) Refuted(dir dissect.Dir, frames []seq.ProvisionalFrame) {
	j.side[dir].refuted = true
	j.c.JudgeRefuted(dir, frames, func(p *seq.ProvisionalFrame, x *conform.Case) {
		x.Rule, x.Message = rRelIdSeq, fmt.Sprintf("ID %d is out of place: the IDs before and after it continue at %d", uint16(p.Num), uint16(p.Expected))
		if p.By != 0 && p.Num < p.Expected && (p.Num >= 0 || !j.c.Complete) {
			x.Blocked = conform.GuardClean // it may have been sent before, unseen
		}
		if p.By != 0 && !j.c.Rules.CleanOf(dir, 0) {
			x.Blocked = conform.GuardClean // the side may have come so far unseen, and those since be sent again
		}
	})
}

// End implements track.Judge.
func (j *judge) End() {
	if j.Secure() {
		return
	}
	for dir := range dissect.Dirs {
		j.judgeCopies(dir)
		j.judgeBeats(dir)
		j.judgeOpening(dir)
		j.finishAhead(dir)
	}
}

// judgeAcknowledgement judges an acknowledgement with its history.
func (j *judge) judgeAcknowledgement(dir dissect.Dir) {
	s, f := &j.side[dir], j.Packet
	s.claims.take(j.Acked) // the capture missed it
	if f.HasRecent && j.Frame.Length == 4 {
		s.claims.heard(f.Recent)
		j.judgeHistory(dir)
	}
	j.judgeAcked(dir, j.Acked)
}

// judgeHistory judges the bits of the history of an acknowledgement.
func (j *judge) judgeHistory(dir dissect.Dir) {
	denied, claimed := ^j.Packet.Recent, j.Fresh
	if !j.Captured || j.Frame.Words.Has(dissect.Duplicate) {
		claimed = 0
	}
	for left := denied | claimed; left != 0; left &= left - 1 {
		i := bits.TrailingZeros8(left)
		if n := j.Acked - 1 - seq.Num(i); denied>>i&1 != 0 {
			j.judgeDenied(dir, n)
		} else {
			j.judgeClaim(dir, n)
		}
	}
}

// A resent is what is remembered of a packet that was sent, or acknowledged, again.
type resent struct {
	trial *trial // transmissions without an acknowledgement, from the third on
	marks mark
}

type mark uint8

const (
	wasLow  mark = 1 << iota // the latest gap hardly grew
	toldGap                  // its gaps were found fault with
	toldSurplus
	toldKnown
	toldIgnored // counted as sent again long after its acknowledgement passed
)

// resent gives what is remembered of a packet of a side that was sent, or acknowledged,
// again.
func (j *judge) resent(dir dissect.Dir, n seq.Num) *resent {
	s := &j.side[dir]
	if x := s.again.At(n); x != nil {
		return x
	}
	return s.again.Put(n, func(n seq.Num) bool { return j.RecordOf(dir, n).IsKnown() })
}

// A trial is a packet that is unanswered.
type trial struct {
	at       []int64
	frames   []uint64
	repeated bool // it had been acknowledged before
	answered bool // and was again
}
