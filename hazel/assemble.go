package hazel

import (
	"crypto/sha256"
	"hash"
	"slices"

	"github.com/dpdissect/dpdissect/session"
)

// Bounds of what is kept of fragmented messages, per side.
const (
	maxPartial   = 64       // messages that lack a part
	maxHeldBytes = 32 << 20 // bytes of parts that wait for earlier ones, and of payloads collected
)

// An assembler puts fragmented messages of one side together.
type assembler struct {
	conn *conn
	dir  int
	open []*partial // oldest first
	held int

	pings, own, fork recentNumbers // what only some releases acknowledge
}

// A part is a fragment.
type part struct {
	key    uint16 // of the message
	index  int
	count  int  // of the message's parts, 0 when this one does not tell
	first  bool // it is the one that gives the message its number
	number int64
}

// A partial is a message that lacks a part.
type partial struct {
	key    uint16
	count  int // 0 when it is not known yet
	have   []uint64
	got    int
	cut    bool
	judged bool // for what it lacks
	next   int  // parts below were consumed
	wait   []waitingPart
	sum    hash.Hash
	buf    []byte
	msg    session.Message
}

// A waitingPart waits for those before it.
type waitingPart struct {
	index int
	data  []byte
}

// add takes the fragment at hand, which was not captured before.
func (a *assembler) add(p *part) {
	m := a.find(p)
	if p.count > 0 {
		m.count = p.count
	}
	if m.has(p.index) || m.count > 0 && p.index >= m.count {
		return // no release sends it
	}
	m.mark(p.index)
	a.note(m, p)
	if a.conn.wants.Messages != session.CountMessages {
		a.consume(m, p.index)
	}
	if m.count > 0 && m.got >= m.count {
		a.conn.c.Law.Pass(rHdrFragComplete)
		a.finish(m, true)
	}
}

func (a *assembler) find(p *part) *partial {
	for _, m := range a.open {
		if m.key == p.key {
			return m
		}
	}
	if len(a.open) >= maxPartial {
		a.finish(a.open[0], false)
	}
	m := &partial{key: p.key, msg: session.Message{Number: p.number, Reliable: true, FirstFrame: a.conn.fr.Frame}}
	if a.conn.wants.Messages != session.CountMessages {
		m.sum = sha256.New()
	}
	a.open = append(a.open, m)
	return m
}

func (m *partial) has(i int) bool { return i/64 < len(m.have) && m.have[i/64]>>(i%64)&1 != 0 }

func (m *partial) mark(i int) {
	for len(m.have) <= i/64 {
		m.have = append(m.have, 0) // 8 KiB at most: an index has 16 bits
	}
	m.have[i/64] |= 1 << (i % 64)
	m.got++
}

// note enters a part into what is said of the message.
func (a *assembler) note(m *partial, p *part) {
	fr := a.conn.fr
	m.msg.Frames++
	m.msg.Size += len(a.conn.f.Data)
	m.msg.LastFrame, m.msg.Time, m.msg.HasTime = fr.Frame, fr.Time, fr.HasTime
	m.cut = m.cut || fr.Cut()
	if p.first {
		m.msg.Number = p.number
	}
}

// consume adds the data at hand to the message, in the order of the parts.
func (a *assembler) consume(m *partial, index int) {
	data := a.conn.f.Data
	if index != m.next {
		a.wait(m, index, data)
		return
	}
	a.extend(m, data)
	for len(m.wait) > 0 && m.wait[0].index == m.next {
		w := m.wait[0]
		m.wait = m.wait[1:]
		a.held -= len(w.data)
		a.extend(m, w.data)
	}
}

func (a *assembler) wait(m *partial, index int, data []byte) {
	if a.held+len(data) > maxHeldBytes {
		m.cut = true
		return
	}
	a.held += len(data)
	at, _ := slices.BinarySearchFunc(m.wait, index, func(w waitingPart, i int) int { return w.index - i })
	m.wait = slices.Insert(m.wait, at, waitingPart{index, slices.Clone(data)})
}

func (a *assembler) extend(m *partial, data []byte) {
	m.next++
	m.sum.Write(data)
	if a.conn.wants.Messages != session.CollectPayload {
		return
	}
	if a.held+len(data) > maxHeldBytes {
		m.cut = true
		return
	}
	a.held += len(data)
	m.buf = append(m.buf, data...)
}

// finish delivers a message, whole or not.
func (a *assembler) finish(m *partial, whole bool) {
	a.open = slices.DeleteFunc(a.open, func(o *partial) bool { return o == m })
	a.held -= len(m.buf)
	for _, w := range m.wait {
		a.held -= len(w.data)
	}
	msg := &m.msg
	msg.Dir, msg.Complete, msg.Payload = a.dir, whole && !m.cut, m.buf
	msg.At = a.conn.now
	if m.sum != nil {
		m.sum.Sum(msg.SHA256[:0])
	}
	a.conn.c.Deliver(msg)
}

// close gives up what lacks a part.
func (a *assembler) close() {
	for len(a.open) > 0 {
		a.finish(a.open[0], false)
	}
}

// recentNumbers are the last numbers of some kind.
type recentNumbers struct {
	list [8]int64
	n    int
}

func (r *recentNumbers) add(n int64) {
	r.list[r.n%len(r.list)] = n
	r.n++
}

func (r *recentNumbers) has(n int64) bool {
	for _, x := range r.list[:min(r.n, len(r.list))] {
		if x == n {
			return true
		}
	}
	return false
}
