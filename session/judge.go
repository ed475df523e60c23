package session

import (
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Doubt lets every case of the frame at hand end without a verdict: the caller found that a guard
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
	return conform.Case{Rule: rule, Dir: l.dir, Frame: l.fr().Frame, Time: l.fr().Time, HasTime: l.fr().HasTime, Proof: proof, Message: message}
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

// Enough reports that the frame at hand has maxCases cases: further parts of it need not be
// judged.
func (l *Evaluation) Enough() bool { return l.cases >= maxCases }

// Judge ends an opportunity badly, or inconclusively when a guard is not satisfied.
func (l *Evaluation) Judge(x conform.Case) {
	l.cases++
	r := &l.rules[x.Rule]
	if l.fr() != nil && x.Frame == l.fr().Frame && x.Blocked == conform.GuardNone {
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
		if r.Summed {
			told := false
			if f.times, told = l.again(x.Rule, x.Dir); told {
				return
			}
		}
	}
	l.flow.report(&f, l.fr())
}

// JudgeWithout is Judge as if an acknowledgement at a time had told nothing of gaps in what
// a side sent: before is what was known of them without it.
func (l *Evaluation) JudgeWithout(x conform.Case, dir dissect.Dir, at int64, before seq.Gaps) {
	d := &l.c.Dir[dir]
	known := d.KnownGaps()
	if known.Told(at) {
		d.Suppose(before)
		defer d.Suppose(known)
	}
	l.Judge(x)
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
