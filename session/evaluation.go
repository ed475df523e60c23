package session

import (
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A Evaluation judges one connection by the rules of its protocol. Every opportunity
// ends in one verdict: Pass, or what Broken, Judge and Hold make of a case. What
// the guards of a rule ask for that shows on the connection itself is looked at
// here (see blocked); the rest is the business of the code that calls.
type Evaluation struct{ *evaluation } // nil once the connection is closed

type evaluation struct {
	c       *Conn
	flow    *Flow
	rules   []conform.Rule
	tallies *tallySet
	fr      *dissect.Frame // at hand, nil when none is: it is only valid while it is handled
	dir     int            // its sender
	sight   sight
	holds   []hold
	ripe    ripeness
	doubt   conform.Guard // not satisfied for the frame at hand, whatever the rule
	cases   int           // judged since it is at hand
}

// tallySet are the tallies of one table of rules, for all connections of a Table.
type tallySet struct {
	tally []conform.Tally
	sets  []uint64 // frames that passed a whole set of rules
	room  any      // Flow.Room
}

func newTallySet(rules []conform.Rule, sets [][]int) *tallySet {
	return &tallySet{tally: make([]conform.Tally, len(rules)), sets: make([]uint64, len(sets))}
}

func (t *Table) tallySetOf(p *Protocol) *tallySet {
	b := t.tallySets[p]
	if b == nil {
		b = newTallySet(p.Rules, p.RuleSets)
		t.tallySets[p] = b
	}
	return b
}

// Tallies gives the tally of every rule of a protocol, in the order of its table;
// nil when the table has seen no connection of the protocol.
func (t *Table) Tallies(p *Protocol) []conform.Tally {
	b := t.tallySets[p]
	if b == nil {
		return nil
	}
	all := slices.Clone(b.tally)
	for set, n := range b.sets {
		for _, rule := range p.RuleSets[set] {
			all[rule].Pass += n
		}
	}
	return all
}

// QualityTallies gives the tally of every rule of Quality.
func (t *Table) QualityTallies() []conform.Tally { return t.quality.tally }

// facing makes the rules look at a frame of a direction, copies included.
func (l *Evaluation) facing(fr *dissect.Frame, dir int) {
	l.fr, l.dir, l.doubt, l.cases = fr, dir, conform.GuardNone, 0
	if fr.Time-l.sight.now > longPause {
		l.sight.waiting = l.c.Dir[0].Due() || l.c.Dir[1].Due()
	}
	l.sight.see(fr, dir)
	if len(l.holds) > 0 && l.ripe.maybe(&l.sight) {
		l.ripen()
	}
}

// Doubt makes that no rule calls the frame at hand broken: a guard of the caller's
// is not satisfied for it.
func (l *Evaluation) Doubt(g conform.Guard) { l.doubt = g }

// Doubted reports whether Doubt was said of the frame at hand.
func (l *Evaluation) Doubted() bool { return l.doubt != conform.GuardNone }

// Pass ends an opportunity well.
func (l *Evaluation) Pass(rule int) { l.tallies.tally[rule].Pass++ }

// PassSet is Pass for all rules of one of the protocol's sets (Protocol.RuleSets).
func (l *Evaluation) PassSet(set int) { l.tallies.sets[set]++ }

// PassSetTimes is PassSet for n frames, or parts of one.
func (l *Evaluation) PassSetTimes(set, n int) { l.tallies.sets[set] += uint64(n) }

// Check is Pass when it holds; it gives back whether it does.
func (l *Evaluation) Check(rule int, holds bool) bool {
	if holds {
		l.tallies.tally[rule].Pass++
	}
	return holds
}

// Here is a case against the sender of the frame at hand.
func (l *Evaluation) Here(rule int, message string, proof ...uint64) conform.Case {
	return conform.Case{Rule: rule, Dir: l.dir, Frame: l.fr.Frame, Time: l.fr.Time, HasTime: l.fr.HasTime, Proof: proof, Message: message}
}

// Broken ends an opportunity badly: the frame at hand breaks the rule, as far as
// the guards allow to say so.
func (l *Evaluation) Broken(rule int, message string, proof ...uint64) {
	l.Judge(l.Here(rule, message, proof...))
}

// Unclear ends an opportunity without a verdict.
func (l *Evaluation) Unclear(rule int, g conform.Guard, message string, proof ...uint64) {
	x := l.Here(rule, message, proof...)
	x.Blocked = g
	l.Judge(x)
}

// maxCases is of how many cases one frame can be the place: what has thousands of
// parts, each with a fault, is told no more of.
const maxCases = 16

// Enough reports that so much was found at the frame at hand that its further parts
// need not be judged.
func (l *Evaluation) Enough() bool { return l.cases >= maxCases }

// Judge ends an opportunity badly, or inconclusively when a guard is not satisfied.
func (l *Evaluation) Judge(x conform.Case) {
	l.cases++
	r := &l.rules[x.Rule]
	if l.fr != nil && x.Frame == l.fr.Frame && x.Blocked == conform.GuardNone {
		x.Blocked = l.doubt
	}
	if x.Blocked == conform.GuardNone {
		x.Blocked = l.blocked(r, &x)
	}
	t := &l.tallies.tally[x.Rule]
	f := Finding{Rule: r, Severity: l.severity(r, &x), Guard: x.Blocked, Conn: l.c, Dir: Side(x.Dir + 1),
		Frame: x.Frame, Frames: proofOf(&x), Time: x.Time, HasTime: x.HasTime, Message: x.Message}
	if x.Blocked != conform.GuardNone {
		t.Inconclusive++
		t.Blocked[x.Blocked]++
		if !l.flow.table.cfg.Inconclusive {
			return
		}
	} else {
		t.Fail++
	}
	l.flow.report(&f, l.fr)
}

// severity is that of the rule, one step less where what it depends on was
// concluded. It never rises.
func (l *Evaluation) severity(r *conform.Rule, x *conform.Case) conform.Severity {
	s := r.Severity
	if (x.Milder || l.concluded(r)) && s < conform.Note {
		s++
	}
	return max(s, x.AtMost)
}

// concluded reports whether version, dialect or roles, where the rule asks for
// them, were inferred.
func (l *Evaluation) concluded(r *conform.Rule) bool {
	in := func(what string) bool { return slices.Contains(l.c.Inferred, what) }
	return r.Guards.Has(conform.GuardVer) && (in("version") || in("signing")) ||
		r.Guards.Has(conform.GuardDial) && in("dialect") || r.Guards.Has(conform.GuardRole) && in("roles")
}

// maxProof bounds the frames of a proof.
const maxProof = 32

// proofOf gives the frames that prove a case, in order, the offending one among
// them.
func proofOf(x *conform.Case) []uint64 {
	frames := make([]uint64, 0, len(x.Proof)+1)
	for _, f := range x.Proof[:min(len(x.Proof), maxProof)] {
		if f != 0 {
			frames = append(frames, f)
		}
	}
	if x.Frame != 0 {
		frames = append(frames, x.Frame)
	}
	slices.Sort(frames)
	return slices.Compact(frames)
}
