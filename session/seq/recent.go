package seq

// recentLimit is how many datagrams of a side are remembered, so that copies of them are
// known.
const recentLimit = 512

// recentDatagrams remembers the latest datagrams of one side that only their bytes tell
// apart: retries, and frames without a number of their own. Datagrams are chained by their hash; a chain ends where the ring has
// been written again.
type recentDatagrams struct {
	ring  []recentDatagram // datagram i, from 0, at i modulo the length, a power of two
	heads []int32          // latest of each chain, plus 1; as many as the ring has
	kept  int32

	lowMemory bool
}

type recentDatagram struct {
	hash uint64
	time int64  // of the latest copy
	num  uint32 // low bits: numbers with equal bytes are no further apart
	ipid uint16
	back uint16 // how many datagrams back the one before it in its chain is, 0 for none
}

func (r *recentDatagrams) chain(hash uint64) *int32 {
	return &r.heads[(hash^hash>>32)&uint64(len(r.heads)-1)]
}

func (r *recentDatagrams) at(i int32) *recentDatagram { return &r.ring[int(i)&(len(r.ring)-1)] }

// knows reports a datagram with the bytes of one remembered under its number.
func (r *recentDatagrams) knows(s *Sending) bool {
	for i := r.latest(s.Hash); i > 0; i = r.before(i) {
		if f := r.at(i - 1); f.hash == s.Hash && f.num == uint32(s.Num) {
			return true
		}
	}
	return false
}

// hasUnder reports whether a datagram is a copy, by its identification, of one that had
// another number.
func (r *recentDatagrams) hasUnder(s *Sending) bool {
	for i := r.latest(s.Hash); i > 0; i = r.before(i) {
		if f := r.at(i - 1); f.hash == s.Hash && f.ipid == s.IPID {
			return f.num != uint32(s.Num)
		}
	}
	return false
}

// latest is the latest datagram of a chain, counted from 1, and before the one before
// another; 0 is none.
func (r *recentDatagrams) latest(hash uint64) int32 {
	if r.kept == 0 {
		return 0
	}
	return r.held(*r.chain(hash))
}

func (r *recentDatagrams) before(i int32) int32 {
	back := int32(r.at(i - 1).back)
	if back == 0 {
		return 0
	}
	return r.held(i - back)
}

// held is i, or 0 when the ring has been written again there.
func (r *recentDatagrams) held(i int32) int32 {
	if i <= max(0, r.kept-int32(len(r.ring))) {
		return 0
	}
	return i
}

func (r *recentDatagrams) keep(s *Sending) {
	if r.kept == 1<<31-1 {
		*r = recentDatagrams{lowMemory: r.lowMemory} // the counter is full: begin again
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
func (r *recentDatagrams) link(i int32) {
	f := r.at(i)
	head := r.chain(f.hash)
	f.back = 0
	if back := i + 1 - *head; *head > 0 && back < recentLimit {
		f.back = uint16(back)
	}
	*head = i + 1
}

// grow doubles ring and chains.
func (r *recentDatagrams) grow() {
	old := r.ring
	r.ring, r.heads = make([]recentDatagram, max(8, 2*len(old))), make([]int32, max(8, 2*len(old)))
	for i := max(0, r.kept-int32(len(old))); i < r.kept; i++ {
		*r.at(i) = old[int(i)&(len(old)-1)]
		r.link(i)
	}
}
