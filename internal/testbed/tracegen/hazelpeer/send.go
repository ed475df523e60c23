package hazelpeer

import (
	"time"

	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
)

// Say sends a message. Where the release has fragments, what does not fit is
// sent in some; v0.1 sends what comes on another channel than 0 as fragments,
// too, be it one.
func (p *Peer) Say(data []byte, reliable, _ bool, channel int) *note.Message {
	m := p.node.World.Book.Message(p.conn, p.side, &note.Message{ID: p.said, Data: data, Reliable: reliable, Number: -1, Parts: 1, Sent: true})
	p.said++
	size := p.cfg.Fragment
	switch {
	case !reliable:
		p.unreliable(m)
	case size > 0 && (len(data) > size || channel > 0 && p.cfg.Dialect == hazel.V01 && len(data) > 0):
		p.fragment(m, size)
	default:
		p.single(m)
	}
	return m
}

func (p *Peer) unreliable(m *note.Message) {
	n := p.note(hazel.None)
	n.Data, n.Parts = true, []note.Part{{Message: m}}
	f := hazel.Frame{Type: hazel.None, Dialect: p.cfg.Dialect, Data: m.Data}
	p.send(n, f.Append(nil))
}

func (p *Peer) single(m *note.Message) {
	n := p.note(hazel.Reliable)
	n.Data, n.Parts = true, []note.Part{{Message: m}}
	m.Number = p.peekID()
	p.reliable(&hazel.Frame{Type: hazel.Reliable, Data: m.Data}, n, true)
}

// fragment sends a message in parts, each acknowledged and sent again alone.
func (p *Peer) fragment(m *note.Message, size int) {
	m.Parts = (len(m.Data) + size - 1) / size
	m.Number = p.peekID()
	p.messageID++
	id := p.messageID
	for i := range m.Parts {
		f := hazel.Frame{Type: hazel.Fragment, MessageID: id, Count: uint16(m.Parts), Index: uint16(i), Data: m.Data[i*size : min((i+1)*size, len(m.Data))]}
		if p.cfg.Dialect == hazel.V01 && i == 0 {
			f.Type = hazel.FragmentStart
		}
		if p.cfg.Dialect == hazel.Fork36 && i == 0 {
			f.HasOption, f.Option = true, 1
		}
		n := p.note(f.Type)
		n.Data, n.Parts = true, []note.Part{{Message: m, Index: i}}
		p.reliable(&f, n, true)
	}
}

// peekID is the id of the next reliable packet.
func (p *Peer) peekID() int64 {
	for p.cfg.SkipsUnacked && p.flight[uint16(p.nextID)] != nil || p.cfg.SkipsZero && uint16(p.nextID) == 0 {
		p.nextID++
	}
	return p.nextID
}

// reliable sends a packet with an id; resend tells whether it is sent again.
func (p *Peer) reliable(f *hazel.Frame, n *note.Note, resend bool) {
	id := p.peekID()
	p.nextID++
	f.Dialect, f.ID = p.cfg.Dialect, uint16(id)
	n.Number = id
	k := &packet{id: id, payload: f.Append(nil), note: *n, sentAt: p.now()}
	if p.cfg.Alive == Ping || p.cfg.Alive == PingResent {
		p.rearm()
	}
	if resend {
		p.flight[f.ID] = k
		k.due = p.firstResend()
		k.step = k.due
		k.timer = p.after(k.due, func() { p.expire(k) })
	}
	p.send(n, k.payload)
}

func (p *Peer) firstResend() time.Duration {
	switch p.cfg.Resend {
	case RoundTrip:
		if p.samples > 0 {
			return 2 * p.rtt
		}
	case Capped:
		return cappedFirst
	case Additive:
		return min(max(2*p.rtt, pingFloor), pingCeiling)
	}
	return fixedFirst
}

// expire sends a packet again, or gives the connection up.
func (p *Peer) expire(k *packet) {
	if p.exhausted(k) {
		p.conn.On[p.side] = k.id + 1
		p.giveUp()
		return
	}
	k.resends++
	switch p.cfg.Resend {
	case Capped:
		k.step = min(2*k.step, cappedMost)
	case Additive:
		k.step = min(2*k.due, stepMost)
	default:
		k.step *= 2
	}
	k.due += k.step
	n := k.note
	n.Retry = true
	if k.due > lifetime && p.cfg.Resend >= Capped {
		k.due = lifetime
	}
	k.timer = p.after(k.sentAt+k.due-p.now(), func() { p.expire(k) })
	p.send(&n, k.payload)
}

func (p *Peer) exhausted(k *packet) bool {
	if p.cfg.Resend >= Capped {
		return k.due >= lifetime
	}
	if p.cfg.Resends > 0 {
		return k.resends == p.cfg.Resends
	}
	return k.resends == fixedResends
}

// rearm starts the time to the next keep-alive again.
func (p *Peer) rearm() {
	p.alive.Stop()
	if every := p.cfg.Alive.every(); p.up && !p.over && every > 0 {
		p.alive = p.after(every, p.keepAlive)
	}
}

func (p *Peer) keepAlive() {
	f := hazel.Frame{Type: hazel.Ping}
	switch p.cfg.Alive {
	case Hello10, BareHello10:
		f = hazel.Frame{Type: hazel.Hello, HasVersion: p.cfg.Alive == Hello10}
	case EmptyReliable10, EmptyReliable2:
		f = hazel.Frame{Type: hazel.Reliable}
	case Ping:
		if p.pings == pingsMost {
			p.giveUp()
			return
		}
		p.pings++
	}
	n := p.note(f.Type)
	n.KeepAlives = 1
	p.reliable(&f, n, p.cfg.Alive != Ping)
}
