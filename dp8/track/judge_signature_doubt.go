package track

import (
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A doubt is a frame whose signature is wrong unless the capture missed what came
// before it: a new epoch, or a new connection.
type doubt struct {
	conform.Case
	epoch   int64
	vouched int  // later frames of the side that are right in the same epoch
	counted bool // as one that can't be verified
}

// doubtWatch are the doubts of one side.
type doubtWatch struct {
	list []doubt
	run  int // in a row, without a frame that is right
	last int64
}

const (
	maxDoubts = 64
	// vouchers is how many later frames of a side must be right with the secret in force
	// before a frame it does not verify is forged: single ones may come late.
	vouchers = 3
	// doubtsHeeded is from how many doubtful frames in a row on they are followed: then
	// it is rather the secret that has changed.
	doubtsHeeded = 3
)

// doubtSignature keeps the frame at hand, whose signature is wrong, until it shows
// whether the secret it was checked with was still in force; counted tells that it is
// among the frames that can't be verified.
func (c signatureJudge) doubtSignature(dir int, num int64, v sigVerdict, counted bool) {
	s, rules := &c.side[dir], &c.c.Rules
	if s.doubts == nil {
		s.doubts = new(doubtWatch)
	}
	x := rules.Here(rSigFull, "signature does not verify with the sender's secret: forged or altered")
	x.Milder = !c.hs.secrets
	guard := conform.GuardUnwrap
	if c.mode == modeFast {
		x.Rule, x.Message, guard = rSigFast, "signature is not the sender's secret: forged", conform.GuardLife
	}
	w := s.doubts
	w.run++
	if len(w.list) == maxDoubts || !c.fr.HasTime || v != sigInvalid && c.mode == modeFull {
		x.Blocked = guard // the secret of another epoch may be right
		rules.Judge(x)
		return
	}
	x.Blocked = guard
	w.list = append(w.list, doubt{x, num >> 8, 0, counted})
}

// heeds reports whether the doubtful frame at hand may touch the state.
func (w *doubtWatch) heeds() bool { return w.run >= doubtsHeeded }

// vouch settles doubts of a side by the frame at hand, which is right: the side was
// still in that epoch, of this connection, when it sent it.
func (c signatureJudge) vouch(s *side, num int64) {
	w := s.doubts
	w.run = 0
	if len(w.list) == 0 || c.f.Type == dp8.TypeDFrame && c.f.DFrame.Control&dp8.CtlRetry != 0 {
		return
	}
	keep := w.list[:0]
	for _, d := range w.list {
		later := c.fr.Time-d.Time > c.c.Rules.Horizon() && c.fr.Time > w.last
		if later && (c.mode == modeFast || num>>8 == d.epoch || num>>8 == d.epoch+1) {
			d.vouched++
		}
		if d.vouched < vouchers {
			keep = append(keep, d)
			continue
		}
		d.Blocked = conform.GuardNone
		c.c.Rules.Judge(d.Case)
		if d.counted {
			count := &c.c.Dir[d.Dir].Signatures
			count.Unverifiable--
			count.Invalid++
		}
	}
	w.list, w.last = keep, c.fr.Time
}

// finishDoubts leaves what is still in doubt without a verdict.
func (c signatureJudge) finishDoubts(s *side) {
	if s.doubts == nil {
		return
	}
	for _, d := range s.doubts.list {
		c.c.Rules.Judge(d.Case)
	}
	s.doubts.list = nil
}
