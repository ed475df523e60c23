package session

import "github.com/dpdissect/dpdissect/dissect"

// recentLimit is how many frames are remembered to recognise copies of them.
const recentLimit = 256

// recentCopies remembers the latest frames of one side that only their bytes
// tell apart: retries, and frames without a number of their own. Frames are
// chained by their hash; a chain ends where the ring has been written anew.
type recentCopies struct {
	ring  []recentFrame // frame i, from 0, at i%recentLimit
	heads []int32       // latest frame of each chain, plus 1; power of two
	kept  int32
}

type recentFrame struct {
	num  int64
	hash uint64
	time int64 // of the latest copy
	ipid uint16
	prev int32 // frame before it in its chain, plus 1
}

func (r *recentCopies) chain(hash uint64) *int32 {
	return &r.heads[(hash^hash>>32)&uint64(len(r.heads)-1)]
}

// has reports whether a frame is a copy of one remembered: byte-identical with
// an equal, non-zero IPv4 identification, or, with byTime, without identification
// within CopyHorizon.
func (r *recentCopies) has(s *Sending, byTime bool) bool {
	if r.kept == 0 {
		return false
	}
	for i := *r.chain(s.Hash); i > max(0, r.kept-recentLimit); {
		f := &r.ring[(i-1)%recentLimit]
		if f.hash == s.Hash && f.num == s.Num &&
			(s.Exact || s.IPID != 0 && s.IPID == f.ipid || byTime && sameDatagram(s, f.ipid, f.time)) {
			f.time = s.Time
			return true
		}
		i = f.prev
	}
	return false
}

func (r *recentCopies) keep(s *Sending) {
	if r.kept == 1<<31-1 {
		*r = recentCopies{} // the counter is full: begin anew
	}
	if len(r.ring) < recentLimit {
		r.ring = append(r.ring, recentFrame{})
		if len(r.ring) > len(r.heads) {
			r.grow()
		}
	}
	head := r.chain(s.Hash)
	r.ring[r.kept%recentLimit] = recentFrame{s.Num, s.Hash, s.Time, s.IPID, *head}
	r.kept++
	*head = r.kept
}

// grow doubles the chains while the ring fills.
func (r *recentCopies) grow() {
	r.heads = make([]int32, max(8, 2*len(r.heads)))
	for i := range r.kept {
		head := r.chain(r.ring[i].hash)
		r.ring[i].prev = *head
		*head = i + 1
	}
}

// Unnumbered judges a frame that has no number of its own (acknowledgements,
// unreliable data). With byTime, frames without identification are copies within
// CopyHorizon too.
func (d *Direction) Unnumbered(s *Sending, byTime bool) dissect.Words {
	d.ready()
	if d.recent.has(s, byTime) {
		d.Duplicates++
		d.signs.copies.see(s.Frame, s.Time)
		return dissect.Duplicate
	}
	d.recent.keep(s)
	return 0
}
