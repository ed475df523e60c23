package hazelpeer

import (
	"bytes"
	"time"

	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
)

// half is how far ahead of the newest an id may be.
const half = 32768

// receive takes a datagram of the partner.
func (p *Peer) receive(f *hazel.Frame) {
	if p.cfg.Alive.onAny() {
		p.rearm()
	}
	switch f.Type {
	case hazel.Acknowledgement:
		p.onAck(f)
	case hazel.Disconnect:
		if p.cfg.Answers {
			p.disconnect(nil, note.Answer)
		}
		p.leave()
	case hazel.None:
		p.deliver(f.Data)
	case hazel.Hello, hazel.Ping, hazel.MTUTest:
		p.take(f.ID)
	case hazel.Reliable:
		if p.take(f.ID) && len(f.Data) > 0 {
			p.deliver(f.Data)
		}
	case hazel.Fragment, hazel.FragmentStart:
		if f.HasID && p.take(f.ID) {
			p.assemble(f)
		}
	}
}

// take acknowledges an id and reports whether it is new.
func (p *Peer) take(wire uint16) (fresh bool) {
	if p.cfg.History == MissingLate {
		// Hazel a8b72ec: what the packet tells of others is not known yet.
		id, _ := p.place(wire)
		p.ack(id)
		_, fresh = p.enter(wire)
		return fresh
	}
	id, fresh := p.enter(wire)
	p.ack(id)
	return fresh
}

// place unwraps an id; ahead is how far it is in front of the newest.
func (p *Peer) place(wire uint16) (id, ahead int64) {
	if !p.begun {
		base := int64(0)
		if p.cfg.Running {
			base = max(0, p.conn.Own.(*shared).first[1-p.side]-half) // where the partner's ids began
		}
		id = base + int64(wire-uint16(base))
		return id, 1
	}
	ahead = int64(wire - uint16(p.newest))
	if ahead > half {
		ahead -= 1 << 16
	}
	return p.newest + ahead, ahead
}

// enter is the window: an id in front of the newest is new and leaves those
// between missing; a missing one is taken once.
func (p *Peer) enter(wire uint16) (id int64, fresh bool) {
	id, ahead := p.place(wire)
	switch {
	case !p.begun:
		p.begun, p.newest = true, id
		return id, true
	case ahead > 0:
		for lost := p.newest + 1; lost < id; lost++ {
			p.missing[lost] = true
		}
		p.newest = id
		return id, true
	}
	fresh = p.missing[id]
	delete(p.missing, id)
	return id, fresh
}

// ack acknowledges an id at once.
func (p *Peer) ack(id int64) {
	f := hazel.Frame{Type: hazel.Acknowledgement, Dialect: p.cfg.Dialect, ID: uint16(id)}
	n := p.note(hazel.Acknowledgement)
	n.Ack, n.Acks, n.Answers = true, []int64{id}, p.node.at
	if p.cfg.History != NoHistory {
		f.HasRecent, f.Recent = true, p.history(id)
		for i := range int64(8) {
			if f.Recent>>i&1 != 0 && id-1-i >= 0 {
				n.FromHistory = append(n.FromHistory, id-1-i)
			}
		}
	}
	p.send(n, f.Append(nil))
}

func (p *Peer) history(id int64) (recent uint8) {
	switch p.cfg.History {
	case AlwaysFE:
		return 0xfe
	case AlwaysFF:
		return 0xff
	case AlwaysZero:
		return 0
	}
	for i := range int64(8) {
		if !p.missing[id-1-i] {
			recent |= 1 << i
		}
	}
	return recent
}

// onAck takes an acknowledgement and, where it has 4 bytes, its history.
func (p *Peer) onAck(f *hazel.Frame) {
	p.pings = 0
	p.release(f.ID)
	if f.HasRecent && p.cfg.History != NoHistory {
		for i := range uint16(8) {
			if f.Recent>>i&1 != 0 {
				p.release(f.ID - 1 - i)
			}
		}
	}
}

func (p *Peer) release(id uint16) {
	k := p.flight[id]
	if k == nil {
		return
	}
	delete(p.flight, id)
	k.timer.Stop()
	if k.resends == 0 {
		p.measure(k)
	}
	if !p.up && p.side == 0 && k.id == p.cfg.FirstID {
		p.established()
	}
}

// measure keeps the mean round trip, or a smoothed one.
func (p *Peer) measure(k *packet) {
	rtt := p.now() - k.sentAt
	p.samples++
	if p.cfg.Resend == Additive {
		p.rtt = (7*p.rtt + 3*rtt) / 10
		return
	}
	p.rtt += (rtt - p.rtt) / time.Duration(p.samples)
}

// assemble puts a message together.
func (p *Peer) assemble(f *hazel.Frame) {
	z := p.parts[f.MessageID]
	if z == nil {
		z = &puzzle{left: -1}
		p.parts[f.MessageID] = z
	}
	index := int(f.Index)
	if f.Type == hazel.FragmentStart {
		index = 0
	}
	if f.Type == hazel.FragmentStart || p.cfg.Dialect == hazel.Fork36 {
		z.left = int(f.Count)
	}
	for len(z.parts) <= index {
		z.parts = append(z.parts, nil)
	}
	z.parts[index] = append([]byte{}, f.Data...)
	have := 0
	for _, b := range z.parts {
		if b != nil {
			have++
		}
	}
	if have == z.left {
		delete(p.parts, f.MessageID)
		p.deliver(bytes.Join(z.parts, nil))
	}
}

func (p *Peer) deliver(data []byte) {
	if p.node.OnMessage != nil {
		p.node.OnMessage(p, append([]byte(nil), data...))
	}
}
