package knet

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// MaxMessages bounds the messages that fit a UDP datagram, each with a header and a
// byte of content.
const MaxMessages = 65535 / 3

// Type is the type of a datagram.
type Type uint8

const (
	TypeDatagram Type = iota
	TypeConnect
)

var typeNames = [...]string{"DATAGRAM", "CONNECT"}

func (t Type) String() string { return typeNames[t] }

// A Datagram is one decoded kNet datagram, or the connect datagram of Reference.
//
//	spec                                   reference
//	u24  bit 23 InOrder, bit 22 Reliable,  u8   bit 7 InOrder, bit 6 Reliable,
//	     bits 21–0 PacketID                     bits 5–0 PacketID bits 5–0
//	                                       u16  PacketID bits 21–6
//	InOrder: u8 n, n deltas, n indexes     Reliable: VLE-1.15/16 ReliableBase
//	messages up to the end                 messages up to the end
//
// The byte slices in it belong to the payload. A Datagram is meant to be reused.
type Datagram struct {
	Type     Type
	Dialect  Dialect // how it was read; Reference or Spec
	PacketID uint32  // 22 bits
	InOrder  bool
	Reliable bool

	Base         VLE // Reference with Reliable: smallest reliable message number
	Depends      int // Spec with InOrder: how many dependencies are used
	Dependencies [MaxDependencies]Dependency
	Messages     []Message
	Connect      []byte // content of the connect datagram

	// All messages are the application's and whole, there is one, and nothing is wrong with the datagram by itself.
	Plain bool
}

// Decode reads one UDP payload that is no connect datagram into d and, when tree
// is not nil, records it there. What was decoded before an error stays in d.
func (d *Datagram) Decode(payload []byte, p Params, tree *dissect.Tree) *dissect.Error {
	if tree == nil && d.decodeUsual(payload, p) {
		return nil
	}
	return d.decodeAll(payload, p, tree)
}

// decodeAll is Decode for whatever may come.
func (d *Datagram) decodeAll(payload []byte, p Params, tree *dissect.Tree) *dissect.Error {
	var r dissect.Reader
	r.Start(payload, tree)
	d.begin(&r, p)
	for r.Len() > 0 {
		if len(d.Messages) == MaxMessages {
			r.Fail(&Fields[fMessages], "more messages than fit a datagram")
			break
		}
		if len(d.Messages) < cap(d.Messages) {
			d.Messages = d.Messages[:len(d.Messages)+1]
		} else {
			d.Messages = append(d.Messages, Message{})
		}
		d.Messages[len(d.Messages)-1].decode(&r, d, p)
	}
	d.Plain = r.OK() && d.isPlain()
	return r.Err()
}

// isPlain says what Plain is of a datagram that could be read to its end.
func (d *Datagram) isPlain() bool {
	if d.Base.Size == 4 && d.Base.Value <= Max15 || d.Dialect == Spec && d.InOrder {
		return false
	}
	for i := range d.Messages {
		m := &d.Messages[i]
		if m.Kind != Application || m.ID.Value <= 4 || m.IsFragment() || int(m.ID.Size) > Shortest30(m.ID.Value) || m.Delta.Size == 2 && m.Delta.Value < 1<<7 || d.Dialect == Spec && m.Code() != 0 {
			return false
		}
	}
	return len(d.Messages) > 0
}

// record is Decode for the tree alone: it keeps no messages.
func (d *Datagram) record(payload []byte, p Params, tree *dissect.Tree) *dissect.Error {
	var r dissect.Reader
	var m Message
	r.Start(payload, tree)
	d.begin(&r, p)
	for r.Len() > 0 {
		m.decode(&r, d, p)
	}
	return r.Err()
}

// DecodeConnect takes a payload for the connect datagram of Reference.
func (d *Datagram) DecodeConnect(payload []byte, tree *dissect.Tree) *dissect.Error {
	var r dissect.Reader
	r.Start(payload, tree)
	d.clear(TypeConnect, Reference)
	d.Connect = r.Rest(&Fields[fConnectData])
	if len(payload) == 0 {
		r.Fail(&Fields[fConnectData], "an empty datagram")
	}
	return r.Err()
}

func (d *Datagram) clear(t Type, dialect Dialect) {
	d.Type, d.Dialect, d.Connect, d.Plain = t, dialect, nil, false
	d.PacketID, d.InOrder, d.Reliable, d.Base, d.Depends = 0, false, false, VLE{}, 0
	d.Messages = d.Messages[:0]
}

func (d *Datagram) begin(r *dissect.Reader, p Params) {
	d.clear(TypeDatagram, p.Dialect)
	d.readHeader(r)
}

// readHeader reads what stands before the messages.
func (d *Datagram) readHeader(r *dissect.Reader) {
	b := r.Peek(3)
	r.Skip(&Fields[FPacketID], 3)
	if b == nil {
		return
	}
	var flags byte
	d.PacketID, flags = PacketID(b, d.Dialect)
	d.InOrder, d.Reliable = flags&flagInOrder != 0, flags&FlagReliable != 0
	if t := r.Tree(); t != nil {
		t.Add(&Fields[FPacketID], 0, 3, uint64(d.PacketID))
		t.Add(&Fields[fInOrder], 0, 0, b2u(d.InOrder))
		t.Add(&Fields[fReliable], 0, 0, b2u(d.Reliable))
	}
	switch {
	case d.Dialect == Spec && d.InOrder:
		d.readDependencies(r)
	case d.Dialect != Spec && d.Reliable:
		d.Base = readVLE31(r, &Fields[FBase])
	}
}

// PacketID reads the first three bytes of a datagram.
func PacketID(b []byte, dialect Dialect) (id uint32, flags byte) {
	if dialect == Spec {
		return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2]&0x3f)<<16, b[2]
	}
	return uint32(b[0]&0x3f) | uint32(binary.LittleEndian.Uint16(b[1:]))<<6, b[0]
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Append appends the encoded datagram to b.
func (d *Datagram) Append(b []byte) []byte {
	if d.Type == TypeConnect {
		return append(b, d.Connect...)
	}
	var flags byte
	if d.InOrder {
		flags |= flagInOrder
	}
	if d.Reliable {
		flags |= FlagReliable
	}
	id := d.PacketID & PacketIDMask
	if d.Dialect == Spec {
		b = append(b, byte(id), byte(id>>8), byte(id>>16)|flags)
		if d.InOrder {
			b = d.appendDependencies(b)
		}
	} else {
		b = append(b, byte(id&0x3f)|flags, byte(id>>6), byte(id>>14))
		if d.Reliable {
			b = d.Base.append31(b)
		}
	}
	for i := range d.Messages {
		b = d.Messages[i].append(b, d.Dialect)
	}
	return b
}
