package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A Doubt is a frame whose signature is wrong unless the capture missed what came
// before it: a new epoch, or a new connection.
type Doubt struct {
	time       int64
	epoch      seq.Num
	rightSince int  // later frames of the side that are right in the same epoch
	counted    bool // as one that can't be verified
	Forged     bool // enough of them were
}

// doubtWatch are the doubts of one side.
type doubtWatch struct {
	list []*Doubt
	run  int // in a row, without a frame that is right
	last int64
}

const (
	maxDoubts = 64
	// enoughRight later frames of a side that the secret in force verifies show that one which it
	// does not verify is forged: single ones may come late.
	enoughRight = 3
	// doubtsHeeded is from how many doubtful frames in a row on they are followed: then
	// it is rather the secret that has changed.
	doubtsHeeded = 3
)

// heeds reports whether the doubtful frame at hand, which is not counted yet, may touch the state.
func (w *doubtWatch) heeds() bool { return w != nil && w.run+1 >= doubtsHeeded }

// keepDoubt keeps the frame at hand, whose signature is wrong, until it shows whether the
// secret it was checked with was still in force; counted tells that it is among the frames
// that can't be verified. It gives nil where that will not show.
func (c *conn) keepDoubt(dir dissect.Dir, num seq.Num, v sigVerdict, counted bool) *Doubt {
	s := &c.side[dir]
	if s.doubts == nil {
		s.doubts = new(doubtWatch)
	}
	w := s.doubts
	w.run++
	if len(w.list) == maxDoubts || !c.Frame.HasTime || v != sigInvalid && c.mode == ModeFull {
		return nil // the secret of another epoch may be right
	}
	d := &Doubt{time: c.Frame.Time, epoch: num >> 8, counted: counted}
	w.list = append(w.list, d)
	return d
}

// vouch settles doubts of a side by the frame at hand, which is right: the side was
// still in that epoch, of this connection, when it sent it.
func (c *conn) vouch(dir dissect.Dir, num seq.Num) {
	w := c.side[dir].doubts
	w.run = 0
	if len(w.list) == 0 || c.Packet.Type == dp8.TypeDFrame && c.Packet.DFrame.Control&dp8.CtlRetry != 0 {
		return
	}
	keep := w.list[:0]
	for _, d := range w.list {
		later := c.Frame.Time-d.time > c.c.Rules.Horizon() && c.Frame.Time > w.last
		if later && (c.mode == ModeFast || num>>8 == d.epoch || num>>8 == d.epoch+1) {
			d.rightSince++
		}
		if d.rightSince < enoughRight {
			keep = append(keep, d)
			continue
		}
		d.Forged = true
		if d.counted {
			count := &c.c.Dir[dir].Signatures
			count.Unverifiable--
			count.Invalid++
		}
	}
	w.list, w.last = keep, c.Frame.Time
}

// doubtEpoch takes back that a signature is wrong while the epoch of the number is
// not certain: after a hole in the capture, the numbers may be those of another.
// What is signed rightly with the secret of its number shows that they are not.
func (c *conn) doubtEpoch(dir dissect.Dir, num seq.Num, v sigVerdict) sigVerdict {
	if c.mode != ModeFull {
		return v
	}
	if c.Packet.Type == dp8.TypeHardDisconnect || !wrong(v) && v != sigUnlikely || !c.frameSigned() {
		return v // who may not be the side can't end the connection
	}
	if v == sigEarly && c.isRatherNext(dir, num) {
		return sigDoubtful
	}
	if !c.outOfStep(dir, num) {
		return v
	}
	c.side[dir].keys.untry()
	return sigDoubtful
}

// isRatherNext reports that a frame signed with the secret of the next epoch may well have
// a number of that epoch: that secret is known, so it was used, and frames are missing, or
// so does the number follow the latest one that verified, or it is no higher than those before,
// captured or told by a SACK of the side, and yet no retry.
func (c *conn) isRatherNext(dir dissect.Dir, num seq.Num) bool {
	s := &c.side[dir]
	retry := c.Packet.Type == dp8.TypeDFrame && c.Packet.DFrame.Control&dp8.CtlRetry != 0
	if h := &s.History; h.Started && !retry {
		if next, ok := s.nseq.Known(); num <= h.Top || ok && num < next {
			return true
		}
	}
	missing := !c.c.Rules.CleanOf(dir, s.keys.verified) || s.doubts != nil && s.doubts.run > 0
	return missing || num < s.keys.verifiedNo && num+256-s.keys.verifiedNo <= halfEpoch
}

// A number whose low byte is up to halfEpoch ahead of another is read as a later one.
const halfEpoch = 128

// outOfStep reports that the epoch of a number is in doubt.
func (c *conn) outOfStep(dir dissect.Dir, num seq.Num) bool {
	s := &c.side[dir]
	if c.Packet.Type == dp8.TypeHardDisconnect && c.mode == ModeFast && c.c.HasSessionID {
		return false // it names its session, and has no number
	}
	nseq, sacked := s.nseq.Known()
	patience := c.epochPatience(&s.History, num)
	switch {
	case !s.History.Started:
		return s.History.missed || sacked && nseq > 0 || c.mayBeOver() || num != 0 && c.Frame.Time-c.prevTime > silentLimit
	case !s.History.Reachable(num):
		return true
	case c.mode == ModeFull && c.mayHaveComeFar(dir):
		return true
	case c.mode == ModeFull && s.doubts != nil && s.doubts.run > 0:
		return true // the frames before it are doubtful already
	case s.History.missed:
		return !c.unwrappedWithin(dir, s.keys.verified, patience)
	}
	return !c.unwrappedWithin(dir, max(s.keys.verified, s.History.began), patience)
}

// mayBeOver reports that the frame at hand may be of another connection: this one has ended, or
// nothing was captured of it for long.
func (c *conn) mayBeOver() bool {
	return c.life.state >= session.Closing || c.Frame.HasTime && c.Frame.Time-c.prevTime > longSilence
}

func wrong(v sigVerdict) bool { return v == sigInvalid || v == sigStale || v == sigEarly }
