package knet

import "encoding/binary"

// decodeUsual reads a datagram whose messages are of the usual kind: no
// fragments, no lists of dependencies, small numbers. It is Decode without a tree
// for most of what is sent, at a third of the cost; it reports false, having
// decoded nothing of worth, when anything else is met.
func (d *Datagram) decodeUsual(b []byte, p Params) bool {
	if len(b) < 6 {
		return false
	}
	d.clear(TypeDatagram, p.Dialect)
	var flags byte
	d.PacketID, flags = packetID(b, p.Dialect)
	d.InOrder, d.Reliable = flags&flagInOrder != 0, flags&flagReliable != 0
	at := 3
	switch {
	case p.Dialect == Spec:
		if d.InOrder {
			return false
		}
	case d.Reliable:
		if d.Base, at = (VLE{uint32(binary.LittleEndian.Uint16(b[3:])), 2}), 5; b[4] >= 0x80 {
			if len(b) < 7 {
				return false
			}
			d.Base, at = VLE{d.Base.Value&0x7fff | uint32(binary.LittleEndian.Uint16(b[5:]))<<15, 4}, 7
		}
	}
	for at < len(b) {
		if len(d.Messages) == cap(d.Messages) {
			return false
		}
		d.Messages = d.Messages[:len(d.Messages)+1]
		if at = d.Messages[len(d.Messages)-1].decodeUsual(b, at, d, p); at < 0 {
			return false
		}
	}
	return true
}

// decodeUsual reads the message at byte at and gives where the next begins, -1
// when it is none of the usual kind.
func (m *Message) decodeUsual(b []byte, at int, d *Datagram, p Params) int {
	if at+3 > len(b) {
		return -1
	}
	u := binary.LittleEndian.Uint16(b[at:])
	m.Bits, m.Length = u&^lengthMask, int(u&lengthMask)
	at += 2
	m.Delta, m.Number = VLE{}, 0
	switch {
	case u&(FragmentStart|Fragment) != 0, p.Dialect == Spec && u>>codeShift&7 >= 6:
		return -1
	case p.Dialect != Spec && u&MessageReliable != 0:
		if b[at] >= 0x80 {
			return -1
		}
		m.Delta = VLE{uint32(b[at]), 1}
		m.Number = (d.Base.Value + m.Delta.Value) & numberMask
		at++
	}
	end := at + m.Length
	if m.Length == 0 || end > len(b) || b[at] >= 0x80 {
		return -1
	}
	m.FragmentCount, m.FragmentNumber, m.TransferID = VLE{}, VLE{}, 0
	if m.Indexes != nil {
		m.Indexes = nil
	}
	m.ID = VLE{uint32(b[at]), 1}
	m.Body = b[at+1 : end : end]
	m.Kind = Application
	if m.ID.Value <= 4 {
		m.Kind = lowKind(m.ID.Value, m.Length-1, p)
		if !m.usualControl(p) {
			return -1
		}
	}
	m.whole = true
	return end
}

// usualControl reads the body of a control message.
func (m *Message) usualControl(p Params) bool {
	if bodySize[m.Kind] != len(m.Body) {
		return m.Kind == Application
	}
	switch m.Kind {
	case PingRequest, PingReply:
		m.PingID = m.Body[0]
	case FlowControlRequest:
		m.Rate = binary.LittleEndian.Uint16(m.Body)
	case PacketAck:
		m.Ack = ackOf(m.Body, p.Dialect)
	}
	return true
}
