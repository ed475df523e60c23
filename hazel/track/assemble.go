package track

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
	partCost     = 64       // bytes a part that waits takes besides its data
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
	got    int
	cut    bool
	judged bool           // for what it lacks
	next   int            // parts below were consumed
	ahead  map[int][]byte // parts that wait for those before them
	sum    hash.Hash
	buf    []byte
	msg    session.Message
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
	a.note(m, p)
	a.consume(m, p.index)
	if m.count > 0 && m.got >= m.count {
		a.conn.c.Rules.Pass(rHdrFragComplete)
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

func (m *partial) has(i int) bool {
	if i < m.next {
		return true
	}
	_, ok := m.ahead[i]
	return ok
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

// consume adds the part at hand to the message, in the order of the parts.
func (a *assembler) consume(m *partial, index int) {
	data := a.conn.f.Data
	if a.conn.wants.Messages == session.CountMessages {
		data = nil
	}
	m.got++
	if index != m.next {
		a.wait(m, index, data)
		return
	}
	a.extend(m, data)
	for len(m.ahead) > 0 {
		data, ok := m.ahead[m.next]
		if !ok {
			return
		}
		delete(m.ahead, m.next)
		a.held -= len(data) + partCost
		a.extend(m, data)
	}
}

func (a *assembler) wait(m *partial, index int, data []byte) {
	if a.held+len(data)+partCost > maxHeldBytes {
		m.cut = true
		return
	}
	a.held += len(data) + partCost
	if m.ahead == nil {
		m.ahead = make(map[int][]byte)
	}
	m.ahead[index] = slices.Clone(data)
}

func (a *assembler) extend(m *partial, data []byte) {
	m.next++
	if m.sum == nil {
		return
	}
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
	for _, data := range m.ahead {
		a.held -= len(data) + partCost
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
