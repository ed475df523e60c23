package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// claimsKept bounds the ids remembered that a side claims to have; a power of
// two.
const claimsKept = 8

// claims are ids of the other side that a side's histories tell received, and that
// were not captured.
type claims struct {
	list  []claim // claimsKept, nil while there was none
	open  int
	found int   // such that were captured later for the first time
	last  int64 // when the last of those was claimed
	other bool  // some were not in the first acknowledgement after a gap
	proof []uint64

	varied bool // a history was neither FE nor FF
	full   bool // a history was FF
}

type claim struct {
	num   seq.Num
	at    int64
	frame uint64   // the acknowledgement; 0: none
	fresh bool     // it is the first one after a gap
	found bool     // its number was captured later for the first time
	gaps  seq.Gaps // known before it
}

// add notes a claim; the first one of a number counts. It gives one that makes room for it.
func (cs *claims) add(x claim) (old claim) {
	if cs.list == nil {
		cs.list = make([]claim, claimsKept)
	}
	slot := &cs.list[x.num&(claimsKept-1)]
	switch {
	case slot.frame == 0:
		cs.open++
	case slot.num == x.num:
		return old
	default:
		old = *slot
	}
	*slot = x
	return old
}

// take gives the claim of a number, and forgets it.
func (cs *claims) take(n seq.Num) (x claim, ok bool) {
	if cs.open == 0 {
		return x, false
	}
	slot := &cs.list[n&(claimsKept-1)]
	if slot.frame == 0 || slot.num != n {
		return x, false
	}
	x = *slot
	slot.frame = 0
	cs.open--
	return x, true
}

// again takes back a claim that was found, when its number is acknowledged after it was captured: that
// may have been sent again, and the capture missed what was sent first.
func (cs *claims) again(n seq.Num) {
	if slot := &cs.list[n&(claimsKept-1)]; slot.found && slot.num == n {
		slot.found = false
		cs.found--
	}
}

// heard notes what kinds of histories a side sends.
func (cs *claims) heard(recent uint8) {
	switch recent {
	case 0xff:
		cs.full = true
	case 0xfe:
	default:
		cs.varied = true
	}
}

// release names the releases and implementations that set false bits in the way
// seen (Hazel 2ceee1f to 08feb25, Impostor, Hindenburg).
func (cs *claims) release() string {
	switch {
	case !cs.varied && !cs.full:
		return ", as the library of 2020-04 does, whose history is always FE"
	case !cs.varied:
		return ", as implementations do whose history is always FF (Hindenburg)"
	case !cs.other:
		return ", as the library of 2020-04 to 2021-01 does in the first acknowledgement after a gap"
	}
	return ""
}

// histories are the dialects whose acknowledgements have one.
const histories = hazel.DialectSet(1<<hazel.Current | 1<<hazel.Fork36)

// judgeClaim judges a set bit of a history of side dir: x of the other side was
// received.
func (j *judge) judgeClaim(dir dissect.Dir, x seq.Num) {
	s, peer, rules := &j.side[dir], &j.side[dir.Other()], &j.c.Rules
	switch captured, _ := j.c.Dir[dir.Other()].Captured(x); {
	case !j.Frame.HasTime || x <= peer.Low.Engine || x > peer.Top:
		// those before the first may be set or clear; so far ahead it is another rule's
	case captured:
		rules.Pass(rRelAckHistory)
	case j.Possible(dir).Within(histories):
		s.claims.add(claim{num: x, at: j.Frame.Time, frame: j.Frame.Frame, fresh: j.Told.Any && x > j.Told.Num, gaps: j.Known})
	}
}

// swapTime is by how much the capture may swap an acknowledgement and a packet, in
// ns. What the path delays in front of the capture point does not count, which is
// what resends of lost packets look like: the other side did not have it either.
func (j *judge) swapTime() int64 {
	return max(seq.CopyHorizon, (j.c.Dir[0].MinRTT()+j.c.Dir[1].MinRTT())/2)
}

// judgeClaimed judges, when a number of side dir is captured for the first time
// after an acknowledgement of a later one, whether the other side's histories
// acknowledged it already. The capture may have missed its first transmission, so that
// it takes several of them, of different accidents, and nothing else missing.
func (j *judge) judgeClaimed(dir dissect.Dir, n seq.Num) {
	acker, rules := &j.side[dir.Other()], &j.c.Rules
	x, claimed := acker.claims.take(n)
	switch h := j.LastAck(dir.Other()); {
	case !j.Frame.HasTime:
		return
	case !claimed:
		back := h.Num - 1 - n
		if back >= 0 && back < 8 && h.Recent>>uint(back)&1 == 0 && j.Frame.Time-h.At > j.swapTime() {
			rules.Pass(rRelAckHistory)
		}
		return
	case j.Frame.Time-x.at <= j.swapTime():
		return // it was overtaken
	}
	y := conform.Case{Rule: rRelAckHistory, Dir: dir.Other(), Frame: x.frame, Time: x.at, HasTime: true}
	y.Message = fmt.Sprintf("the history acknowledges ID %d, which is first sent %d ms later", uint16(n), (j.Frame.Time-x.at)/1e6)
	j.weighClaim(dir, n, &acker.claims, &x, &y, rules.NeededOdds(dir))
	if y.Blocked == conform.GuardNone {
		y.Message += acker.claims.release()
	}
	rules.JudgeWithout(y, dir, x.at, x.gaps) // a gap that the claim alone tells of is none
}

// weighClaim adds a claim of a number that is captured for the first time much later to
// those before it, and gives the case its guard where fewer than needed are there.
func (j *judge) weighClaim(dir dissect.Dir, n seq.Num, cs *claims, x *claim, y *conform.Case, needed int) {
	y.Proof = append(append(y.Proof, cs.proof...), j.Frame.Frame)
	if y.Blocked = j.unsureClaim(dir, n, cs, x, y); y.Blocked != conform.GuardNone {
		return
	}
	cs.other = cs.other || !x.fresh
	if cs.last = x.at; len(cs.proof) < leastDenials {
		cs.proof = append(cs.proof, x.frame)
	}
	cs.list[n&(claimsKept-1)].found = true
	if cs.found++; cs.found < needed {
		y.Blocked = conform.GuardOdds
		return
	}
	y.Message += fmt.Sprintf(" (%d such IDs so far)", cs.found)
}

// unsureClaim gives what speaks against a claim being a false one.
func (j *judge) unsureClaim(dir dissect.Dir, n seq.Num, cs *claims, x *claim, y *conform.Case) conform.Guard {
	s := &j.side[dir]
	before, ok := j.c.Dir[dir].Look(n - 1)
	switch {
	case !j.c.Complete && j.Frame.Time-j.c.FirstTime < track.Keep:
		return conform.GuardStart // it may have been sent before the capture began
	case s.renewed || s.odd != nil:
		return conform.GuardLife
	case !ok || !before.Captured || s.unread != 0:
		return conform.GuardClean
	case s.ignoresAcks(cs.found + 1):
		return conform.GuardClean // it sends again what was acknowledged, and the first transmission may have been missed
	case x.at-cs.last < session.HoldLeast && cs.found > 0:
		return conform.GuardOdds // of one accident
	}
	y.Since = before.Time
	return conform.GuardNone
}
