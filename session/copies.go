package session

import "github.com/dpdissect/dpdissect/dissect"

// recentLimit is how many frames are remembered to recognise copies of them:
// retries, and frames without a number of their own.
const recentLimit = 32

// recentCopies remembers the latest frames of one side that only their bytes
// tell apart.
type recentCopies struct {
	ring []recentFrame
	next int
}

type recentFrame struct {
	num  int64
	hash uint64
	time int64 // of the latest copy
	ipid uint16
}

// has reports whether a frame is a copy of one remembered: byte-identical with
// an equal, non-zero IPv4 identification, or, with byTime, without identification
// within CopyHorizon.
func (r *recentCopies) has(s *Sending, byTime bool) bool {
	for i := range r.ring {
		f := &r.ring[i]
		if f.hash != s.Hash || f.num != s.Num {
			continue
		}
		if s.IPID != 0 && s.IPID == f.ipid || byTime && sameDatagram(s, f.ipid, f.time) {
			f.time = s.Time
			return true
		}
	}
	return false
}

func (r *recentCopies) keep(s *Sending) {
	f := recentFrame{s.Num, s.Hash, s.Time, s.IPID}
	if len(r.ring) < recentLimit {
		r.ring = append(r.ring, f)
		return
	}
	r.ring[r.next] = f
	r.next = (r.next + 1) % recentLimit
}

// Unnumbered judges a frame that has no number of its own (acknowledgements,
// unreliable data). With byTime, frames without identification are copies within
// CopyHorizon too.
func (d *Direction) Unnumbered(s *Sending, byTime bool) dissect.Words {
	if d.recent.has(s, byTime) {
		d.Duplicates++
		return dissect.Duplicate
	}
	d.recent.keep(s)
	return 0
}
