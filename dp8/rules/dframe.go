package rules

import (
	"encoding/binary"
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeMalformedData judges what could not be decoded of a data frame.
func (j contentJudge) judgeMalformedData() {
	err := j.Frame.Err
	if j.Packet.Type != dp8.TypeDFrame || j.Damaged || len(j.Frame.Payload) < 4 {
		return
	}
	switch err.Field {
	case &dp8.Fields[dp8.FSACKMask], &dp8.Fields[dp8.FSendMask], &dp8.Fields[dp8.FSessionID]:
		x := j.c.Rules.Here(r222Hdrlen, fmt.Sprintf("%s does not fit: the frame has %d bytes", err.Field.Name, len(j.Frame.Payload)))
		if err.Field == &dp8.Fields[dp8.FSessionID] && !j.versionsSeen() {
			x.Blocked = conform.GuardVer // below 1.5 there is none
		}
		j.c.Rules.Judge(x)
	}
}

// judgeData judges a data frame that is no copy by itself and against what its side sent
// before.
func (j contentJudge) judgeData(dir dissect.Dir, num seq.Num, d *dp8.DFrame, keepAlive bool) {
	rules, s := &j.c.Rules, &j.side[dir]
	var prev track.Record
	if num <= s.History.Top {
		prev = s.History.At(num)
	}
	if !prev.IsKnown() && num >= s.History.Top && !s.Ended && j.plain(d) {
		rules.PassSet(setData)
		if d.Control != 0 {
			j.judgeMasks(rules, d)
		}
		return
	}
	rules.Pass(r315Dispatch)
	if j.Frame.Cut() {
		return
	}
	rules.Pass(r222Hdrlen)
	j.judgeMasks(rules, d)
	j.judgeSize(rules, d)
	j.judgeContent(rules, d, keepAlive)
	j.judgeRetryBit(rules, dir, num, d, prev)
	j.signing().judgeResigned(rules, dir, d, prev)
	j.judgeOrder(rules, dir, num, d, prev)
	j.ends().judgeEnd(rules, dir, num, d, prev)
}

// plain reports a frame that passes all rules on the content of frames at once: data
// that is neither coalesced nor the end, sent for the first time in one packet.
func (j contentJudge) plain(d *dp8.DFrame) bool {
	const masks = dp8.CtlSACK1 | dp8.CtlSACK2 | dp8.CtlSend1 | dp8.CtlSend2
	return d.Control&^masks == 0 && d.Command&dp8.User1 == 0 && len(d.Payload) != 4 && j.Frame.Fragments == 0 &&
		!d.KeepAlive && (j.Version() == 0 || j.Version() >= dp8.Version15) && !j.Frame.Cut()
}

// judgeMasks looks for masks that say nothing (AMB-DP8-42: allowed).
func (j contentJudge) judgeMasks(rules *session.Evaluation, d *dp8.DFrame) {
	const announced = dp8.CtlSACK1 | dp8.CtlSACK2 | dp8.CtlSend1 | dp8.CtlSend2
	if d.Control&announced == 0 {
		return
	}
	if !(d.Control&dp8.CtlSACK1 != 0 && uint32(d.SACKMask) == 0 || d.Control&dp8.CtlSACK2 != 0 && d.SACKMask>>32 == 0 ||
		d.Control&dp8.CtlSend1 != 0 && uint32(d.SendMask) == 0 || d.Control&dp8.CtlSend2 != 0 && d.SendMask>>32 == 0) {
		rules.Pass(r222Maskzero)
		return
	}
	for _, w := range [...]struct {
		bit  dp8.Control
		word uint32
		name string
	}{{dp8.CtlSACK1, uint32(d.SACKMask), "dwSACKMask1"}, {dp8.CtlSACK2, uint32(d.SACKMask >> 32), "dwSACKMask2"},
		{dp8.CtlSend1, uint32(d.SendMask), "dwSendMask1"}, {dp8.CtlSend2, uint32(d.SendMask >> 32), "dwSendMask2"}} {
		if d.Control&w.bit != 0 && w.word == 0 {
			rules.Broken(r222Maskzero, w.name+" is present but has no bit set")
			return
		}
	}
}

// judgeSize: a frame larger than the MTU travels in IP fragments. Of IPv4, a router
// may have made them, whose MTU the sender does not know.
func (j contentJudge) judgeSize(rules *session.Evaluation, d *dp8.DFrame) {
	if d.Coalesced {
		return // 2.2.3 has a rule of its own
	}
	if rules.Check(r222Mtu, j.Frame.Fragments == 0) {
		return
	}
	x := rules.Here(r222Mtu, fmt.Sprintf("the frame of %d bytes came in %d IP fragments", j.Frame.Length, j.Frame.Fragments))
	x.Milder = !j.Frame.IPv6
	rules.Judge(x)
}

// judgeContent judges what stands behind the masks by what kind of frame it is.
func (j contentJudge) judgeContent(rules *session.Evaluation, d *dp8.DFrame, keepAlive bool) {
	switch {
	case d.KeepAlive:
		j.judgeKeepAlive(rules, d)
	case j.Version() != 0 && j.Version() < dp8.Version15:
		j.judgeOldKeepAlive(rules, d, keepAlive)
	case !d.Coalesced:
		if j.holdsID(d) {
			x := rules.Here(r222SessidAbsent, "the payload of a frame other than a KeepAlive is the session id")
			if !j.hs.Answered && !j.hs.Confirmed {
				x.Blocked = conform.GuardVer // below 1.5, what seemed an id may be payload that is sent again
			}
			rules.Judge(x)
		} else {
			rules.Pass(r222SessidAbsent)
		}
	}
	if d.Command&dp8.User1 != 0 && !d.KeepAlive && !d.Coalesced {
		j.judgeUser(rules, d)
	}
}

// holdsID reports a payload that is exactly the connection's session id. Zero is
// what a payload may well be.
func (j contentJudge) holdsID(d *dp8.DFrame) bool {
	return j.c.HasSessionID && j.c.SessionID != 0 && len(d.Payload) == 4 && !d.Coalesced &&
		binary.LittleEndian.Uint32(d.Payload) == j.c.SessionID
}

// judgeOldKeepAlive: below 1.5 there is no id, and bit 02 asks for a dedicated
// acknowledgement (MC-DPL8R 2.2.2, 3.1.6.6).
func (j contentJudge) judgeOldKeepAlive(rules *session.Evaluation, d *dp8.DFrame, keepAlive bool) {
	asks := d.Control&dp8.CtlKeepAlive != 0
	switch holds := j.holdsID(d); {
	case holds && !j.versionsSeen():
		rules.Unclear(r222KaVer, conform.GuardVer, "the payload is the session id on a connection that seems to be below version 1.5")
	case holds && asks:
		rules.Broken(r222KaVer, "a KeepAlive with a session id on a connection below version 1.5")
	case holds:
		rules.Broken(r222KaOldEmpty, "the payload is the session id on a connection below version 1.5, whose KeepAlives are empty")
	case asks:
		rules.Pass(r222KaVer)
	case keepAlive:
		rules.Pass(r222KaOldEmpty)
	}
}

// judgeKeepAlive judges a KeepAlive that carries the connection's id.
func (j contentJudge) judgeKeepAlive(rules *session.Evaluation, d *dp8.DFrame) {
	j.judgeKeepAliveHeader(rules, d)
	rules.Pass(r222KaSessid)
	rules.Pass(r222KaVer)
	if j.Signing() == dp8.Unsigned {
		rules.Pass(r222SigAbsent)
	}
	if !rules.Check(r222KaEmpty, len(d.Payload) == 0 || d.Control&dp8.CtlCoalesce != 0) {
		rules.Broken(r222KaEmpty, fmt.Sprintf("%d bytes follow the session id of a KeepAlive", len(d.Payload)))
	}
}

// judgeKeepAliveHeader judges the flags of a KeepAlive.
func (j contentJudge) judgeKeepAliveHeader(rules *session.Evaluation, d *dp8.DFrame) {
	const flags = dp8.Data | dp8.Reliable | dp8.Sequential | dp8.EndMsg
	if !rules.Check(r222KaFlags, d.Command&flags == flags) {
		rules.Broken(r222KaFlags, fmt.Sprintf("bCommand %02X of a KeepAlive lacks %s", uint8(d.Command), missingFlags(d.Command)))
	} else if !rules.Check(r222KaNew, d.Command&dp8.NewMsg != 0) {
		x := rules.Here(r222KaNew, fmt.Sprintf("bCommand %02X of a KeepAlive lacks NEW_MSG", uint8(d.Command)))
		if !j.versionsSeen() {
			x.Blocked = conform.GuardVer // below 1.5 it is the last part of a message
		}
		rules.Judge(x)
	}
	if !rules.Check(r3152KaCoalesce, d.Control&dp8.CtlCoalesce == 0) {
		rules.Broken(r3152KaCoalesce, fmt.Sprintf("bControl %02X has both KEEPALIVE and COALESCE", uint8(d.Control)))
	}
}

func missingFlags(c dp8.Command) string {
	for _, f := range [...]struct {
		bit  dp8.Command
		name string
	}{{dp8.Reliable, "RELIABLE"}, {dp8.Sequential, "SEQUENTIAL"}} {
		if c&f.bit == 0 {
			return f.name
		}
	}
	return "END_MSG"
}

// judgeForeignKeepAlive judges a KeepAlive whose id is not the connection's. One
// that may be left over from another connection of the same addresses is not held
// against this one (guard LIFE).
func (j contentJudge) judgeForeignKeepAlive(d *dp8.DFrame) {
	if rules := &j.c.Rules; j.OtherID.Continues {
		j.reportKeepAlive(rules, d)
	} else {
		rules.Unclear(r222KaSessid, conform.GuardLife, j.foreignID(d))
	}
}

// reportKeepAlive tells what is wrong with a KeepAlive whose id is not where it
// should be.
func (j contentJudge) reportKeepAlive(rules *session.Evaluation, d *dp8.DFrame) {
	if d.Control&dp8.CtlCoalesce != 0 {
		j.judgeKeepAliveHeader(rules, d) // what looks like an id are coalesced payloads
		return
	}
	if j.OtherID.Behind {
		rules.Broken(r222SigAbsent, "a KeepAlive with a signature on an unsigned connection")
		return
	}
	x := rules.Here(r222KaSessid, j.foreignID(d))
	x.Blocked = doubtGuards[j.OtherID.Doubt]
	rules.Hold(x, foreignID{j, d.SessionID})
}

// A foreignID is an id of a KeepAlive that is not the connection's.
type foreignID struct {
	j  contentJudge
	id uint32
}

// Settle implements session.Settler.
func (h foreignID) Settle() (conform.Ruling, conform.Guard) {
	if other, again := h.j.OtherSession(); again && other == h.id {
		return conform.Doubtful, conform.GuardLife // it came again: another connection's
	}
	return conform.Failed, conform.GuardNone
}

func (j contentJudge) foreignID(d *dp8.DFrame) string {
	return fmt.Sprintf("the KeepAlive's dwSessID is 0x%08x, the connection's is 0x%08x", d.SessionID, j.c.SessionID)
}

// judgeUser: where the DirectPlay core speaks, USER_1 marks its messages, which
// begin with a known type and are reliable (MC-DPL8CS 2.1.1).
func (j contentJudge) judgeUser(rules *session.Evaluation, d *dp8.DFrame) {
	if d.Command&dp8.NewMsg == 0 {
		return
	}
	known := dp8.CoreMessage(d.Payload) != ""
	j.core = j.core || known
	switch {
	case !j.core: // of other programs
	case !known:
		rules.Broken(r222Userflags, "a frame with USER_1 does not begin with the type of a session message")
	case d.Command&dp8.Reliable == 0:
		rules.Broken(r222Userflags, "a session message is not reliable: "+dp8.CoreMessage(d.Payload))
	default:
		rules.Pass(r222Userflags)
	}
}

// judgeRetryBit: every sending of a number but the first is marked, and only those
// (MC-DPL8R 2.2.2).
func (j contentJudge) judgeRetryBit(rules *session.Evaluation, dir dissect.Dir, num seq.Num, d *dp8.DFrame, prev track.Record) {
	if d.Control&dp8.CtlRetry != 0 {
		if prev.IsKnown() {
			rules.Pass(r222Retryfirst)
			rules.Pass(r222Retrybit)
		} else {
			rules.Unclear(r222Retryfirst, conform.GuardClean, "the first captured frame with this number has RETRY: an earlier one was lost or never sent")
		}
		return
	}
	if !prev.IsKnown() || !prev.First() || prev.IsCut() || !j.SameContent(d, prev) {
		return // other content under a number is no second sending
	}
	x := rules.Here(r222Retrybit, fmt.Sprintf("bSeq %d, first sent in frame %d, is sent again without RETRY", d.Seq, prev.Frame()), prev.Frame())
	x.Since = prev.Time()
	switch since := j.Frame.Time - prev.Last(); {
	case !j.side[dir].History.Reachable(num) || !j.Unwrapped(dir, prev.Last()):
		x.Blocked = conform.GuardUnwrap
	case j.Sent.Digest() != prev.Digest(): // a copy has the header of the first transmission
	case since <= seq.CopyDoubt:
		x.Blocked = conform.GuardDup
	case since <= seq.CopyDoubt+j.Grain():
		x.Blocked = conform.GuardClock
	}
	rules.Judge(x)
}
