package knet

import "encoding/binary"

// decodeUsual reads a datagram whose messages are of the usual kind: no
// fragments, no lists of dependencies, numbers of one or two bytes. It is Decode without a tree
// for most of what is sent, at a third of the cost; it reports false, having
// decoded nothing of worth, when anything else is met.
func (d *Datagram) decodeUsual(b []byte, p Params) bool {
	if len(b) < 6 {
		return false
	}
	d.clear(TypeDatagram, p.Dialect)
	var flags byte
	d.PacketID, flags = PacketID(b, p.Dialect)
	d.InOrder, d.Reliable = flags&flagInOrder != 0, flags&FlagReliable != 0
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
	plain := d.Base.Size < 4 || d.Base.Value > Max15
	for at < len(b) {
		n := len(d.Messages)
		if n == cap(d.Messages) {
			return false
		}
		d.Messages = d.Messages[:n+1]
		m := &d.Messages[n]
		if at = m.decodeUsual(b, at, d, p); at < 0 {
			return false
		}
		plain = plain && m.ID.Value > 4 && (p.Dialect != Spec || m.Code() == 0)
	}
	d.Plain = plain
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
		v := VLE{uint32(b[at]), 1}
		if b[at] >= 0x80 {
			if v = usualPair(b, at); v.Size == 0 {
				return -1
			}
		}
		m.Delta = v
		m.Number = (d.Base.Value + v.Value) & numberMask
		at += int(v.Size)
	}
	end := at + m.Length
	if m.Length == 0 || end > len(b) {
		return -1
	}
	id := VLE{uint32(b[at]), 1}
	if b[at] >= 0x80 {
		if id = usualPair(b, at); m.Length == 1 || id.Size == 0 || b[at+1] >= 0x80 {
			return -1
		}
	}
	m.FragmentCount, m.FragmentNumber, m.TransferID = VLE{}, VLE{}, 0
	if m.Indexes != nil {
		m.Indexes = nil
	}
	m.ID = id
	m.Body = b[at+int(id.Size) : end : end]
	m.Kind = Application
	if m.ID.Value <= 4 {
		m.Kind = lowKind(m.ID.Value, m.Length-1, p)
		if !m.usualControl(p) {
			return -1
		}
	}
	m.Whole = true
	return end
}

// usualPair reads a VLE-1.7/8 of two bytes that needs both, which may be the begin
// of a VLE-1.7/1.7/16; Size is 0 for any other.
func usualPair(b []byte, at int) VLE {
	if at+1 < len(b) && b[at+1] != 0 {
		return VLE{uint32(b[at]&0x7f) | uint32(b[at+1])<<7, 2}
	}
	return VLE{}
}

// usualControl reads the body of a control message.
func (m *Message) usualControl(p Params) bool {
	if BodySize[m.Kind] != len(m.Body) {
		return m.Kind == Application
	}
	switch m.Kind {
	case PingRequest, PingReply:
		m.PingID = m.Body[0]
	case FlowControlRequest:
		m.Rate = binary.LittleEndian.Uint16(m.Body)
	case PacketAck:
		m.Ack = ackOf(m.Body, p)
	}
	return true
}
