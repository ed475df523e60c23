package track

import (
	"cmp"
	"crypto/sha256"
	"slices"

	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A partial is a message of which parts are missing. The message at hand says
// all that is known of it but what is in it.
type partial struct {
	msg     session.Message
	hasSTA  bool
	hasEOM  bool
	sta     seq.Num // number of the first packet
	eom     seq.Num // number of the last packet
	cut     bool    // the capture holds less than a packet had, or too much came to be kept
	parts   []part
	data    []byte // of the parts, in the order of capture
	payload []byte // joined
}

// A part is the data of one packet.
type part struct {
	num      seq.Num
	off, end int
}

// single makes a message of one packet.
func (a *assembler) single(p *piece) *session.Message {
	d := p.fr.Datagram
	m := &session.Message{
		FirstFrame: d.Frame, LastFrame: d.Frame, Time: d.Time, HasTime: d.HasTime, Frames: 1,
		Number: p.msg, Reliable: p.flags&dp4.RLY != 0, Ordered: p.flags&dp4.RLY != 0, Complete: !d.Cut(), Size: p.size, Payload: p.data,
	}
	if a.conn.wants.Messages != session.CountMessages {
		m.SHA256 = sha256.Sum256(p.data)
	}
	return m
}

// partial gives the message a packet is a part of.
func (a *assembler) partial(p *piece) *partial {
	i, found := slices.BinarySearchFunc(a.partials, p.msg, func(m *partial, msg seq.Num) int { return cmp.Compare(m.msg.Number, msg) })
	if found {
		return a.partials[i]
	}
	m := a.free
	if a.free = nil; m == nil {
		m = new(partial)
	}
	*m = partial{parts: m.parts[:0], data: m.data[:0], payload: m.payload[:0]}
	m.msg = session.Message{Number: p.msg, FirstFrame: p.fr.Frame, Reliable: p.flags&dp4.RLY != 0, Ordered: p.flags&dp4.RLY != 0}
	a.partials = slices.Insert(a.partials, i, m)
	return m
}

// extend enters a packet into what is known of the message.
func (m *partial) extend(p *piece) {
	if p.flags&dp4.STA != 0 {
		m.hasSTA, m.sta = true, p.num
	}
	if p.flags&dp4.EOM != 0 {
		m.hasEOM, m.eom = true, p.num
	}
	d, x := p.fr.Datagram, &m.msg
	x.Frames++
	x.Size += p.size
	x.LastFrame, x.Time, x.HasTime = d.Frame, d.Time, d.HasTime
	m.cut = m.cut || d.Cut()
}

// keep keeps the data of a packet where it is wanted; it gives the bytes that
// are held more.
func (m *partial) keep(p *piece, mode session.MessageMode) int {
	if mode == session.CountMessages {
		return 0
	}
	if len(m.parts) >= maxParts {
		m.cut = true
		return 0
	}
	off := len(m.data)
	m.data = append(m.data, p.data...)
	m.parts = append(m.parts, part{p.num, off, len(m.data)})
	return len(p.data)
}

// complete reports whether all parts are there. Each number comes once.
func (m *partial) complete() bool {
	return m.hasSTA && m.hasEOM && m.eom-m.sta == seq.Num(m.msg.Frames)-1
}

// message joins the parts in the order of their numbers.
func (m *partial) message(mode session.MessageMode) *session.Message {
	x := &m.msg
	x.Complete = m.complete() && !m.cut
	if mode == session.CountMessages {
		return x
	}
	stable.Sort(m.parts, func(a, b part) int { return cmp.Compare(a.num, b.num) })
	sum := sha256.New()
	for _, q := range m.parts {
		sum.Write(m.data[q.off:q.end])
		if mode == session.CollectPayload {
			m.payload = append(m.payload, m.data[q.off:q.end]...)
		}
	}
	sum.Sum(x.SHA256[:0])
	x.Payload = m.payload
	return x
}

// take removes a message from those that lack a part.
func (a *assembler) take(m *partial) {
	if i := slices.Index(a.partials, m); i >= 0 {
		a.partials = slices.Delete(a.partials, i, i+1)
	}
	a.kept -= len(m.data)
}

// maxReused is the size of buffers that are kept for the next message.
const maxReused = 64 << 10

func (a *assembler) recycle(m *partial) {
	if cap(m.data) <= maxReused {
		a.free = m
	}
}

// abandon counts a message as incomplete.
func (a *assembler) abandon(m *partial) {
	a.take(m)
	if m.msg.Number >= a.floor && m.msg.Number < a.top {
		*a.state(m.msg.Number) = settled
	}
	a.deliver(m.message(a.conn.wants.Messages))
	a.recycle(m)
}
