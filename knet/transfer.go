package knet

import (
	"cmp"
	"crypto/sha256"
	"hash"
	"slices"

	"github.com/dpdissect/dpdissect/session"
)

// Bounds of what is kept of transfers that lack a fragment.
const (
	MaxFragmentsAhead = 1 << 16  // fragments behind the first that is missing
	MaxTransferBytes  = 64 << 20 // of all transfers of a side
)

// A fragment is one fragment of a transfer, as captured.
type fragment struct {
	id       uint8
	index    int   // 0 for the first
	count    int   // fragments of the transfer, 0 when this one does not say
	start    int64 // reliable number of the first fragment; with Spec meaningless
	numbered bool  // start is valid (Reference)
	packet   int64 // PacketID that carried it
	place    int   // which message of that datagram
	whole    bool
	ordered  bool
	reliable bool
	body     []byte
	from     *Message // the first fragment: what it depends on
}

// A transfer is a message on its way in fragments.
type transfer struct {
	msg      session.Message
	start    int64 // reliable number of the first fragment, or PacketID of the first captured
	packet   int64 // PacketID of the first fragment, valid with begun
	place    int
	count    int // 0 while the first fragment was not captured
	begun    bool
	broken   bool // a part is cut, or too much was kept
	got      int
	next     int     // first fragment missing
	ahead    []piece // fragments from next on
	sum      hash.Hash
	buf      []byte
	depends  []dependency
	earliest int64 // lowest PacketID of a fragment
}

type piece struct {
	set    bool
	size   int
	packet int64
	data   []byte
}

// transfers are those of one side. An id may be used again as soon as all of its
// fragments were acknowledged: a new first fragment supersedes the transfer
// before, of which a fragment may still be late.
type transfers struct {
	conn  *conn
	dir   int
	table *[256][2]*transfer // by id: the latest, the one before
	held  int                // bytes kept
}

// add takes a fragment that was not captured before.
func (s *transfers) add(f *fragment) {
	if s.table == nil {
		s.table = new([256][2]*transfer)
	}
	t := s.find(f)
	if f.index == 0 && !t.begun {
		t.begun, t.count, t.packet, t.place = true, f.count, f.packet, f.place
		t.msg.Ordered = f.ordered
		t.depends = s.conn.dependencies(f.from)
		if !f.numbered {
			t.msg.Number = f.packet
		}
	}
	s.store(t, f)
	if t.count > 0 && t.next >= t.count {
		s.end(t, f.id)
	}
}

// find gives the transfer a fragment belongs to. With Reference all fragments of
// a transfer have consecutive reliable numbers.
func (s *transfers) find(f *fragment) *transfer {
	two := &s.table[f.id]
	switch t := two[0]; {
	case t == nil:
	case f.numbered && t.start == f.start:
		return t
	case f.numbered && two[1] != nil && two[1].start == f.start:
		return two[1]
	case !f.numbered && s.joins(t, f):
		return t
	}
	if two[1] != nil {
		s.end(two[1], f.id)
	}
	t := &transfer{start: f.start, earliest: f.packet}
	t.msg = session.Message{Number: f.start, Reliable: f.reliable, Ordered: f.ordered}
	if !f.numbered {
		t.msg.Number = f.packet
	}
	two[0], two[1] = t, two[0]
	return t
}

// joins reports whether a fragment of Spec, where nothing but the id names a
// transfer, belongs to the one at hand. A first fragment does when none was there
// and it was sent before the others, or may have been resent under a new PacketID.
func (s *transfers) joins(t *transfer, f *fragment) bool {
	if f.index > 0 {
		return !t.has(f.index) && (t.count == 0 || f.index < t.count)
	}
	c := s.conn
	resent := c.c.Complete || c.side[s.dir].resends != nil && c.side[s.dir].resends.style
	return !t.begun && (f.packet <= t.earliest || resent)
}

func (t *transfer) has(index int) bool {
	i := index - t.next
	return i < 0 || i < len(t.ahead) && t.ahead[i].set
}

