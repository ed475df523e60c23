package knet

import "encoding/binary"

// A Shape is what the structure of a datagram says without decoding it: enough
// to tell the dialects apart and kNet from other traffic.
type Shape struct {
	OK        bool // messages fill the datagram exactly
	Strict    bool // … there are some, and all is as senders make it
	Handshake bool // holds ConnectSyn, ConnectSynAck or ConnectAck
	PacketID  uint32
	Flags     byte
	Start     int // first byte of the messages
	end       int // first byte that makes no sense
	Messages  int
}

// ShapeOf walks over a datagram.
func ShapeOf(b []byte, dialect Dialect) (s Shape) {
	if len(b) < 3 {
		return s
	}
	s.PacketID, s.Flags = PacketID(b, dialect)
	at, depends := 3, 0
	switch {
	case dialect == Spec && s.Flags&flagInOrder != 0:
		if len(b) > at {
			depends = int(b[at])
		}
		at = SkipDependencies(b, at)
	case dialect != Spec && s.Flags&FlagReliable != 0:
		at = skipBase(b, at)
	}
	s.Start, s.Strict = at, true
	marks, zero := byte(0), false
	for at >= 0 && at < len(b) {
		s.end = at
		x, next := BlockAt(b, at, dialect)
		if next < 0 {
			return s
		}
		at = next
		s.Messages++
		marks |= byte(x.bits>>8) & 0x30 << 2 // InOrder and Reliable as the datagram has them
		zero = zero || x.delta == 0
		s.Strict = s.Strict && x.strict(dialect) && (dialect != Spec || x.orderFits(depends))
		s.Handshake = s.Handshake || dialect == Spec && !x.Fragment && x.ID >= IDConnectAck && x.ID <= IDConnectSyn
	}
	s.OK = at >= 0
	if dialect != Spec { // flags and base are those of the messages together
		s.Strict = s.Strict && marks == s.Flags&(flagInOrder|FlagReliable) && (zero || s.Flags&FlagReliable == 0)
	}
	s.Strict = s.Strict && s.OK && s.Messages > 0
	s.end = len(b)
	return s
}

// SkipDependencies passes over the arrays of Spec; -1 when they don't fit.
func SkipDependencies(b []byte, at int) int {
	if at >= len(b) {
		return -1
	}
	n := 2 * int(b[at])
	at++
	for ; n > 0 && at < len(b); n-- {
		at += 1 + int(b[at]>>7)
	}
	if n > 0 || at > len(b) {
		return -1
	}
	return at
}

// skipBase passes over a VLE-1.15/16; -1 when it does not fit.
func skipBase(b []byte, at int) int {
	if at+2 > len(b) {
		return -1
	}
	if at += 2 + 2*int(b[at+1]>>7); at > len(b) {
		return -1
	}
	return at
}

// A Block is a message as the structure shows it.
type Block struct {
	bits     uint16
	delta    int // reliable delta, -1 for none
	Fragment bool
	start    bool
	transfer uint8
	count    uint32 // of a start: fragments; of a later fragment: its number
	HasID    bool
	ID       uint32
	minimal  bool // the id has its shortest form
	Body     []byte
}

// strict reports whether a message is as senders make it.
func (x *Block) strict(dialect Dialect) bool {
	lib := dialect != Spec
	switch {
	case x.start && (x.bits&Fragment == 0 || x.count < 2), x.Fragment && !x.start && x.count == 0:
		return false
	case lib && (x.bits&MessageUnused != 0 || x.Fragment && (x.transfer == 0 || x.delta < 0)):
		return false
	}
	return !x.HasID || x.minimal && (x.ID < IDDisconnectAck || len(x.Body) == 0 && !x.Fragment)
}

// orderFits reports that what the InOrder code of a message of Spec names is there.
func (x *Block) orderFits(depends int) bool {
	code := int(x.bits >> codeShift & 7)
	return code == 0 || depends > 0 && (code > 5 || code <= depends)
}

// BlockAt reads the message at byte at and gives where the next begins, -1 when
// it makes no sense.
func BlockAt(b []byte, at int, dialect Dialect) (x Block, next int) {
	x.delta = -1
	if at+2 > len(b) {
		return x, -1
	}
	u := binary.LittleEndian.Uint16(b[at:])
	x.bits, x.start, x.Fragment = u&^lengthMask, u&FragmentStart != 0, u&(FragmentStart|Fragment) != 0
	if at = x.skipNumbers(b, at+2, dialect); at < 0 {
		return x, -1
	}
	if x.Fragment {
		at = x.skipFragment(b, at)
	}
	end := at + int(u&lengthMask)
	if at < 0 || end > len(b) || dialect != Spec && (at == end || x.start && x.count < 2) {
		return x, -1
	}
	if x.HasID = x.start || !x.Fragment; x.HasID {
		n := Size30(b[at:end])
		if at+n > end {
			return x, -1
		}
		x.ID = value30(b[at:])
		x.minimal = n == Shortest30(x.ID)
		at += n
	}
	x.Body = b[at:end]
	return x, end
}

// skipNumbers passes over what stands between the header and the fragment fields.
func (x *Block) skipNumbers(b []byte, at int, dialect Dialect) int {
	code := x.bits >> codeShift & 7
	switch {
	case dialect == Spec && code < 6, dialect != Spec && x.bits&MessageReliable == 0:
		return at
	case at >= len(b):
		return -1
	case dialect == Spec && code == 6:
		return at + 1
	case dialect == Spec:
		return at + 1 + int(b[at])
	case b[at] < 0x80:
		x.delta = int(b[at])
		return at + 1
	case at+1 >= len(b):
		return -1
	}
	x.delta = int(b[at]&0x7f) | int(b[at+1])<<7
	return at + 2
}

// skipFragment passes over the fragment fields.
func (x *Block) skipFragment(b []byte, at int) int {
	id, number := at, at+1
	if x.start {
		number = at
	}
	if number >= len(b) {
		return -1
	}
	n := Size30(b[number:])
	if x.start {
		id = at + n
	}
	if at+n >= len(b) {
		return -1
	}
	x.transfer, x.count = b[id], value30(b[number:])
	return at + n + 1
}

// value30 is the VLE-1.7/1.7/16 at the start of b, whose bytes are there.
func value30(b []byte) uint32 {
	switch Size30(b) {
	case 1:
		return uint32(b[0])
	case 2:
		return uint32(b[0]&0x7f) | uint32(b[1])<<7
	}
	return uint32(b[0]&0x7f) | uint32(b[1]&0x7f)<<7 | uint32(b[2])<<14 | uint32(b[3])<<22
}
