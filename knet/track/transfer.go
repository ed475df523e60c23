package track

import (
	"cmp"
	"crypto/sha256"
	"hash"
	"maps"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Bounds of what is kept of transfers that lack a fragment.
const (
	MaxFragmentsAhead = 1 << 16  // fragments after the first that is missing; of all transfers of a side
	MaxTransferBytes  = 64 << 20 // of all transfers of a side
)

// A fragment is one fragment of a transfer, as captured.
type fragment struct {
	id       uint8
	index    int     // 0 for the first
	count    int     // fragments of the transfer, 0 when this one does not say
	start    seq.Num // reliable number of the first fragment; with Spec meaningless
	numbered bool    // start is valid (Reference)
	packet   seq.Num // PacketID that carried it
	place    int     // which message of that datagram
	whole    bool
	ordered  bool
	reliable bool
	body     []byte
	size     int // of body, which is missing where messages are only counted
	at       fragmentOrigin
	from     *knet.Message // the first fragment: what it depends on
}

// A transfer is a message on its way in fragments.
type transfer struct {
	msg      session.Message
	start    seq.Num // reliable number of the first fragment, or PacketID of the first captured
	packet   seq.Num // PacketID of the first fragment, valid with begun
	place    int
	count    int // 0 while the first fragment was not captured
	begun    bool
	broken   bool // a part is cut, or too much was kept
	got      int
	next     int           // first fragment missing
	ahead    map[int]piece // fragments after next, by number
	sum      hash.Hash
	buf      []byte
	depends  []dependency
	last     seq.Num // highest PacketID of a fragment
	numbered bool
	foreign  bool // with Spec: what was captured before the start is not its own
}

type piece struct {
	size  int
	from  fragmentOrigin
	data  []byte
	whole bool
}

// A fragmentOrigin is where a fragment was captured.
type fragmentOrigin struct {
	packet  seq.Num
	frame   uint64
	time    int64
	hasTime bool
}

// transfers are those of one side. An id may be used again as soon as all of its
// fragments were acknowledged: a new first fragment supersedes the transfer
// before, of which a fragment may still be late.
type transfers struct {
	conn  *conn
	dir   dissect.Dir
	table *[256][3]*transfer // by id: the latest, the one before; with Spec, what no start was captured of
	held  int                // bytes kept
	apart int                // fragments kept
}

// add takes a fragment that was not captured before.
func (s *transfers) add(f *fragment) {
	if s.table == nil {
		s.table = new([256][3]*transfer)
	}
	c := s.conn
	f.at = fragmentOrigin{f.packet, c.Frame.Frame, c.Frame.Time, c.Frame.HasTime}
	if !f.numbered {
		s.addByPlace(&s.table[f.id], f)
		return
	}
	t := s.find(f)
	if f.index == 0 && !t.begun {
		s.begin(t, f)
	}
	s.store(t, f)
	if t.full() {
		s.end(t, f.id)
	}
}

// begin enters the first fragment of a transfer.
func (s *transfers) begin(t *transfer, f *fragment) {
	t.begun, t.count, t.packet, t.place = true, f.count, f.packet, f.place
	t.msg.Ordered = f.ordered
	t.depends = s.conn.dependencies(f.from)
	if !f.numbered {
		t.msg.Number = f.packet
	}
}

// full reports whether all fragments are there.
func (t *transfer) full() bool { return t.count > 0 && t.next >= t.count }

// find gives the transfer of Reference a fragment belongs to: all fragments of one
// have consecutive reliable numbers.
func (s *transfers) find(f *fragment) *transfer {
	two := &s.table[f.id]
	for _, t := range two {
		if t != nil && t.start == f.start {
			return t
		}
	}
	if two[1] != nil {
		s.end(two[1], f.id)
	}
	two[0], two[1] = newTransfer(f), two[0]
	return two[0]
}

func newTransfer(f *fragment) *transfer {
	t := &transfer{start: f.start, numbered: f.numbered}
	t.msg = session.Message{Number: f.start, Reliable: f.reliable, Ordered: f.ordered}
	if !f.numbered {
		t.msg.Number = f.packet
	}
	return t
}

func (t *transfer) has(index int) bool {
	if index < t.next {
		return true
	}
	_, ok := t.ahead[index]
	return ok
}

// store keeps a fragment, and joins it to those before it when it is next.
func (s *transfers) store(t *transfer, f *fragment) {
	if t.has(f.index) || t.count > 0 && f.index >= t.count {
		return
	}
	m := &t.msg
	t.got++
	if t.got == 1 || f.at.frame < m.FirstFrame {
		m.FirstFrame = f.at.frame
	}
	if f.at.frame >= m.LastFrame {
		m.LastFrame, m.Time, m.HasTime = f.at.frame, f.at.time, f.at.hasTime
	}
	m.Frames, m.Size = t.got, m.Size+f.size
	t.last = max(t.last, f.packet)
	t.broken = t.broken || !f.whole
	if f.index == t.next {
		s.join(t, f.body)
		s.advance(t)
		return
	}
	if f.index-t.next >= MaxFragmentsAhead || s.apart >= MaxFragmentsAhead {
		t.broken = true
		return
	}
	p := piece{size: f.size, from: f.at, whole: f.whole}
	if s.conn.wants.Messages != session.CountMessages {
		p.data = s.keep(t, nil, f.body)
	}
	if t.ahead == nil {
		t.ahead = make(map[int]piece)
	}
	t.ahead[f.index] = p
	s.apart++
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
	for len(t.ahead) > 0 {
		p, ok := t.ahead[t.next]
		if !ok {
			return
		}
		s.join(t, p.data)
		s.release(t, t.next)
		t.next++
	}
}

// apart gives the numbers of the fragments after one that is missing, in order.
func (t *transfer) apart() []int { return slices.Sorted(maps.Keys(t.ahead)) }

// release forgets a fragment that was kept.
func (s *transfers) release(t *transfer, index int) {
	s.held -= len(t.ahead[index].data)
	s.apart--
	delete(t.ahead, index)
}

// end delivers a transfer, whole or not, and forgets it.
func (s *transfers) end(t *transfer, id uint8) {
	for i, x := range s.table[id] {
		if x == t {
			s.table[id][i] = nil
		}
	}
	t.msg.Complete = t.full() && !t.broken
	for _, i := range t.apart() { // incomplete: what there is of it
		s.join(t, t.ahead[i].data)
		s.release(t, i)
	}
	if t.sum != nil {
		t.sum.Sum(t.msg.SHA256[:0])
	}
	t.msg.Payload = t.buf
	s.held -= len(t.buf)
	s.conn.deliver(s.dir, &t.msg, t.packet, t.place, t.depends)
}

// lacks reports whether the transfer that the message of a datagram began lacks a
// fragment.
func (s *transfers) lacks(packet seq.Num, place int) bool {
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
	for id := range s.table {
		s.settleByPlace(&s.table[id], uint8(id))
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
