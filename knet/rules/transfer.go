package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Bounds of what is remembered of a transfer.
const (
	maxParts     = 4096
	maxEarly     = 256
	transferTime = 10e9 // for which a fragment without transfer waits for its start, in ns
)

func (t *sentTransfer) full() bool { return t.begun && t.got >= t.count }

// keep notes a fragment.
func (t *sentTransfer) keep(index int, p part) {
	if index >= maxParts {
		t.doubt = true
		return
	}
	for len(t.parts) <= index {
		t.parts = append(t.parts, part{})
	}
	if t.parts[index].hash == 0 {
		t.got++
	}
	t.parts[index] = p
	t.last = max(t.last, p.packet)
}

func (t *sentTransfer) part(index int) part {
	if index < len(t.parts) {
		return t.parts[index]
	}
	return part{}
}

// judgeFragment judges a fragment by the others of its transfer (kNet page,
// Fragmented Transfers).
func (c messageJudge) judgeFragment(dir dissect.Dir, sent *seq.Sending, m *knet.Message) {
	s := &c.side[dir]
	if s.sentTransfers == nil {
		s.sentTransfers = new(sentTransfers)
	}
	t := s.sentTransfers[m.TransferID]
	if t == nil {
		t = &sentTransfer{}
		s.sentTransfers[m.TransferID] = t
	}
	p := part{partHash(m), sent.Num, sent.Frame}
	index := int(m.FragmentNumber.Value)
	if c.Datagram.Dialect != knet.Spec {
		c.judgeLibraryFragment(dir, t, m, index, p)
		return
	}
	switch {
	case m.IsStart():
		c.judgeStart(dir, t, m, p, 0)
	case !t.begun:
		t.wait(index, 0, c.Frame.Time, p)
	case p.packet < t.packet:
		t.overtaken(index, p)
	case index >= t.count:
		c.judgeForeign(dir, t, m, index, p, rMbFragnum)
	case t.part(index).hash != 0 && t.part(index).hash != p.hash:
		c.judgeForeign(dir, t, m, index, p, rFrNumUnique)
	default:
		if t.part(index).hash != 0 {
			t.doubt = true // sent again under another PacketID
		}
		t.keep(index, p)
		c.passTransfer()
	}
}

// overtaken takes a fragment that was sent before the start and captured after it:
// it may be of the transfer before.
func (t *sentTransfer) overtaken(index int, p part) {
	if t.part(index).hash == 0 && index < t.count {
		t.doubt = true
		t.keep(index, p)
	}
}

func (c messageJudge) passTransfer() {
	c.c.Rules.Pass(rMbFragnum)
	c.c.Rules.Pass(rFrNumUnique)
}

// scrap forgets the transfers that a datagram with a fault began.
func (c messageJudge) scrap(dir dissect.Dir, num seq.Num) {
	all := c.side[dir].sentTransfers
	for i := range c.Datagram.Messages {
		if m := &c.Datagram.Messages[i]; all != nil && m.IsStart() {
			if t := all[m.TransferID]; t != nil && t.packet == num {
				all[m.TransferID] = nil
			}
		}
	}
}

// spoil keeps apart the transfers of which the datagram at hand holds a fragment: it
// has a fault, and nothing is known of them until they begin again.
func (c messageJudge) spoil(dir dissect.Dir) {
	all := c.side[dir].sentTransfers
	for i := range c.Datagram.Messages {
		if m := &c.Datagram.Messages[i]; all != nil && m.IsFragment() && all[m.TransferID] != nil {
			all[m.TransferID].spoil()
		}
	}
}

func (t *sentTransfer) spoil() { t.doubt, t.faulty = true, true }

// wait keeps a fragment that came before its start.
func (t *sentTransfer) wait(index int, start seq.Num, at int64, p part) {
	if len(t.early) < maxEarly {
		t.early = append(t.early, earlyPart{index, start, at, p})
	}
}

