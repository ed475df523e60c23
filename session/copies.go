package session

import "github.com/dpdissect/dpdissect/dissect"

// recentLimit is how many frames are remembered to recognise copies of them.
const recentLimit = 256

// recentCopies remembers the latest frames of one side that only their bytes
// tell apart: retries, and frames without a number of their own. Frames are
// chained by their hash; a chain ends where the ring has been written anew.
type recentCopies struct {
	ring      []recentFrame // frame i, from 0, at i modulo the length, a power of two
	heads     []int32       // latest frame of each chain, plus 1; as many as the ring has
	kept      int32
	lowMemory bool
}

type recentFrame struct {
	hash uint64
	time int64  // of the latest copy
	num  uint32 // low bits: numbers with equal bytes are no further apart
	ipid uint16
	back uint16 // how many frames back the one before it in its chain is, 0 for none
}

func (r *recentCopies) chain(hash uint64) *int32 {
	return &r.heads[(hash^hash>>32)&uint64(len(r.heads)-1)]
}

func (r *recentCopies) at(i int32) *recentFrame { return &r.ring[int(i)&(len(r.ring)-1)] }

// has reports whether a frame is a copy of one remembered: byte-identical with
// an equal, non-zero IPv4 identification, or, with byTime, without identification
// within CopyHorizon.
func (r *recentCopies) has(s *Sending, byTime bool, d *Direction) bool {
	if r.kept == 0 {
		return false
	}
	for i := *r.chain(s.Hash); i > max(0, r.kept-int32(len(r.ring))); {
		f := r.at(i - 1)
		if f.hash == s.Hash && f.num == uint32(s.Num) &&
			(s.Exact || s.IPID != 0 && s.IPID == f.ipid || byTime && d.sameDatagram(s, f.ipid, f.time)) {
			f.time = s.Time
			return true
		}
		if f.back == 0 {
			return false
		}
		i -= int32(f.back)
	}
	return false
}

func (r *recentCopies) keep(s *Sending) {
	if r.kept == 1<<31-1 {
		*r = recentCopies{lowMemory: r.lowMemory} // the counter is full: begin anew
	}
	if int(r.kept) >= len(r.ring) && len(r.ring) < recentLimit {
		if len(r.ring) == 0 || !r.lowMemory || s.Time-r.at(r.kept).time < LowMemoryTime {
			r.grow()
		}
	}
	f, head := r.at(r.kept), r.chain(s.Hash)
	f.hash, f.time, f.num, f.ipid, f.back = s.Hash, s.Time, uint32(s.Num), s.IPID, 0
	if back := r.kept + 1 - *head; *head > 0 && back < recentLimit {
		f.back = uint16(back)
	}
	r.kept++
	*head = r.kept
}

// link puts a frame in front of its chain.
func (r *recentCopies) link(i int32) {
	f := r.at(i)
	head := r.chain(f.hash)
	f.back = 0
	if back := i + 1 - *head; *head > 0 && back < recentLimit {
		f.back = uint16(back)
	}
	*head = i + 1
}

// grow doubles ring and chains.
func (r *recentCopies) grow() {
	old := r.ring
	r.ring, r.heads = make([]recentFrame, max(8, 2*len(old))), make([]int32, max(8, 2*len(old)))
	for i := max(0, r.kept-int32(len(old))); i < r.kept; i++ {
		*r.at(i) = old[int(i)&(len(old)-1)]
		r.link(i)
	}
}

// Unnumbered judges a frame that has no number of its own (acknowledgements,
// unreliable data). With byTime, frames without identification are copies within
// CopyHorizon too.
func (d *Direction) Unnumbered(s *Sending, byTime bool) dissect.Words {
	d.ready()
	if d.recent.has(s, byTime, d) {
		d.Duplicates++
		d.signs.copies.see(s.Frame, s.Time)
		return dissect.Duplicate
	}
	d.recent.keep(s)
	return 0
}
