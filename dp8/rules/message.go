package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// What a split message is judged by, where the text gives no number.
const (
	tinyMessage  = 64      // bytes: fits into any frame
	smallMessage = 500     // bytes: fits, where as much was sent in one frame with room for masks
	maskRoom     = 16      // bytes that the masks of a frame take at most
	longMessage  = 4 << 20 // bytes
	longTime     = 60e9    // ns
	stallTime    = 1e9     // ns between parts, in which their sender may have had to wait
)

// A run is a split message that is followed from its first part on, as long as
// nothing is missing.
type run struct {
	next  seq.Num // number of its next part
	bytes int
	parts int
	since int64 // when it began, later by as long as its sender waited to be acknowledged
	last  int64 // time of its latest part
	open  bool
}

// ends reports whether a message ends with the frame, or none is in it.
func ends(f track.Record) bool { return f.IsKeepAlive() || f.Parts > 0 || f.Command&dp8.EndMsg != 0 }

// opens reports whether a frame begins a message, or holds none: flags of those
// that break rules of their own do not count here.
func opens(f track.Record) bool {
	return f.IsKeepAlive() || f.Parts > 0 || f.Command&dp8.NewMsg != 0 || closes(f) && f.Size == 0
}

func closes(f track.Record) bool { return f.Control&dp8.CtlEndStream != 0 }

// judgeMessage judges a new number against its neighbours: messages are not
// interleaved, NEW_MSG follows END_MSG (MC-DPL8R 2.2.2, 3.1.5.2.6).
func (j contentJudge) judgeMessage(dir dissect.Dir, num seq.Num) {
	s := &j.side[dir]
	m := &s.History
	f := j.Record
	if f.IsKnown() {
		s.largest = max(s.largest, f.Size)
	}
	if num == m.Top && f.IsKnown() && j.followsWhole(s, num, f) {
		return
	}
	if !f.IsKnown() || f.Transmissions() != 1 || f.IsCut() || j.Frame.Frame != f.Frame() || !m.Reachable(num) {
		return
	}
	j.judgePair(dir, m, num-1)
	j.judgePair(dir, m, num)
	j.followRun(dir, num, f)
	if ends(f) && !opens(f) && !s.isOdd(num, f.Frame()) {
		j.judgeSplitParts(dir, m, num, f)
	}
}

// followsWhole passes the common case: a whole message, the highest number, behind
// the end of another.
func (j contentJudge) followsWhole(s *side, num seq.Num, f track.Record) bool {
	const whole = dp8.NewMsg | dp8.EndMsg
	if f.Command&whole != whole || f.Transmissions() != 1 || f.IsCut() || closes(f) || j.Frame.Frame != f.Frame() {
		return false
	}
	if !s.hasWhole || s.afterWhole != num || s.marks.Any() {
		before := s.History.At(num - 1)
		if !before.IsKnown() || before.IsCut() || !ends(before) || s.isOdd(num-1, before.Frame()) {
			return false
		}
	}
	s.afterWhole, s.hasWhole = num+1, true
	j.c.Rules.PassSet(setWhole)
	s.run.next, s.run.open = num+1, false
	return true
}

// A mark is what was found of a data frame that is remembered.
type mark struct {
	frame   uint64 // else it is of another one with its number
	odd     bool   // it broke a rule of message boundaries: its neighbours are not judged by it
	between bool   // it was found to stand between two parts of a message
}

// markOf gives what was found of a frame of a side, nil for nothing.
func (s *side) markOf(num seq.Num, frame uint64) *mark {
	if x := s.marks.At(num); x != nil && x.frame == frame {
		return x
	}
	return nil
}

// mark gives the place for what was found of it.
func (s *side) mark(num seq.Num, frame uint64) *mark {
	x := s.marks.At(num)
	if x == nil {
		x = s.marks.Put(num, func(n seq.Num) bool { return s.History.At(n).IsKnown() })
	}
	if x.frame != frame {
		*x = mark{frame: frame}
	}
	return x
}

