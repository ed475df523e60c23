package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/knet/track"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// judgeStillOpen judges a fragment of Reference that travels again although its
// TransferID was given to another transfer: it was not free. PacketIDs tell the order.
func (c messageJudge) judgeStillOpen(dir dissect.Dir, t *sentTransfer, m *knet.Message, index int) {
	old := t.former.part(index)
	if x := c.side[dir].datagrams.at(old.packet); old.hash == 0 || !x.isKnown() || x.suspect || x.acks > 0 || c.numbers().mayBeAcked(dir, old.packet) {
		return
	}
	c.reportReuse(dir, t, m, index, old.frame)
}

// judgeReuse judges, by a reliable datagram of Spec, x, that is sent again, the transfers
// that have begun since under the ids of its fragments: these ids were not free. A
// fragment may be sent before its start, so that it must be none of the new transfer.
func (c messageJudge) judgeReuse(dir dissect.Dir, num seq.Num, x sentDatagram) {
	all := c.side[dir].sentTransfers
	if all == nil || x.acks > 0 || c.Frame.Time-x.Time() < resendLeast || c.numbers().mayBeAcked(dir, num) {
		return
	}
	for i := range c.Datagram.Messages {
		m := &c.Datagram.Messages[i]
		if !m.IsFragment() || !m.Whole {
			continue
		}
		t, index := all[m.TransferID], int(m.FragmentNumber.Value)
		if t == nil || !t.begun || t.packet <= num || c.Frame.Time-t.time <= c.horizon() {
			continue
		}
		if other := t.part(index); m.IsStart() || index >= t.count || other.hash != 0 && other.packet > t.packet && other.hash != partHash(m) {
			c.reportReuse(dir, t, m, index, x.Frame())
		}
	}
}

// passReuse passes a start of Reference whose id was free: all fragments of the transfer
// before were acknowledged.
func (c messageJudge) passReuse(dir dissect.Dir, t *sentTransfer) {
	for i := range t.parts {
		if x := c.side[dir].datagrams.at(t.parts[i].packet); t.parts[i].hash != 0 && (!x.isKnown() || x.acks == 0) {
			return
		}
	}
	if t.full() {
		c.c.Rules.Pass(rFrIdReuse)
	}
}

// reportReuse reports the start of a transfer, once.
func (c messageJudge) reportReuse(dir dissect.Dir, t *sentTransfer, m *knet.Message, index int, first uint64) {
	if t.reused {
		return
	}
	t.reused = true
	c.c.Rules.Judge(conform.Case{Rule: rFrIdReuse, Dir: dir, Frame: t.frame, Time: t.time, HasTime: true, Since: t.time, Proof: []uint64{first, c.Frame.Frame},
		Message: fmt.Sprintf("transfer %d begins, and fragment %d of the previous transfer, which was not acknowledged, is sent again after it", m.TransferID, index)})
}

// partHash tells the contents of fragments apart; it is never 0.
func partHash(m *knet.Message) uint64 { return track.ContentHash(m.Body) ^ uint64(m.ID.Value) | 1 }

// judgeIncomplete judges transfers that lack fragments when their side has ended.
func (c messageJudge) judgeIncomplete(dir dissect.Dir) {
	s := &c.side[dir]
	e := &s.ending
	bye := e.disc
	if !bye.set {
		bye = e.ack
	}
	if s.sentTransfers == nil || !bye.set {
		return
	}
	for id, t := range s.sentTransfers {
		if t == nil || !t.begun || t.doubt || bye.num < t.last {
			continue
		}
		if c.c.Rules.Check(rFrComplete, t.full()) || len(t.early) > 0 || !s.datagrams.whole(t.since) || s.datagrams.top != bye.num {
			continue
		}
		x := conform.Case{Rule: rFrComplete, Dir: dir, Frame: t.frame, Time: t.time, HasTime: true, Since: t.time,
			Message: fmt.Sprintf("only part of transfer %d was sent: %d of %d fragments", id, t.got, t.count)}
		if c.c.Rules.SawCut(dir) {
			x.Blocked = conform.GuardSnap // it may lie in what was cut
		}
		c.c.Rules.Judge(x)
	}
}
