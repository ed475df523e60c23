package track

import (
	"crypto/sha256"
	"hash"
	"slices"

	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
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
	side *side
	open []*Partial // oldest first
	held int
}

// A part is a fragment.
type part struct {
	key    uint16 // of the message
	index  int
	count  int  // of the message's parts, 0 when this one does not tell
	first  bool // it is the one that gives the message its number
	number seq.Num
}

// A Partial is a message that lacks a part.
type Partial struct {
	Key   uint16         // of the message
	Count int            // of its parts, 0 when it is not known yet
	Got   int            // parts captured
	Cut   bool           // something of it is not known
	next  int            // parts below were consumed
	ahead map[int][]byte // parts that wait for those before them
	sum   hash.Hash
	buf   []byte
	Msg   session.Message
}

// add takes the fragment at hand, which was not captured before.
func (a *assembler) add(p *part) {
	m := a.find(p)
	if p.count > 0 {
		m.Count = p.count
	}
	if m.Has(p.index) || m.Count > 0 && p.index >= m.Count {
		return // no release sends it
	}
	a.note(m, p)
	a.consume(m, p.index)
	if m.Count > 0 && m.Got >= m.Count {
		a.conn.Whole = true
		a.finish(m, true)
	}
}

func (a *assembler) find(p *part) *Partial {
	for _, m := range a.open {
		if m.Key == p.key {
			return m
		}
	}
	if len(a.open) >= maxPartial {
		a.finish(a.open[0], false)
	}
	m := &Partial{Key: p.key, Msg: session.Message{Number: p.number, Reliable: true, FirstFrame: a.conn.Frame.Frame}}
	if a.conn.wants.Messages != session.CountMessages {
		m.sum = sha256.New()
	}
	a.open = append(a.open, m)
	return m
}

// Has reports whether a part was captured.
func (m *Partial) Has(i int) bool {
	if i < m.next {
		return true
	}
	_, ok := m.ahead[i]
	return ok
}

// note enters a part into what is said of the message.
func (a *assembler) note(m *Partial, p *part) {
	fr := a.conn.Frame
	m.Msg.Frames++
	m.Msg.Size += len(a.conn.Packet.Data)
	m.Msg.LastFrame, m.Msg.Time, m.Msg.HasTime = fr.Frame, fr.Time, fr.HasTime
	m.Cut = m.Cut || fr.Cut()
	if p.first {
		m.Msg.Number = p.number
	}
}

// consume adds the part at hand to the message, in the order of the parts.
func (a *assembler) consume(m *Partial, index int) {
	data := a.conn.Packet.Data
	if a.conn.wants.Messages == session.CountMessages {
		data = nil
	}
	m.Got++
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

func (a *assembler) wait(m *Partial, index int, data []byte) {
	if a.held+len(data)+partCost > maxHeldBytes {
		m.Cut = true
		return
	}
	a.held += len(data) + partCost
	if m.ahead == nil {
		m.ahead = make(map[int][]byte)
	}
	m.ahead[index] = slices.Clone(data)
}

func (a *assembler) extend(m *Partial, data []byte) {
	m.next++
	if m.sum == nil {
		return
	}
	m.sum.Write(data)
	if a.conn.wants.Messages != session.CollectPayload {
		return
	}
	if a.held+len(data) > maxHeldBytes {
		m.Cut = true
		return
	}
	a.held += len(data)
	m.buf = append(m.buf, data...)
}

// finish delivers a message, whole or not.
func (a *assembler) finish(m *Partial, whole bool) {
	a.open = slices.DeleteFunc(a.open, func(o *Partial) bool { return o == m })
	a.held -= len(m.buf)
	for _, data := range m.ahead {
		a.held -= len(data) + partCost
	}
	msg := &m.Msg
	msg.Dir, msg.Complete, msg.Payload = a.side.dir, whole && !m.Cut, m.buf
	msg.At = a.conn.c.LastFrame
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
	list [8]seq.Num
	n    int
}

func (r *recentNumbers) add(n seq.Num) {
	r.list[r.n%len(r.list)] = n
	r.n++
}

func (r *recentNumbers) has(n seq.Num) bool {
	for _, x := range r.list[:min(r.n, len(r.list))] {
		if x == n {
			return true
		}
	}
	return false
}