// isOdd reports a frame that broke a rule of message boundaries.
func (s *side) isOdd(num seq.Num, frame uint64) bool {
	x := s.markOf(num, frame)
	return x != nil && x.odd
}

// judgePair judges two frames with consecutive numbers, from a given one on. Which of them is
// wrong is not always clear: the text speaks of the later one.
func (j contentJudge) judgePair(dir dissect.Dir, m *track.History, num seq.Num) {
	s, a, b := &j.side[dir], m.At(num), m.At(num+1)
	if !a.IsKnown() || !b.IsKnown() || a.IsCut() || b.IsCut() || s.isOdd(num, a.Frame()) || s.isOdd(num+1, b.Frame()) {
		return
	}
	rules := &j.c.Rules
	if ends(a) && opens(b) {
		rules.Pass(r31526NewAfterEnd)
		rules.Pass(r31526EndBeforeNew)
		if closes(b) {
			rules.Pass(r3143Queued)
		}
		return
	}
	x := conform.Case{Dir: dir, Frame: b.Frame(), Time: b.Time(), HasTime: b.Timed(), Proof: []uint64{a.Frame()}, Since: min(a.Time(), b.Time())}
	switch {
	case min(a.Last(), b.Last()) < m.SureSince:
		x.Blocked = conform.GuardUnwrap
	case (a.IsKeepAlive() || b.IsKeepAlive()) && !j.versionsSeen():
		x.Blocked = conform.GuardVer // below 1.5 it is the part of a message
	}
	switch {
	case ends(a):
		s.mark(num+1, b.Frame()).odd = true
		x.Rule, x.Message = r31526NewAfterEnd, fmt.Sprintf("bSeq %d lacks NEW_MSG, although bSeq %d before it has END_MSG", b.Seq(), a.Seq())
	case opens(b):
		s.mark(num+1, b.Frame()).odd = true
		if x.Rule = r31526EndBeforeNew; b.Parts > 0 {
			return // 3.1.5.2.6 has a rule of its own
		}
		x.Message = fmt.Sprintf("bSeq %d begins a message, although bSeq %d before it has no END_MSG", b.Seq(), a.Seq())
		if closes(b) && b.Size == 0 {
			x.Rule, x.Message = r3143Queued, fmt.Sprintf("END_STREAM while the message of bSeq %d is incomplete", a.Seq())
		}
	default:
		j.judgeProperties(rules, a, b, x)
		return
	}
	rules.Judge(x)
}

// judgeProperties judges two parts of one message.
func (j contentJudge) judgeProperties(rules *session.Evaluation, a, b track.Record, x conform.Case) {
	const shared = dp8.Reliable | dp8.Sequential | dp8.User1 | dp8.User2
	if closes(b) && !ends(b) {
		y := x
		y.Rule, y.Message = r3143Queued, "END_STREAM on a part of a message that is not its last"
		rules.Judge(y)
	}
	if !rules.Check(r3144Props, (a.Command^b.Command)&shared == 0) {
		x.Rule = r3144Props
		x.Message = fmt.Sprintf("parts of one message have bCommand %02X and %02X", uint8(a.Command), uint8(b.Command))
		rules.Judge(x)
	}
	if a.First() && b.First() && a.Time() <= b.Time() {
		rules.Pass(r3144Order)
	}
}

