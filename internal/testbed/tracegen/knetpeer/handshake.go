package knetpeer

import (
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/knet"
)

// single sends a datagram of one message of the handshake or the end.
func (p *Peer) single(m knet.Message, needs []place, tell func(n *note.Note)) {
	id := p.out.take()
	d := knet.Datagram{Dialect: knet.Spec, PacketID: uint32(id & knet.PacketIDMask), Messages: []knet.Message{m}}
	d.InOrder = m.Kind == knet.Disconnect || m.Kind == knet.DisconnectAck
	depend(&d, id, needs)
	n := note.New(p.conn, p.side, "DATAGRAM")
	n.Number = id
	if p.cfg.NewIDs {
		n.Units = []int64{}
	}
	tell(n)
	p.out.transmit(&d, n)
}

// syn asks for a connection, again and again for a while.
func (p *Peer) syn() {
	if p.stage != pending {
		return
	}
	if p.now()-p.since >= pageConnect {
		p.giveUp()
		return
	}
	p.single(knet.Control(knet.ConnectSyn, p.cfg.Hello), nil, func(n *note.Note) { n.Opens = true })
	p.pingTimer = p.after(pageRetry, p.syn)
}

// synAck accepts a client.
func (p *Peer) synAck() {
	p.single(knet.Control(knet.ConnectSynAck, p.cfg.Reply), nil, func(*note.Note) {})
	if !p.pingTimer.Active() {
		p.pingTimer = p.after(pageConnect, p.giveUp)
	}
}

// refuse turns a client away (kNet page, Session Management; AMB-KN-24).
func (p *Peer) refuse() {
	p.single(knet.Control(knet.DisconnectAck, nil), nil, func(n *note.Note) { n.Close = note.Refusal })
	p.stop()
}

// handshake takes the handshake on and reports whether the datagram may be looked at.
func (p *Peer) handshake(d *knet.Datagram) bool {
	if len(d.Messages) == 0 {
		return false
	}
	switch k := d.Messages[0].Kind; {
	case k == knet.DisconnectAck:
	case p.side == 0 && k != knet.ConnectSynAck:
		return false
	case p.side == 0:
		p.pingTimer.Stop()
		p.confirm()
	case k != knet.ConnectSyn:
		p.pingTimer.Stop()
		p.established()
	}
	return true
}

// confirm says ConnectAck, before anything the application has to say.
func (p *Peer) confirm() {
	p.stage = up
	p.out.push(&item{msg: knet.Control(knet.ConnectAck, nil), kind: knet.ConnectAck, reliable: true, priority: closePriority})
	p.established()
}

// part says Disconnect or DisconnectAck after all that was said before.
func (p *Peer) part(x *item) {
	var needs []place
	m := x.msg
	if x.kind == knet.Disconnect {
		needs = p.out.order(&m, x, p.out.nextID, p.out.latest(), nil)
	}
	how := note.Graceful
	if x.kind == knet.DisconnectAck {
		how = note.Answer
	}
	p.single(m, needs, func(n *note.Note) { n.Close, n.Establishes = how, true })
	p.written(how)
}
