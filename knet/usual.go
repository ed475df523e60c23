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
	return d.usualMessages(b[at:], p)
}

// usualMessages reads the messages, which b is nothing but. It is one loop that calls nobody: half of what it takes to
// read a message would be the calls.
func (d *Datagram) usualMessages(b []byte, p Params) bool {
	all, n, control := d.Messages[:cap(d.Messages)], 0, false
	plain := (d.Base.Size < 4 || d.Base.Value > Max15) && !(d.Dialect == Spec && d.InOrder)
	for ; len(b) > 0; n++ {
		if n >= len(all) || len(b) < 3 {
			return false
		}
		m, u, at := &all[n], binary.LittleEndian.Uint16(b), 2
		if m.Indexes != nil {
			m.Indexes = nil
		}
		m.Delta, m.Number = VLE{}, 0
		switch {
		case u&(FragmentStart|Fragment) != 0:
			return false
		case d.Dialect == Spec:
			if m.Bits = u; m.Code() >= 6 {
				if at = m.usualIndexes(b, at); at < 0 {
					return false
				}
			}
			plain = plain && m.Code() == 0
		case u&MessageReliable != 0:
			v := uint32(b[2])
			if at = 3; v < 0x80 {
				m.Delta = VLE{v, 1}
			} else if m.Delta, at = usualPair(b, 2), 4; m.Delta.Size == 0 {
				return false
			} else {
				v = m.Delta.Value
			}
			m.Number = (d.Base.Value + v) & numberMask
		}
		length := int(u & lengthMask)
		end := at + length
		if length == 0 || end > len(b) {
			return false
		}
		id := uint32(b[at])
		if at++; id < 0x80 {
			m.ID = VLE{id, 1}
		} else if m.ID = usualPair(b, at-1); length == 1 || m.ID.Size == 0 || b[at] >= 0x80 {
			return false
		} else {
			id = m.ID.Value
			at++
		}
		m.Bits, m.Length = u&^lengthMask, length
		m.FragmentCount, m.FragmentNumber, m.TransferID = VLE{}, VLE{}, 0
		m.Kind, m.Body, m.Whole = Application, b[at:end:end], true
		control = control || id <= 4
		b = b[end:]
	}
	d.Messages, d.Plain = all[:n], plain && !control && n > 0
	return !control || d.usualControls(p)
}

// usualControls takes the messages with ids of 0–4 for what these mean, and reports whether all have the size for that.
func (d *Datagram) usualControls(p Params) bool {
	for i := range d.Messages {
		if m := &d.Messages[i]; m.ID.Value <= 4 && !m.usualControl(p) {
			return false
		}
	}
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

// usualControl takes a message for what its id of 0–4 means, and reports whether its size is right for that.
func (m *Message) usualControl(p Params) bool {
	m.Kind = lowKind(m.ID.Value, len(m.Body), p)
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