// judgeStart judges the first fragment of a transfer: its id is free.
func (c messageJudge) judgeStart(dir dissect.Dir, t *sentTransfer, m *knet.Message, p part, number seq.Num) {
	rules, r := &c.c.Rules, &c.side[dir].datagrams
	count := int(m.FragmentCount.Value)
	if t.begun && !t.doubt && p.packet >= t.packet {
		if t.part(0).hash == p.hash && t.count == count {
			return // sent again
		}
		if !t.full() && len(t.early) == 0 && (p.packet == t.packet || r.whole(t.since) && !c.jump && p.packet > t.last) {
			msg := fmt.Sprintf("transfer %d begins, although only %d of %d fragments of the previous transfer were sent", m.TransferID, t.got, t.count)
			rules.Broken(rFrStartOnce, msg, t.frame)
			rules.Broken(rFrIdReuse, msg, t.frame)
			c.broken = true
			c.frames().quarantine()
			t.spoil()
			return
		}
	}
	if p.packet < t.packet {
		return // late
	}
	if t.begun && t.faulty && !t.full() {
		rules.Unclear(rFrIdReuse, conform.GuardKnew, fmt.Sprintf("transfer %d begins, and a fragment of the previous transfer has an error", m.TransferID), t.frame)
	} else {
		rules.Pass(rFrStartOnce)
	}
	next := &sentTransfer{begun: true, count: count, packet: p.packet, last: p.packet, number: number, frame: p.frame, time: c.Frame.Time, since: t.time}
	if !t.begun {
		next.since = r.startAt
		next.doubt = !c.fromStart(dir)
	}
	switch {
	case !t.begun:
	case c.Datagram.Dialect != knet.Spec:
		c.passReuse(dir, t)
	case t.doubt:
		next.doubt = true // what it lacked, another one had, and it may have taken of the one after it
	default:
		next.doubt = c.holdReuse(dir, t, m) || !t.full()
	}
	if r.has && p.packet < r.top {
		next.doubt = true // overtaken: its fragments may have come before
	}
	next.keep(0, p)
	if c.Datagram.Dialect == knet.Spec && !t.begun && !next.doubt && !c.jump && r.whole(next.since) {
		c.judgeEarly(dir, t, next, m.TransferID)
	}
	for _, e := range t.early {
		if e.start == number && e.index < count && next.part(e.index).hash == 0 {
			next.keep(e.index, e.part)
			next.doubt = next.doubt || c.jump || !r.whole(next.since)
		}
	}
	for _, x := range t.open {
		x.count, x.doubt = count, next.doubt
	}
	if t.begun {
		old := *t
		old.former, old.early, old.open = nil, nil, nil
		next.former = &old
	}
	*t = *next
}

// judgeEarly judges fragments that came before the start of the first transfer of an
// id: they are none of another.
func (c messageJudge) judgeEarly(dir dissect.Dir, t, next *sentTransfer, id uint8) {
	for _, e := range t.early {
		if c.c.Rules.Check(rMbFragnum, e.index < next.count) || e.packet > next.packet {
			continue
		}
		c.c.Rules.Judge(conform.Case{Rule: rMbFragnum, Dir: dir, Frame: e.frame, Time: e.time, HasTime: true, Since: e.time, Proof: []uint64{next.frame},
			Message: fmt.Sprintf("fragment %d of transfer %d, which then begins with %d", e.index, id, next.count)})
	}
}

// holdReuse looks whether all fragments of the transfer before were acknowledged. An
// acknowledgement may still have been on its way past the capture point, and it may
// have been missed.
func (c messageJudge) holdReuse(dir dissect.Dir, t *sentTransfer, m *knet.Message) (held bool) {
	rules, s := &c.c.Rules, &c.side[dir]
	for i := range t.parts {
		x := s.datagrams.at(t.parts[i].packet)
		if t.parts[i].hash == 0 || !x.isKnown() || x.suspect || !x.isReliable() || x.acks > 0 || c.numbers().mayBeAcked(dir, t.parts[i].packet) {
			continue
		}
		num := t.parts[i].packet
		y := rules.Here(rFrIdReuse, fmt.Sprintf("transfer %d begins, although fragment %d of the previous transfer, in PacketID %d, is not acknowledged",
			m.TransferID, i, num&knet.PacketIDMask), t.frame, t.parts[i].frame)
		rules.Hold(y, reused{c, dir, t, num, t.since, c.Frame.Time, c.mark(dir.Other())})
		return true
	}
	rules.Pass(rFrIdReuse)
	return false
}

// A reused is a transfer whose id is used again while a fragment of it is not acknowledged.
type reused struct {
	c         messageJudge
	dir       dissect.Dir
	t         *sentTransfer
	num       seq.Num // of the fragment's datagram
	since, at int64
	mark      mark // of the other side
}

// Settle implements session.Settler.
func (h reused) Settle() (conform.Ruling, conform.Guard) {
	c, r := h.c, &h.c.side[h.dir].datagrams
	x := r.at(h.num)
	switch {
	case h.t.reused:
		return conform.Dropped, 0 // it was told
	case !x.isKnown() || x.acks == 0 && c.numbers().mayBeAcked(h.dir, h.num) || x.acks > 0 && x.ackedAt() <= h.at+c.horizon():
		return conform.Dropped, 0
	case !c.went(h.dir.Other(), h.mark, h.since) || !r.whole(h.since):
		return conform.Doubtful, conform.GuardOdds
	}
	return conform.Failed, 0
}

// judgeForeign judges a fragment that is none of the transfer at hand. While that
// lacks fragments its id is not free for another; later it may be of a transfer of
// which the start has still to come.
func (c messageJudge) judgeForeign(dir dissect.Dir, t *sentTransfer, m *knet.Message, index int, p part, rule int) {
	rules, s := &c.c.Rules, &c.side[dir]
	msg := fmt.Sprintf("fragment %d of transfer %d differs from an earlier transmission", index, m.TransferID)
	if rule == rMbFragnum {
		msg = fmt.Sprintf("fragment %d of transfer %d, which has %d", index, m.TransferID, t.count)
	}
	switch x := s.datagrams.at(t.packet); {
	case t.doubt:
	case p.packet == t.packet:
		rules.Broken(rule, msg)
		c.broken = true
		c.frames().quarantine()
		return
	case rule == rMbFragnum && x.isKnown() && x.acks == 0 && !c.numbers().mayBeAcked(dir, t.packet) && c.Frame.Time-t.time < soonAfter:
		c.holdForeign(dir, t, rules.Here(rule, msg, t.frame))
		t.doubt = true // whose it is stays open
		return
	}
	if t.doubt || c.jump || !s.datagrams.whole(t.since) {
		t.doubt = true
		t.wait(index, 0, c.Frame.Time, p)
		return
	}
	c.frames().quarantine()
	x := rules.Here(rule, msg, t.frame)
	if !t.full() && len(t.early) == 0 {
		rules.Judge(x)
		return
	}
	t.wait(index, 0, c.Frame.Time, p)
	y := &foreignFragment{}
	t.open = append(t.open, y)
	rules.HoldFor(x, transferTime, strayFragment{c, dir, index, y, c.Frame.Time, c.mark(dir)})
}