// judgeOrder: the parts of a split message are first sent in order (MC-DPL8R
// 3.1.4.4). The frame at hand is not remembered yet.
func (j contentJudge) judgeOrder(rules *session.Evaluation, dir dissect.Dir, num seq.Num, d *dp8.DFrame, prev track.Record) {
	m := &j.side[dir].History
	if num >= m.Top || !m.Reachable(num) || prev.IsKnown() || d.Control&dp8.CtlRetry != 0 || d.KeepAlive || d.Coalesced || d.Command&dp8.EndMsg != 0 {
		return
	}
	after := m.At(num + 1)
	if !after.IsKnown() || !after.First() || !after.Timed() || opens(after) {
		return
	}
	x := rules.Here(r3144Order, fmt.Sprintf("bSeq %d is first sent %d ms after bSeq %d of the same message", d.Seq, (j.Frame.Time-after.Time())/1e6, after.Seq()), after.Frame())
	switch {
	case j.Frame.Time-after.Time() <= 3*j.Horizon: // what came first may have been a copy
		x.Blocked = conform.GuardReord
	case !rules.ClockFine():
		x.Blocked = conform.GuardClock
	case !j.Unwrapped(dir, after.Time()):
		x.Blocked = conform.GuardUnwrap
	}
	rules.Judge(x)
}

// judgeSplitParts judges the sizes of a message of which the last part came last.
func (j contentJudge) judgeSplitParts(dir dissect.Dir, m *track.History, num seq.Num, end track.Record) {
	total, most, least := int(end.Size), int(end.Size), 1<<30
	small, at := end, num
	for n := num - 1; ; n-- {
		f := m.At(n)
		if !f.IsKnown() || f.IsCut() || ends(f) || j.side[dir].isOdd(n, f.Frame()) || f.Last() < m.SureSince {
			return
		}
		size := int(f.Size)
		total += size
		most = max(most, size)
		if size < least {
			least, small, at = size, f, n
		}
		if opens(f) {
			break
		}
	}
	rules := &j.c.Rules
	fits := total < tinyMessage || total < smallMessage && total+maskRoom <= int(j.side[dir].largest)
	if !rules.Check(r3144Small, !fits) {
		rules.Broken(r3144Small, fmt.Sprintf("a message of %d bytes is split into %d frames", total, num-at+1), small.Frame())
	}
	// Masks take room: parts may differ a little, and may be equal shares.
	if !rules.Check(r3144Fill, least >= most*3/4) {
		rules.Judge(conform.Case{Rule: r3144Fill, Dir: dir, Frame: small.Frame(), Time: small.Time(), HasTime: small.Timed(), Proof: []uint64{end.Frame()},
			Message: fmt.Sprintf("a part that is not the last has %d bytes, another has %d", least, most)})
	}
}

// followRun looks for messages that do not end (MC-DPL8R 3.1.5.2.6).
func (j contentJudge) followRun(dir dissect.Dir, num seq.Num, f track.Record) {
	r, rules := &j.side[dir].run, &j.c.Rules
	switch {
	case opens(f):
		*r = run{since: f.Time(), open: !ends(f)}
	case num != r.next:
		r.open = false
	}
	r.next = num + 1
	if !r.open {
		return
	}
	switch pause := f.Time() - r.last; {
	case r.parts == 0 || pause <= stallTime:
	case pause > aliveAfter:
		r.since += pause // of the path: what was captured of the other side may not have arrived
	default:
		r.since += max(j.stalled(dir, num-1, f.Time())-r.last, 0)
	}
	r.bytes, r.last = r.bytes+int(f.Size), f.Time()
	r.parts++
	switch {
	case ends(f):
		r.open = false
		rules.Pass(r31526Open)
	case r.bytes > longMessage || f.Time()-r.since > longTime:
		r.open = false
		rules.Broken(r31526Open, fmt.Sprintf("a message has %d bytes in %d parts after %d s and has not ended", r.bytes, r.parts, (f.Time()-r.since)/1e9))
	}
}

// stalled is until when the sender of a number waited for the acknowledgement of it, or of
// one before it that its window held, at a time.
func (j contentJudge) stalled(dir dissect.Dir, num seq.Num, now int64) (until int64) {
	for n := num; n > num-dp8.WindowSize; n-- {
		x, ok := j.c.Dir[dir].Look(n)
		switch {
		case !ok:
			return until
		case !x.Acked:
			return now
		case x.AckTimed:
			until = max(until, min(x.AckTime, now))
		}
	}
	return until
}
