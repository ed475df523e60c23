package seq

// recentLimit is how many datagrams of a side are remembered, so that copies of them are
// known.
const recentLimit = 512

// recentDatagrams remembers the latest datagrams of one side that only their bytes tell
// apart: retries, and frames without a number of their own. Datagrams are chained by their
// hash; a chain ends where the ring has been written again.
type recentDatagrams struct {
	ring      []recentDatagram // datagram i, from 0, at i modulo the length, a power of two
	heads     []uint16         // low bits of the latest of each chain, plus 1; as many as the ring has
	kept      int32
	lowMemory bool
}

// A recentDatagram holds both halves of the hash in one, and the low bits of what is only compared
// with what came lately.
type recentDatagram struct {
	hash uint32 `state:"digest"`
	num  uint32 // numbers with equal bytes are no further apart
	time uint32 // µs of the latest copy
	ipid uint16
	back uint16 // how many datagrams back the one before it in its chain is, 0 for none
}

// is reports whether the datagram has the bytes of a sending.
func (f *recentDatagram) is(s *Sending) bool { return f.hash == s.Digest() }

// note notes when the latest copy came.
func (f *recentDatagram) note(s *Sending) { f.time = uint32(s.Time / 1e3) }

// age gives the time from there to a sending, ns: within 35 minutes either way.
func (f *recentDatagram) age(s *Sending) int64 { return int64(int32(uint32(s.Time/1e3)-f.time)) * 1e3 }

// isYoung reports whether a place is used, and was lately.
func (f *recentDatagram) isYoung(s *Sending) bool {
	age := f.age(s)
	return *f != recentDatagram{} && age >= 0 && age < LowMemoryTime
}

func (r *recentDatagrams) chain(hash uint32) *uint16 { return &r.heads[hash&uint32(len(r.heads)-1)] }

// head is the latest datagram of a chain, counted from 1; 0 is none.
func (r *recentDatagrams) head(chain *uint16) int32 {
	return r.held(r.kept - int32(uint16(r.kept)-*chain))
}

func (r *recentDatagrams) at(i int32) *recentDatagram { return &r.ring[int(i)&(len(r.ring)-1)] }

// knows reports a datagram with the bytes of one remembered under its number.
func (r *recentDatagrams) knows(s *Sending) bool {
	for i := r.latest(s); i > 0; i = r.before(i) {
		if f := r.at(i - 1); f.is(s) && f.num == uint32(s.Num) {
			return true
		}
	}
	return false
}

// hasUnder reports whether a datagram is a copy, by its identification, of one that had
// another number.
func (r *recentDatagrams) hasUnder(s *Sending) bool {
	for i := r.latest(s); i > 0; i = r.before(i) {
		if f := r.at(i - 1); f.is(s) && f.ipid == s.IPID {
			return f.num != uint32(s.Num)
		}
	}
	return false
}

// latest is the latest datagram of the chain of a sending, counted from 1, and before the one
// before another; 0 is none.
func (r *recentDatagrams) latest(s *Sending) int32 {
	if r.kept == 0 {
		return 0
	}
	return r.head(r.chain(s.Digest()))
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
		if len(r.ring) == 0 || !r.lowMemory || r.at(r.kept).isYoung(s) {
			r.grow()
		}
	}
	f := r.at(r.kept)
	f.hash, f.num, f.ipid = s.Digest(), uint32(s.Num), s.IPID
	f.note(s)
	r.kept++
	r.link(r.kept)
}

// link puts a datagram, counted from 1, in front of its chain.
func (r *recentDatagrams) link(i int32) {
	f := r.at(i - 1)
	chain := r.chain(f.hash)
	f.back = 0
	if head := r.head(chain); head > 0 && i-head < recentLimit {
		f.back = uint16(i - head)
	}
	*chain = uint16(i)
}

// grow doubles ring and chains.
func (r *recentDatagrams) grow() {
	old := *r
	r.ring, r.heads = make([]recentDatagram, max(8, 2*len(old.ring))), make([]uint16, max(8, 2*len(old.ring)))
	for r.kept = max(0, old.kept-int32(len(old.ring))); r.kept < old.kept; {
		*r.at(r.kept) = *old.at(r.kept)
		r.kept++
		r.link(r.kept)
	}
}
