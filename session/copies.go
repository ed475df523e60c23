package session

import "github.com/dpdissect/dpdissect/dissect"

// recentLimit is how many frames without a number of their own are remembered
// to recognise copies.
const recentLimit = 32

// recentCopies remembers the latest unnumbered frames of one side.
type recentCopies struct {
	ring []recentFrame
	next int
}

type recentFrame struct {
	hash uint64
	time int64
	ipid uint16
}

// Unnumbered judges a frame that has no number of its own (acknowledgements,
// unreliable data): byte-identical with an equal, non-zero IPv4 identification
// it is a copy. With byTime, frames without identification are copies within
// CopyHorizon too.
func (d *Direction) Unnumbered(s *Sending, byTime bool) dissect.Words {
	r := &d.recent
	for i := range r.ring {
		f := &r.ring[i]
		if f.hash != s.Hash {
			continue
		}
		if s.IPID != 0 && s.IPID == f.ipid || byTime && sameDatagram(s, f.ipid, f.time) {
			d.Duplicates++
			return dissect.Duplicate
		}
	}
	f := recentFrame{s.Hash, s.Time, s.IPID}
	if len(r.ring) < recentLimit {
		r.ring = append(r.ring, f)
		return 0
	}
	r.ring[r.next] = f
	r.next = (r.next + 1) % recentLimit
	return 0
}
