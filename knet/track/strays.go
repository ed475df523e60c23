package track

import (
	"github.com/dpdissect/dpdissect/session/seq"
)

// With Spec nothing but the TransferID names a transfer, and an id is used again
// as soon as all fragments were acknowledged. Fragments may be sent before their
// start (kNet page, Fragmented Transfers), so what was sent before a start may
// belong to it, or be left from a transfer whose start was not captured. Such
// fragments are kept apart as loose until it shows whose they are: that their
// number comes again after the start proves them strays (KN-FR-NUM-UNIQUE).

// Places in the table of an id.
const (
	latest = iota
	former
	loose // fragments whose start was not captured
)

// addByPlace takes a fragment of Spec. A number that comes twice in one datagram is
// taken once: nobody sends that, and a datagram has room for thousands.
func (s *transfers) addByPlace(list *[3]*transfer, f *fragment) {
	for _, t := range list {
		if t != nil && t.last == f.packet && t.has(f.index) {
			return
		}
	}
	if f.index == 0 {
		s.addStart(list, f)
		return
	}
	t := list[latest]
	switch {
	case t != nil && f.packet >= t.packet && t.wants(f):
		if l := list[loose]; l != nil && l.has(f.index) && l.last < t.packet {
			s.end(l, f.id)
		}
		s.store(t, f)
	case list[former] != nil && (t == nil || f.packet < t.packet) && list[former].wants(f) && f.packet-list[former].packet < maxSpread:
		t = list[former]
		s.store(t, f)
	default:
		s.addLoose(list, f)
	}
	s.complete(list, t, f.id)
}

// maxSpread bounds the PacketIDs between a start and a fragment that makes up for
// one that was lost long ago.
const maxSpread = 1 << 12

// addStart takes the first fragment of a transfer.
func (s *transfers) addStart(list *[3]*transfer, f *fragment) {
	t := newTransfer(f)
	if newer := list[latest]; newer != nil && f.packet < newer.packet {
		s.replace(list, former, t, f.id) // late
	} else {
		s.settleByPlace(list, f.id)
		if newer != nil && list[latest] == newer {
			s.replace(list, former, newer, f.id)
		}
		list[latest] = t
	}
	s.begin(t, f)
	s.store(t, f)
	if l := list[loose]; l != nil {
		t.foreign = s.reused(l, f.packet)
		if s.certain(t) {
			s.merge(t, list, f.id)
		} else {
			s.take(t, l, f.packet)
		}
		if l.got == 0 && list[loose] == l {
			list[loose] = nil
		}
	}
	s.complete(list, t, f.id)
}

// replace puts a transfer in a place of the list.
func (s *transfers) replace(list *[3]*transfer, place int, t *transfer, id uint8) {
	if old := list[place]; old != nil {
		s.end(old, id)
	}
	list[place] = t
}

// addLoose keeps a fragment until its start comes.
func (s *transfers) addLoose(list *[3]*transfer, f *fragment) {
	l := list[loose]
	if l != nil && (l.has(f.index) || f.packet-l.last > maxSpread) {
		s.end(l, f.id)
		l = nil
	}
	if l == nil {
		l = newTransfer(f)
		list[loose] = l
	}
	s.store(l, f)
}

// wants reports whether a transfer that has begun lacks a fragment.
func (t *transfer) wants(f *fragment) bool { return !t.has(f.index) && f.index < t.count }

// complete ends a transfer that is whole: by itself, or with what is loose.
func (s *transfers) complete(list *[3]*transfer, t *transfer, id uint8) {
	l := list[loose]
	if t != nil && l != nil && !t.full() && t == list[latest] && s.certain(t) && fits(t, l) {
		s.merge(t, list, id)
	}
	if t == nil || !t.full() {
		return
	}
	s.end(t, id)
	if l = list[loose]; l != nil && l.last < t.packet {
		s.end(l, id)
	}
}

// fits reports whether loose fragments are just those that a transfer lacks.
func fits(t, l *transfer) bool {
	if t.got+l.got < t.count {
		return false
	}
	for i := t.next; i < t.count; i++ {
		if t.has(i) == l.has(i) {
			return false
		}
	}
	return true
}

// merge gives what is loose to a transfer, as far as that lacks it.
func (s *transfers) merge(t *transfer, list *[3]*transfer, id uint8) {
	l := list[loose]
	s.take(t, l, 0)
	if l.got == 0 {
		list[loose] = nil
	} else {
		s.end(l, id)
	}
}

// take gives a transfer the loose fragments sent after a PacketID that it lacks.
func (s *transfers) take(t, l *transfer, following seq.Num) {
	order, kept := l.apart(), l.ahead
	l.ahead, l.got, l.last = nil, 0, 0
	s.apart -= len(kept)
	l.msg.Size, l.msg.FirstFrame, l.msg.LastFrame, l.broken = 0, 0, 0, false
	for _, i := range order {
		p := kept[i]
		s.held -= len(p.data)
		f := fragment{index: i, packet: p.from.packet, whole: p.whole, body: p.data, size: p.size, at: p.from}
		to := l
		if p.from.packet > following && t.wants(&f) {
			to = t
		}
		s.store(to, &f)
	}
}

// settleByPlace decides what is loose, with the latest transfer of an id about to
// be superseded: it is that transfer's when it is just what that lacks, or when not
// all of it had been acknowledged as the start came.
func (s *transfers) settleByPlace(list *[3]*transfer, id uint8) {
	t, l := list[latest], list[loose]
	if t == nil || l == nil || l.last > t.packet {
		return
	}
	if t.foreign && !fits(t, l) {
		s.end(l, id)
		return
	}
	s.merge(t, list, id)
	if t.full() {
		s.end(t, id)
	}
}

// reused reports that loose fragments were all acknowledged before a start was
// captured, so that the id was free for another transfer.
func (s *transfers) reused(l *transfer, start seq.Num) bool {
	r := s.conn.side[s.dir].memory()
	if r.after != 0 {
		return false // it may be sent again under a new PacketID
	}
	for _, p := range l.ahead {
		if p.from.packet > start {
			continue
		}
		x := r.at(p.from.packet)
		if x.set && x.num == p.from.packet && !x.acked {
			return false
		}
	}
	return true
}

// certain reports that loose fragments are those of the transfer whose start was
// captured after them: nothing is missing in the capture that could have been the
// start of another one, or an acknowledgement that made the id free.
func (s *transfers) certain(t *transfer) bool {
	c := s.conn
	if !c.c.Complete {
		return false
	}
	return complete(&c.c.Dir[s.dir]) || !t.foreign && complete(&c.c.Dir[s.dir.Other()])
}

// complete reports that none of a side's datagrams is missing.
func complete(d *seq.Direction) bool { return d.Missing() == 0 && !d.Offloaded() }
