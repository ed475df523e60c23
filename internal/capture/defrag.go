package capture

import "bytes"

// Limits of reassembly. What exceeds them pushes out what began longest ago.
const (
	maxPending      = 1024     // datagrams in hand, complete ones that wait for copies included
	maxPendingBytes = 16 << 20 // bytes of all of them
	maxFragments    = 4096     // fragments of one datagram
	fragmentTimeout = 30 * 1e9 // nanoseconds of capture time from the first fragment (Linux: ipfrag_time)
	maxDatagram     = 0xffff   // bytes of IP payload
	maxSpare        = 16       // buffers kept for reuse
)

// A piece is one fragment.
type piece struct {
	id    uint32 // identification
	proto uint8  // of the payload; IPv6: the next header, only the first fragment's counts
	data  []byte
	off   int  // bytes
	more  bool // not the last
	cut   bool // the capture does not hold all of it
}

type fragKey struct {
	src, dst [16]byte
	id       uint32
	proto    uint8 // 0 on IPv6, where it is no part of the key (RFC 8200 4.5)
	v6       bool
}

type span struct{ from, to int }

// An assembly is a datagram coming together. A complete one stays until it is
// pushed out: a network or a capture that copies packets brings the fragments of
// the copy before, between or after the originals.
type assembly struct {
	key       fragKey
	number    uint64 // from 1, of those that were begun
	buf       []byte
	have      []span // in order, without overlap
	copies    []span // those of have that were seen once more
	got       int    // bytes in have
	gotCopies int
	size      int // bytes of the whole, -1 while the last fragment is missing
	next      uint8
	complete  bool
	spoiled   bool // overlapped or cut: whatever else comes is dropped
	timed     bool
	since     int64

	older, newer *assembly
}

// defrag holds the assemblies by key and by age.
type defrag struct {
	byKey          map[fragKey]*assembly
	oldest, newest *assembly
	at             *assembly `state:"-"` // that the latest fragment is of
	begun          uint64
	bytes          int
	spare          []*assembly `state:"-"`
}

// add takes a fragment and gives the assembly when that completed it. What the
// assembly holds is valid until the next call.
func (f *defrag) add(key fragKey, p piece, now int64, timed bool) *assembly {
	a := f.find(key, now, timed)
	f.at = a
	if a.complete && !a.holds(p) {
		// The identification is in use again.
		f.restart(a, now, timed)
	}
	switch {
	case a.spoiled:
		return nil
	case p.cut, p.more && len(p.data)%8 != 0, p.off+len(p.data) > maxDatagram, len(a.have) >= maxFragments:
		f.spoil(a)
		return nil
	case len(p.data) == 0:
		return nil
	case a.holds(p):
		return a.addCopy(p)
	}
	if !f.insert(a, p) {
		f.spoil(a)
		return nil
	}
	if a.size < 0 || a.got < a.size {
		return nil
	}
	a.complete = true
	a.timed, a.since = timed, now
	return a
}

// find gives the assembly of a key, a new one when there is none or it is too old.
func (f *defrag) find(key fragKey, now int64, timed bool) *assembly {
	if a := f.byKey[key]; a != nil {
		if a.timed && timed && now-a.since > fragmentTimeout {
			f.restart(a, now, timed)
		}
		return a
	}
	if f.byKey == nil {
		f.byKey = map[fragKey]*assembly{}
	}
	for f.oldest != nil && (len(f.byKey) >= maxPending || f.bytes > maxPendingBytes) {
		f.remove(f.oldest)
	}
	a := &assembly{}
	if n := len(f.spare); n > 0 {
		a, f.spare = f.spare[n-1], f.spare[:n-1]
	}
	a.key = key
	f.byKey[key] = a
	f.begin(a, now, timed)
	return a
}

// begin empties an assembly and makes it the newest.
func (f *defrag) begin(a *assembly, now int64, timed bool) {
	f.begun++
	*a = assembly{
		key: a.key, number: f.begun, buf: a.buf[:0], have: a.have[:0], copies: a.copies[:0], size: -1,
		timed: timed, since: now, older: f.newest,
	}
	if f.newest != nil {
		f.newest.newer = a
	} else {
		f.oldest = a
	}
	f.newest = a
}

func (f *defrag) restart(a *assembly, now int64, timed bool) {
	f.unlink(a)
	f.bytes -= len(a.buf)
	a.buf = nil
	f.begin(a, now, timed)
}

func (f *defrag) unlink(a *assembly) {
	if a.older != nil {
		a.older.newer = a.newer
	} else {
		f.oldest = a.newer
	}
	if a.newer != nil {
		a.newer.older = a.older
	} else {
		f.newest = a.older
	}
	a.older, a.newer = nil, nil
}

func (f *defrag) remove(a *assembly) {
	f.unlink(a)
	delete(f.byKey, a.key)
	f.bytes -= len(a.buf)
	if len(f.spare) < maxSpare {
		f.spare = append(f.spare, a)
	}
}

// spoil gives up a datagram but remembers its key, so that the rest of its
// fragments is dropped as well (RFC 5722 section 4, and the same on IPv4).
func (f *defrag) spoil(a *assembly) {
	a.spoiled = true
	f.bytes -= len(a.buf)
	a.buf, a.have, a.copies = nil, nil, nil
}

// insert places a fragment; false when it overlaps another or contradicts the
// length of the whole.
func (f *defrag) insert(a *assembly, p piece) bool {
	end := p.off + len(p.data)
	i := a.search(p.off)
	if i < len(a.have) && a.have[i].from < end || i > 0 && a.have[i-1].to > p.off {
		return false
	}
	if !p.more {
		if a.size >= 0 || i < len(a.have) {
			return false
		}
		a.size = end
	} else if a.size >= 0 && end > a.size {
		return false
	}
	if p.off == 0 {
		a.next = p.proto
	}
	a.have = append(a.have, span{})
	copy(a.have[i+1:], a.have[i:])
	a.have[i] = span{p.off, end}
	a.got += len(p.data)
	if end > len(a.buf) {
		f.bytes += end - len(a.buf)
		a.buf = append(a.buf, make([]byte, end-len(a.buf))...)
	}
	copy(a.buf[p.off:], p.data)
	return true
}

// search gives the first fragment that begins at or after an offset.
func (a *assembly) search(off int) int {
	lo, hi := 0, len(a.have)
	for lo < hi {
		if m := (lo + hi) / 2; a.have[m].from < off {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// holds reports whether a fragment is there already, to the byte.
func (a *assembly) holds(p piece) bool {
	end := p.off + len(p.data)
	i := a.search(p.off)
	return i < len(a.have) && a.have[i] == span{p.off, end} && p.more == (a.size != end) &&
		bytes.Equal(a.buf[p.off:end], p.data)
}

// addCopy counts a fragment that came once more. When all have, the datagram was
// copied as a whole and is given again.
func (a *assembly) addCopy(p piece) *assembly {
	s := span{p.off, p.off + len(p.data)}
	for _, c := range a.copies {
		if c == s {
			return nil
		}
	}
	a.copies = append(a.copies, s)
	a.gotCopies += len(p.data)
	if !a.complete || a.gotCopies < a.size {
		return nil
	}
	a.copies, a.gotCopies = a.copies[:0], 0
	return a
}
