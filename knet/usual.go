package knet

import "encoding/binary"

// decodeUsual reads a datagram whose messages are of the usual kind: no
// fragments, numbers of one or two bytes. It is Decode without a tree
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
	case p.Dialect == Spec && d.InOrder:
		if at = d.usualDependencies(b, at); at < 0 {
			return false
		}
	case p.Dialect == Spec:
	case d.Reliable:
		if d.Base, at = (VLE{uint32(binary.LittleEndian.Uint16(b[3:])), 2}), 5; b[4] >= 0x80 {
			if len(b) < 7 {
				return false
			}
			d.Base, at = VLE{d.Base.Value&0x7fff | uint32(binary.LittleEndian.Uint16(b[5:]))<<15, 4}, 7
		}
	}
	plain := (d.Base.Size < 4 || d.Base.Value > Max15) && !(p.Dialect == Spec && d.InOrder)
	all, n := d.Messages[:cap(d.Messages)], 0
	for ; at < len(b); n++ {
		if n == len(all) {
			return false
		}
		m := &all[n]
		if at = m.decodeUsual(b, at, d, p); at < 0 {
			return false
		}
		plain = plain && m.ID.Value > 4 && (p.Dialect != Spec || m.Code() == 0)
	}
	d.Messages, d.Plain = all[:n], plain
	return true
}

// usualDependencies reads both arrays of dependencies from a byte on, and gives where what
// follows begins, -1 where they do not fit.
func (d *Datagram) usualDependencies(b []byte, at int) int {
	n := int(b[at])
	at++
	for i := range n {
		v := usualNumber(b, at)
		if v.Size == 0 {
			return -1
		}
		d.Dependencies[i].Delta, d.Dependencies[i].DeltaSize = uint16(v.Value), v.Size
		at += int(v.Size)
	}
	for i := range n {
		v := usualNumber(b, at)
		if v.Size == 0 {
			return -1
		}
		d.Dependencies[i].Index, d.Dependencies[i].IndexSize = uint16(v.Value), v.Size
		at += int(v.Size)
	}
	d.Depends = n
	return at
}

// usualNumber reads a VLE-1.7/8; Size is 0 where it does not fit.
func usualNumber(b []byte, at int) VLE {
	switch {
	case at >= len(b):
		return VLE{}
	case b[at] < 0x80:
		return VLE{uint32(b[at]), 1}
	case at+1 >= len(b):
		return VLE{}
	}
	return VLE{uint32(b[at]&0x7f) | uint32(b[at+1])<<7, 2}
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
	if m.Indexes != nil {
		m.Indexes = nil
	}
	switch {
	case u&(FragmentStart|Fragment) != 0:
		return -1
	case p.Dialect == Spec && u>>codeShift&7 >= 6:
		if at = m.usualIndexes(b, at); at < 0 {
			return -1
		}
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
	m.ID = id
	m.Body = b[at+int(id.Size) : end : end]
	m.Kind = Application
	if id.Value <= 4 {
		m.Kind = lowKind(id.Value, m.Length-1, p)
		if !m.usualControl(p) {
			return -1
		}
	}
	m.Whole = true
	return end
}

// usualIndexes reads the indexes of a message with code 6 or 7 from a byte on, and gives where
// what follows begins, -1 where they do not fit.
func (m *Message) usualIndexes(b []byte, at int) int {
	n := 1
	if m.Code() == 7 {
		n = int(b[at])
		at++
	}
	if at+n > len(b) {
		return -1
	}
	if n > 0 {
		m.Indexes = b[at : at+n : at+n]
	}
	return at + n
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
