package rules

import (
	"fmt"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeUnfitParts judges a coalesced frame whose headers or payloads do not fit.
// Padding that is not zero was left out: what follows it then fits no more.
func (j contentJudge) judgeUnfitParts(rules *session.Evaluation) {
	d, err := &j.Packet.DFrame, j.Frame.Err
	if j.Signing() == dp8.SigningUnknown {
		return // a signature may stand before the headers
	}
	if !j.keepsPadding(rules, d) {
		return
	}
	switch err.Field {
	case &dp8.Fields[dp8.FPartSize]:
		if d.CoalesceHeaders(j.Frame.Payload) >= dp8.MaxParts {
			j.badPart(r223Count, "more than 32 coalesce headers")
			return
		}
		j.badPart(r223End, "no coalesce header has END_COALESCE")
	case &dp8.Fields[dp8.FHeaderPad]:
		j.badPart(r223Hdrpad, "the two bytes after an odd number of coalesce headers are missing")
	case &dp8.Fields[dp8.FPartData], &dp8.Fields[dp8.FPartPad]:
		j.badPart(r223Fit, fmt.Sprintf("coalesced payload %d: %s", d.Coalesce.N+1, err.Reason))
	}
}

// badPart is Evaluation.Broken, milder when it was only concluded whether a signature stands
// before the headers, and inconclusive when that was concluded from the other side's frames.
func (j contentJudge) badPart(rule int, message string) {
	x := j.c.Rules.Here(rule, message)
	x.Milder = slices.Contains(j.c.Inferred, "signing")
	if x.Milder && !j.ShowsSigning(x.Dir) {
		x.Blocked = conform.GuardVer
	}
	j.c.Rules.Judge(x)
}

// keepsPadding judges the padding that was decoded, and reports whether it is right: zero bytes.
func (j contentJudge) keepsPadding(rules *session.Evaluation, d *dp8.DFrame) bool {
	k := &d.Coalesce
	if k.HeaderPad != [2]byte{} {
		j.badPart(r223Hdrpad, fmt.Sprintf("the padding after the coalesce headers is % x, not zero", k.HeaderPad[:]))
		return false
	}
	for i := range k.Parts[:max(0, k.N)] {
		if p := &k.Parts[i]; p.Pad != [3]byte{} {
			j.badPart(r223Paypad, fmt.Sprintf("the padding after coalesced payload %d is % x, not zero", i+1, p.Pad[:p.Padding()]))
			return false
		}
	}
	return true
}

// judgeCoalesced judges a data frame with COALESCE that is neither a copy nor
// forged.
func (j contentJudge) judgeCoalesced(d *dp8.DFrame) {
	rules := &j.c.Rules
	if d.KeepAlive || j.Frame.Cut() {
		return
	}
	if !j.keepsCoalesceVersion(rules) || !d.Coalesced {
		return
	}
	const whole = dp8.NewMsg | dp8.EndMsg
	if !rules.Check(r223Flags, d.Command&whole == whole) {
		rules.Broken(r223Flags, fmt.Sprintf("bCommand 0x%02x of a coalesced frame lacks NEW_MSG or END_MSG", uint8(d.Command)))
	}
	if j.Signing() != dp8.SigningUnknown {
		j.judgeParts(rules, d)
	}
}

// keepsCoalesceVersion judges the version, and reports whether it is right: coalescence needs 1.5 on both sides (MC-DPL8R 1.7).
func (j contentJudge) keepsCoalesceVersion(rules *session.Evaluation) bool {
	a, b := j.side[0].Version, j.side[1].Version
	switch {
	case a == 0 || b == 0:
		return true // concluded at most
	case min(a, b) >= dp8.Version15:
		rules.Pass(r223Ver)
		return true
	}
	if s := &j.side[j.commands().dirOf()]; s.uncoal {
		return false // said once
	} else {
		s.uncoal = true
	}
	rules.Broken(r223Ver, fmt.Sprintf("a coalesced frame, although the lower of the two versions is 1.%d", min(a, b)&0xffff))
	return false
}

// judgeParts judges the headers and payloads of a coalesced frame.
func (j contentJudge) judgeParts(rules *session.Evaluation, d *dp8.DFrame) {
	k := &d.Coalesce
	for _, r := range [...]int{r223Count, r223End, r223Fit} {
		rules.Pass(r)
	}
	if j.keepsPadding(rules, d) {
		rules.Pass(r223Hdrpad)
		rules.Pass(r223Paypad)
	}
	if !rules.Check(r223Trail, len(k.Trailing) == 0) {
		j.badPart(r223Trail, fmt.Sprintf("%d bytes follow the last coalesced payload", len(k.Trailing)))
	}
	if !rules.Check(r223Mtu, j.Frame.Fragments == 0) {
		j.badPart(r223Mtu, fmt.Sprintf("a coalesced frame of %d bytes came in %d IP fragments", j.Frame.Length, j.Frame.Fragments))
	}
	if d.Control&dp8.CtlRetry == 0 && !rules.Check(r223Solo, k.N > 1) { // a retry may have lost its unreliable parts
		j.badPart(r223Solo, "the coalesced frame has a single payload")
	}
	empty, strict := 0, dp8.Command(0)
	for i := range k.Parts[:k.N] {
		p := &k.Parts[i]
		if p.Size == 0 {
			empty++
		}
		strict |= dp8.Command(p.Command & (dp8.PartReliable | dp8.PartSequential))
	}
	if !rules.Check(r223Zero, empty == 0) {
		j.badPart(r223Zero, fmt.Sprintf("%d coalesced payloads are empty", empty))
	}
	if !rules.Check(r223Outer, strict&^d.Command == 0) {
		j.badPart(r223Outer, fmt.Sprintf("the frame lacks RELIABLE or SEQUENTIAL (bCommand 0x%02x), although one of its parts has it", uint8(d.Command)))
	}
}

// isOpen reports a part that does not end its message, and goesOn one that does not begin it.
func isOpen(f track.Record) bool { return isPart(f) && f.Command&dp8.EndMsg == 0 }
func goesOn(f track.Record) bool { return isPart(f) && f.Command&dp8.NewMsg == 0 }

func isPart(f track.Record) bool {
	return f.IsKnown() && !f.IsKeepAlive() && !f.IsCut() && f.Control&dp8.CtlCoalesce == 0
}

// judgeBetween judges coalesced frames that stand between two parts of one message
// (MC-DPL8R 2.2.2, 3.1.5.2.6). The part behind it shows that the message was not over.
func (j contentJudge) judgeBetween(dir dissect.Dir, num seq.Num, d *dp8.DFrame) {
	if d.KeepAlive || j.Frame.Cut() {
		return
	}
	rules := &j.c.Rules
	if d.Control&dp8.CtlCoalesce != 0 && !isOpen(j.Remembered(dir, num-1)) {
		rules.Pass(r31526CoalMid)
	}
	for n := num - 1; n <= num+1; n++ {
		before, x, behind := j.Remembered(dir, n-1), j.Remembered(dir, n), j.Remembered(dir, n+1)
		if !x.IsKnown() || x.IsCut() || x.Control&dp8.CtlCoalesce == 0 || !isOpen(before) || !goesOn(behind) {
			continue
		}
		found := j.side[dir].mark(n, x.Frame())
		if found.between {
			continue
		}
		found.between = true
		blocked := conform.GuardNone
		if !j.UnwrapsAfter(n, min(before.Time(), x.Time(), behind.Time())) {
			blocked = conform.GuardUnwrap
		}
		rules.Judge(conform.Case{Blocked: blocked, Rule: r31526CoalMid, Dir: dir, Frame: x.Frame(), Time: x.Time(), HasTime: j.Frame.HasTime, Since: x.Time(),
			Proof: []uint64{before.Frame(), behind.Frame()}, Message: "a coalesced frame lies between two parts of one message"})
	}
}
