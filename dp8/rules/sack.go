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

// A sackState is what judging the SACKs of one side needs.
type sackState struct {
	retry bool // a data frame with RETRY was captured for this side since its last such SACK
	any   bool // a data frame was captured for it
	fresh bool // … since the latest SACK that counted

	over     conform.Case // a bNSeq above what was captured, not yet explained
	overSeq  seq.Num
	overSure bool // its full number is beyond doubt
	retries  int  // SACKs in a row that report a retry none of which was captured
}

// judgeSACK judges a SACK that is genuine, no copy, and not cut.
func (j ackJudge) judgeSACK(dir dissect.Dir) {
	k, rules := &j.Packet.SACK, &j.c.Rules
	j.judgeSACKFields(rules, k)
	j.judgeSACKRetry(dir, k)
	j.handshakes().judgeUnestablished(dir, r31515Unest)
}

// judgeSACKFields judges what the frame itself shows (MC-DPL8R 2.2.1.5).
func (j ackJudge) judgeSACKFields(rules *session.Evaluation, k *dp8.SACK) {
	if k.Command == dp8.CFrame && k.Flags&^(dp8.SACKMask1|dp8.SACKMask2|dp8.SACKSend1|dp8.SACKSend2) == dp8.SACKResponse && k.Padding == 0 && len(k.Trailing) == 0 {
		rules.PassSet(setSACK)
	} else {
		j.judgeOddSACK(rules, k)
	}
	if k.Flags&(dp8.SACKMask1|dp8.SACKMask2|dp8.SACKSend1|dp8.SACKSend2) != 0 && !rules.Check(r2215Maskzero, k.MasksSaySomething()) {
		rules.Broken(r2215Maskzero, fmt.Sprintf("bFlags 0x%02x announces a mask that is zero", k.Flags))
	}
	switch {
	case j.Signing() == dp8.Unsigned:
		if !rules.Check(r2215SigAbsent, len(k.Trailing) != 8) {
			rules.Broken(r2215SigAbsent, "a SACK with a signature on an unsigned connection")
		}
	case j.Signing() == dp8.Signed && k.HasSignature:
		rules.Pass(r2215SigPresent)
	}
}

func (j ackJudge) judgeOddSACK(rules *session.Evaluation, k *dp8.SACK) {
	rules.Pass(r2215Cmd)
	rules.Pass(r315Dispatch)
	rules.Pass(r3151Opcode)
	rules.Pass(r3151Short)
	if !rules.Check(r2215Poll, k.Command&dp8.Poll == 0) {
		rules.Broken(r2215Poll, "a SACK with POLL")
	}
	if !rules.Check(r2215Flags, k.Flags&0xe0 == 0) {
		rules.Broken(r2215Flags, fmt.Sprintf("bFlags is 0x%02x: the upper three bits are not defined", k.Flags))
	}
	if !rules.Check(r2215Response, k.Flags&dp8.SACKResponse != 0) {
		rules.Broken(r2215Response, fmt.Sprintf("bFlags 0x%02x lacks SACK_FLAGS_RESPONSE", k.Flags))
	}
	if !rules.Check(r2215Padding, k.Padding == 0) {
		rules.Broken(r2215Padding, fmt.Sprintf("wPadding is 0x%04x", k.Padding))
	}
	switch n := len(k.Trailing); {
	case n == 0:
		rules.Pass(r2215Len)
	case n == 8 && j.Signing() == dp8.Unsigned: // SIG-ABSENT
	case n == 8 && j.Signing() == dp8.SigningUnknown:
		rules.Unclear(r2215Len, conform.GuardVer, "8 bytes more than bFlags accounts for: a signature, if the connection is signed")
	default:
		rules.Broken(r2215Len, fmt.Sprintf("%d bytes more than bFlags 0x%02x and the signature account for", n, k.Flags))
	}
}

// judgeSACKRetry: bRetry is zero when the last data frame received was no retry
// (MC-DPL8R 2.2.1.5). Which one was received last cannot be seen from here; that
// none was a retry, again and again, can.
func (j ackJudge) judgeSACKRetry(dir dissect.Dir, k *dp8.SACK) {
	w, rules := &j.side[dir].sackWatch, &j.c.Rules
	switch {
	case k.Flags&dp8.SACKResponse == 0 || !w.any:
	case k.Retry == 0 || w.retry:
		w.retries = 0
		rules.Pass(r2215Retry)
		w.retry = w.retry && k.Retry == 0
	case !w.fresh: // it may still speak of the same one
	default:
		w.retries++
		w.fresh = false
		const message = "bRetry reports a retry, but none was captured"
		if w.retries < 3*rules.NeededOdds(dir.Other()) { // losses come in bursts
			rules.Unclear(r2215Retry, conform.GuardOdds, message)
			return
		}
		rules.Broken(r2215Retry, fmt.Sprintf("bRetry reports a retry for the %dth time, but none was captured", w.retries))
	}
}

// sawData notes a captured data frame for the SACKs of its receiver.
func (w *sackState) sawData(retry bool) {
	w.any, w.fresh = true, true
	w.retry = w.retry || retry
}

// judgeNSeq: bNSeq is the number of the side's next data frame (MC-DPL8R 2.2.1.5).
func (j ackJudge) judgeNSeq(dir dissect.Dir, next seq.Num) {
	if j.side[dir].hard.n > 0 {
		j.commands().judgeSACKBehindHard(dir, next)
	}
	rules, w, x := &j.c.Rules, &j.side[dir].sackWatch, &j.Announced
	switch x.What {
	case track.NextIsNext:
		rules.Pass(r2215Nseq)
	case track.NextIsAhead:
		// Data frames that were not captured explain it, unless one of these numbers is
		// yet sent for the first time.
		if w.over.Frame == 0 {
			w.overSeq, w.overSure = next, j.Unwraps(dir)
			w.over = rules.Here(r2215Nseq, fmt.Sprintf("bNSeq is %d, but the highest data frame so far is %d", uint8(next), uint8(x.Highest)))
		}
	case track.NextIsSent:
		broken := rules.Here(r2215Nseq, fmt.Sprintf("bNSeq is %d, but %d was sent before", uint8(next), uint8(next)), x.Sent)
		switch {
		case x.Stray != nil:
			j.commands().keepStray(x.Stray, broken)
			return
		case x.Other:
			broken.Blocked = conform.GuardLife
		default:
			broken.Blocked = conform.GuardUnwrap
		}
		rules.Judge(broken)
	}
}

// settleNSeq ends the question of a bNSeq above what was captured before: a number
// below it that is first sent clearly later shows that it was wrong.
func (j ackJudge) settleNSeq(dir dissect.Dir, num seq.Num) {
	w, rules := &j.side[dir].sackWatch, &j.c.Rules
	switch {
	case w.over.Frame == 0 || j.Frame.Frame == w.over.Frame:
	case num >= w.overSeq:
		w.over.Blocked = conform.GuardClean
		rules.Judge(w.over)
		w.over = conform.Case{}
	case j.Frame.HasTime && w.overSure && j.UnwrapsAfter(w.overSeq, w.over.Time) && j.AtLeast(w.over.Time) > j.InOrder() && !j.Packet.DFrame.IsRetry():
		w.over.Proof = append(w.over.Proof, j.Frame.Frame)
		if j.MayHaveBegun(w.over.Time) {
			w.over.Blocked = conform.GuardLife
		}
		rules.Judge(w.over)
		w.over = conform.Case{}
	}
}
