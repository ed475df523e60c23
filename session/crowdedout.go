package session

// maxCrowdedOut is the number of address pairs, of those that were given up for lack of
// room, that a table remembers.
const maxCrowdedOut = 8192

// A crowdedOut remembers address pairs that were given up for lack of room, for as long as
// their evidence would have been kept. One that comes back goes on with what it had shown, and is
// counted as left out. One of a single datagram that does not come back is not: that was all.
type crowdedOut struct {
	pairs map[flowKey]crowdedPair
	order []flowKey // in which they were given up, a ring of maxCrowdedOut
	next  int
}

// A crowdedPair is what a pair had shown that was given up.
type crowdedPair struct {
	at      int64  // time of its latest datagram, ns
	place   int    // in the order
	n       uint32 // datagrams that were shown as plain UDP
	sides   uint8
	counted bool // as left out, or it looked like no protocol
	unseen  bool // no probe looked at its datagram
}

// put remembers a pair. It gives the one that is remembered no longer, if any.
func (m *crowdedOut) put(k flowKey, p crowdedPair) (old crowdedPair, dropped bool) {
	if m.pairs == nil {
		m.pairs = map[flowKey]crowdedPair{}
	}
	p.place = m.next
	if m.next < len(m.order) {
		if old, dropped = m.pairs[m.order[m.next]]; dropped && old.place == m.next {
			delete(m.pairs, m.order[m.next])
		} else {
			dropped = false
		}
		m.order[m.next] = k
	} else {
		m.order = append(m.order, k)
	}
	m.next = (m.next + 1) % maxCrowdedOut
	m.pairs[k] = p
	return old, dropped
}

// take gives what is remembered of a pair, and forgets it.
func (m *crowdedOut) take(k flowKey) (p crowdedPair, ok bool) {
	if p, ok = m.pairs[k]; ok {
		delete(m.pairs, k)
	}
	return p, ok
}

// crowdOut gives up a pair for lack of room, and remembers it.
func (t *Table) crowdOut(f *Flow) {
	p := crowdedPair{at: f.last, n: f.crowdedOut + uint32(len(f.held)), sides: f.sides}
	c := f.class
	if p.unseen = c == single && f.force == nil && f.probes == nil; p.unseen {
		t.unseen++
		t.showPlain(f) // one datagram tells little, and floods are large
		f.join(decided)
	}
	if t.giveUp(f); f.session != nil || c == foreign || t.now-p.at > HoldTime {
		return
	}
	if c != single {
		f.crowdedOut = p.n
		t.leaveOut(f)
	}
	p.counted = f.leftOut || f.looksForeign()
	if old, dropped := t.crowdedOut.put(f.key, p); dropped && !old.counted && t.now-old.at <= HoldTime {
		t.leftOut++ // whether it comes back is not known any more
	}
}

// comesBack goes on with a pair that was given up for lack of room.
func (t *Table) comesBack(f *Flow) {
	if p, ok := t.crowdedOut.take(f.key); ok && t.now-p.at <= HoldTime {
		f.sides, f.leftOut, f.crowdedOut = p.sides, p.counted, p.n
		if p.unseen {
			t.unseen--
		}
	}
}

// leaveOut counts a pair some of whose datagrams were given up, once it is recognised or
// given up itself, unless it looks like no protocol.
func (t *Table) leaveOut(f *Flow) {
	if f.crowdedOut > 0 && !f.leftOut && f.force == nil && (f.protocol != nil || !f.looksForeign()) {
		f.leftOut = true
		t.leftOut++
	}
}

// LeftOut is the number of address pairs of which, for lack of room, some datagrams were
// shown as plain UDP that might have told what they speak. Pairs of which one datagram came
// and never another are not among them: these are in StoriesLeftOut.
func (t *Table) LeftOut() uint64 { return t.leftOut }