// A strayFragment is a fragment that is none of the transfer at hand.
type strayFragment struct {
	c     messageJudge
	dir   dissect.Dir
	index int
	y     *foreignFragment
	at    int64
	mark  mark
}

// Settle implements session.Settler.
func (h strayFragment) Settle() (conform.Ruling, conform.Guard) {
	c, y := h.c, h.y
	switch {
	case y.count > h.index:
		return conform.Passed, 0
	case y.count > 0 && !y.doubt && c.side[h.dir].datagrams.whole(h.at):
		return conform.Failed, 0
	case y.count > 0 || c.numbers().ended() || c.side[h.dir].datagrams.topAt-h.at < transferTime || !c.went(h.dir, h.mark, h.at):
		return conform.Doubtful, conform.GuardHold
	}
	return conform.Failed, 0
}

// soonAfter is a time, in ns, within which nothing is sent again.
const soonAfter = 1e9

// holdForeign keeps a fragment that is none of a transfer of which the start is not
// acknowledged: its id is not free. The acknowledgement may have been missed.
func (c messageJudge) holdForeign(dir dissect.Dir, t *sentTransfer, x conform.Case) {
	c.frames().quarantine()
	c.c.Rules.Hold(x, unfree{c, dir, t.packet, t.time, c.Frame.Time, c.mark(dir.Other())})
}

// An unfree is the id of a transfer whose start is not acknowledged.
type unfree struct {
	c         messageJudge
	dir       dissect.Dir
	num       seq.Num // of the start's datagram
	since, at int64
	mark      mark // of the other side
}

// Settle implements session.Settler.
func (h unfree) Settle() (conform.Ruling, conform.Guard) {
	c, y := h.c, h.c.side[h.dir].datagrams.at(h.num)
	if !y.isKnown() || y.acks == 0 && c.numbers().mayBeAcked(h.dir, h.num) || y.acks > 0 && y.ackedAt()-h.at <= c.horizon() || !c.went(h.dir.Other(), h.mark, h.since) {
		return conform.Doubtful, conform.GuardOdds
	}
	return conform.Failed, 0
}

// judgeLibraryFragment judges a fragment of Reference: the reliable numbers of a
// transfer's fragments are consecutive, which tells it from others of its id.
func (c messageJudge) judgeLibraryFragment(dir dissect.Dir, t *sentTransfer, m *knet.Message, index int, p part) {
	rules := &c.c.Rules
	n := c.Number(dir, m.Number)
	same := t.begun && n-seq.Num(index) == t.number
	at := n - t.number
	switch {
	case t.former != nil && n-seq.Num(index) == t.former.number && p.packet > t.packet:
		c.judgeStillOpen(dir, t, m, index)
	case m.IsStart() && !same:
		c.judgeStart(dir, t, m, p, n)
	case same && index >= t.count:
		x := rules.Here(rMbFragnum, fmt.Sprintf("fragment %d of transfer %d, which has %d", index, m.TransferID, t.count), t.frame)
		x.Since = t.time
		if r := &c.side[dir].datagrams; !r.whole(t.time) || c.Over() {
			x.Blocked = conform.GuardLife // the side may have begun again, unseen
		}
		rules.Judge(x)
		c.frames().quarantine()
	case t.begun && index > 0 && !t.full() && (same || at > 0 && at < seq.Num(t.count)) && (index >= t.count || seq.Num(index) != at):
		rules.Broken(rMbFragnum, fmt.Sprintf("fragment %d of transfer %d, which has %d; its reliable number makes it fragment %d", index, m.TransferID, t.count, at), t.frame)
		c.frames().quarantine()
		t.spoil()
	case same && t.part(index).hash != 0 && (t.part(index).hash != p.hash || index == 0 && t.count != int(m.FragmentCount.Value)):
		rule := rFrNumUnique
		if index == 0 {
			rule = rFrStartOnce
		}
		rules.Broken(rule, fmt.Sprintf("fragment %d of transfer %d differs from an earlier transmission", index, m.TransferID), t.part(index).frame)
		c.frames().quarantine()
		t.spoil()
	case same:
		t.keep(index, p)
		c.passTransfer()
	case t.full() || !t.begun:
		t.wait(index, n-seq.Num(index), c.Frame.Time, p)
	}
}