// store keeps a fragment, and joins it to those before it when it is next.
func (s *transfers) store(t *transfer, f *fragment) {
	if t.has(f.index) || t.count > 0 && f.index >= t.count {
		return
	}
	c := s.conn
	m := &t.msg
	t.got++
	if t.got == 1 || c.fr.Frame < m.FirstFrame {
		m.FirstFrame = c.fr.Frame
	}
	m.LastFrame, m.Time, m.HasTime = c.fr.Frame, c.fr.Time, c.fr.HasTime
	m.Frames, m.Size = t.got, m.Size+len(f.body)
	t.earliest = min(t.earliest, f.packet)
	t.broken = t.broken || !f.whole
	if f.index == t.next {
		s.join(t, f.body)
		s.advance(t)
		return
	}
	i := f.index - t.next
	if i >= MaxFragmentsAhead {
		t.broken = true
		return
	}
	for len(t.ahead) <= i {
		t.ahead = append(t.ahead, piece{})
	}
	p := piece{set: true, size: len(f.body), packet: f.packet}
	if c.wants.Messages != session.CountMessages {
		p.data = s.keep(t, nil, f.body)
	}
	t.ahead[i] = p
}

// keep appends bytes to b as long as the side may keep more.
func (s *transfers) keep(t *transfer, b, more []byte) []byte {
	if s.held+len(more) > MaxTransferBytes {
		t.broken = true
		return b
	}
	s.held += len(more)
	return append(b, more...)
}

// join adds the next fragment's bytes to the message.
func (s *transfers) join(t *transfer, body []byte) {
	switch s.conn.wants.Messages {
	case session.CountMessages:
		return
	case session.CollectPayload:
		t.buf = s.keep(t, t.buf, body)
	}
	if t.sum == nil {
		t.sum = sha256.New()
	}
	t.sum.Write(body)
}

// advance passes over the fragment that was joined, and joins what follows it.
func (s *transfers) advance(t *transfer) {
	t.next++
	if len(t.ahead) == 0 {
		return
	}
	t.ahead = t.ahead[1:]
	for len(t.ahead) > 0 && t.ahead[0].set {
		s.join(t, t.ahead[0].data)
		s.held -= len(t.ahead[0].data)
		t.next++
		t.ahead = t.ahead[1:]
	}
}

// end delivers a transfer, whole or not, and forgets it.
func (s *transfers) end(t *transfer, id uint8) {
	two := &s.table[id]
	if two[0] == t {
		two[0] = nil
	} else {
		two[1] = nil
	}
	t.msg.Complete = t.count > 0 && t.next >= t.count && !t.broken
	for i := range t.ahead { // incomplete: what there is of it
		if p := &t.ahead[i]; p.set {
			s.join(t, p.data)
			s.held -= len(p.data)
		}
	}
	if t.sum != nil {
		t.sum.Sum(t.msg.SHA256[:0])
	}
	t.msg.Payload = t.buf
	s.held -= len(t.buf)
	s.conn.deliver(s.dir, &t.msg, t.packet, t.place, t.depends)
}

// open reports whether the transfer that the message of a datagram began lacks a
// fragment.
func (s *transfers) open(packet int64, place int) bool {
	if s.table == nil {
		return false
	}
	for id := range s.table {
		for _, t := range s.table[id] {
			if t != nil && t.begun && t.packet == packet && t.place == place {
				return true
			}
		}
	}
	return false
}

// close delivers what is incomplete, by its first frame.
func (s *transfers) close() {
	if s.table == nil {
		return
	}
	type entry struct {
		t  *transfer
		id uint8
	}
	var open []entry
	for id := range s.table {
		for _, t := range s.table[id] {
			if t != nil {
				open = append(open, entry{t, uint8(id)})
			}
		}
	}
	slices.SortStableFunc(open, func(a, b entry) int { return cmp.Compare(a.t.msg.FirstFrame, b.t.msg.FirstFrame) })
	for _, x := range open {
		s.end(x.t, x.id)
	}
	s.table = nil
}
