package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// An oddity is a number that came again with other bytes. A client that begins
// again without its Hello in the capture, and the server that follows it, reuse
// numbers, too: that is to be excluded.
type oddity struct {
	num, high seq.Num // and the highest number of the side
	other     seq.Num // highest number of the other side
	hash      uint64

	confirmed bool // the side went on with its numbers
	renewed   bool // more numbers came again with other bytes: they began again

	// What speaks against a new beginning.
	atOnce bool // no time for one since the last frame of the side
	firm   bool // too many datagrams in front of and after it would be missing
	soon   bool // little time, and too many in front of it would be missing
	led    bool // it is one of the server, whose client has sent many
	both   bool // not much time, and too many of both sides would be missing
}

// Bounds of a side that begins again without its Hello in the capture.
const (
	renewedWithin = 8     // ids between two of its first
	noTimeToRenew = 100e6 // ns
	littleTime    = 1e9   // … where the other side goes on with its numbers, too
	someTime      = 5e9   // … and has sent many as well
	manyMissed    = 3     // datagrams in a row that a clean capture does not miss
)

// oddity weighs what speaks against a new beginning at the frame at hand.
func (j *judge) oddity(dir dissect.Dir, n seq.Num) *oddity {
	s, peer, rules := &j.side[dir], &j.side[dir.Other()], &j.c.Rules
	needed, clean := seq.Num(rules.NeededOdds(dir)), rules.CleanOf(dir, 0)
	many := func(missed seq.Num) bool { return missed >= needed || clean && missed >= manyMissed }
	trip := j.c.Dir[0].MinRTT() + j.c.Dir[1].MinRTT() // a new Hello has to be answered first
	since := j.Frame.Time - j.LastSent(dir)
	return &oddity{num: n, high: s.Top, other: peer.Top, hash: j.Sent.Hash,
		atOnce: dir == j.Client() && since < trip || since < noTimeToRenew && many(n-s.Low.Engine),
		firm:   s.Top-n >= 2 && many(s.Top-s.Low.Engine),
		soon:   since < littleTime && many(n-s.Low.Engine),
		both:   since < someTime && many(n-s.Low.Engine) && peer.Sent && many(peer.Top-peer.Low.Engine),
		led:    j.Client() == dir.Other() && peer.Sent && many(peer.Top-peer.Low.Engine)}
}

// An odd is a case of an oddity.
type odd struct {
	o    *oddity
	peer *side
}

// Settle implements session.Settler: it tells whether the side can't have begun again.
func (h odd) Settle() (conform.Ruling, conform.Guard) {
	o, peer := h.o, h.peer
	wentOn := peer.Top > o.other && peer.Top-o.other < track.AckExcess && !peer.renewed
	switch {
	case o.renewed:
		return conform.Dropped, conform.GuardNone
	case peer.renewed:
		return conform.Doubtful, conform.GuardLife // and this side with it
	case o.atOnce, o.confirmed && o.firm, o.confirmed && (o.soon || o.both) && wentOn, o.led && wentOn:
		return conform.Failed, conform.GuardNone
	}
	return conform.Doubtful, conform.GuardLife
}

// judgeOther judges a number that comes again with other bytes: it is resent
// changed, or used again for another packet. Where it has not been acknowledged,
// either is a fault; what it looks like decides which is the one, the other is
// noted.
func (j *judge) judgeOther(dir dissect.Dir, n seq.Num, first *seq.Look) {
	s, rules := &j.side[dir], &j.c.Rules
	if s.renewed || s.odd != nil && s.odd.num == n && s.odd.hash == j.Sent.Hash {
		return // its numbers began again, or it is sent again itself
	}
	o := j.oddity(dir, n)
	if p := s.odd; p != nil && p.high == o.high && n > p.num && n-p.num <= renewedWithin {
		p.renewed, o.renewed, s.renewed = true, true, true
	}
	s.odd = o
	settler := odd{o, &j.side[dir.Other()]}
	same := rules.Here(rRelResendSame, fmt.Sprintf("ID %d is sent again with bytes that differ from frame %d", j.Packet.ID, first.Frame), first.Frame)
	if j.Over() {
		same.Blocked = conform.GuardLife
	}
	if first.Acked || !rules.BothVisible() {
		rules.Hold(same, settler)
		return
	}
	unique := rules.Here(rRelIdUnique, fmt.Sprintf("ID %d is reused while frame %d, which has it, is not acknowledged", j.Packet.ID, first.Frame), first.Frame)
	unique.Blocked = same.Blocked
	if j.Record.Resembles(j.Frame, j.Packet) {
		unique.AtMost = conform.Note
	} else {
		same.AtMost = conform.Note
	}
	rules.Hold(same, settler)
	rules.Hold(unique, settler)
}
