package knet

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// A Message is one message block of a datagram.
//
//	u16             bit 15 FragmentStart, bit 14 Fragment,
//	                spec bits 13–11 InOrder code; reference bit 13 InOrder, bit 12 Reliable,
//	                bits 10–0 ContentLength
//	spec:           SingleInOrderIndex (code 6), or count and indexes (code 7)
//	reference:      VLE-1.7/8 ReliableDelta (Reliable)
//	VLE-1.7/1.7/16  FragmentCount (FragmentStart)
//	u8              TransferID (Fragment or FragmentStart)
//	VLE-1.7/1.7/16  FragmentNumber (Fragment without FragmentStart)
//	content         VLE-1.7/1.7/16 MessageID (not in later fragments), payload
type Message struct {
	Bits   uint16 // FragmentStart, Fragment, MessageInOrder, …; the length left out
	Length int    // ContentLength as read; Append counts again

	Indexes []byte // Spec, codes 6 and 7: into Datagram.Dependencies
	Delta   VLE    // Reference, reliable: above Datagram.Base
	Number  uint32 // Reference, reliable: the sum of both

	FragmentCount  VLE // of the transfer, in its first fragment
	FragmentNumber VLE // in later fragments, from 1
	TransferID     uint8

	ID   VLE    // MessageID; later fragments have none
	Kind Kind   // what the id means
	Body []byte // what follows the id

	PingID uint8  // PingRequest, PingReply
	Rate   uint16 // FlowControlRequest: datagrams a second
	Ack    Ack    // PacketAck

	Whole bool // decoded up to its end
}

// Code is the InOrder code of a message of Spec.
func (m *Message) Code() uint16 { return m.Bits >> codeShift & 7 }

// SetCode sets the InOrder code of a message of Spec.
func (m *Message) SetCode(code uint16) {
	m.Bits = m.Bits&^(7<<codeShift) | code&7<<codeShift
}

// IsFragment reports a fragment of a transfer; FragmentStart implies Fragment
// (AMB-KN-12).
func (m *Message) IsFragment() bool { return m.Bits&(FragmentStart|Fragment) != 0 }

// IsStart reports the first fragment of a transfer.
func (m *Message) IsStart() bool { return m.Bits&FragmentStart != 0 }

// IsReliable reports a message of Reference that has a number. With Spec the
// datagram decides.
func (m *Message) IsReliable() bool { return m.Bits&MessageReliable != 0 }

// HasID reports whether the message has a MessageID: later fragments don't.
func (m *Message) HasID() bool { return m.Bits&(FragmentStart|Fragment) != Fragment }

func (m *Message) decode(r *dissect.Reader, d *Datagram, p Params) {
	if m.Indexes != nil {
		m.Indexes = nil
	}
	m.Delta, m.Number = VLE{}, 0
	m.FragmentCount, m.FragmentNumber, m.TransferID = VLE{}, VLE{}, 0
	m.ID, m.Kind, m.Body, m.Whole = VLE{}, Application, nil, false
	t := r.Tree()
	t.Open(&Fields[fMessages], r.Pos(), 0)
	if m.readHeader(r, d) {
		if d.Dialect == Spec {
			m.readOrder(r, d)
		} else if m.IsReliable() {
			m.readNumber(r, d)
		}
		if m.IsFragment() {
			m.readFragment(r, d)
		}
		m.readContent(r, d, p)
		m.Whole = r.OK()
	}
	t.Close()
}

// readHeader reads flags and length.
func (m *Message) readHeader(r *dissect.Reader, d *Datagram) bool {
	b := r.Peek(2)
	at := r.Pos()
	r.Skip(&Fields[FLength], 2)
	if b == nil {
		m.Bits, m.Length = 0, 0
		return false
	}
	u := binary.LittleEndian.Uint16(b)
	m.Bits, m.Length = u&^lengthMask, int(u&lengthMask)
	if t := r.Tree(); t != nil {
		m.addHeader(t, d, at)
	}
	return true
}

func (m *Message) addHeader(t *dissect.Tree, d *Datagram, at int) {
	t.Add(&Fields[FLength], at, 2, uint64(m.Length))
	at++
	t.Add(&Fields[fFragmentStart], at, 0, b2u(m.Bits&FragmentStart != 0))
	t.Add(&Fields[fFragment], at, 0, b2u(m.Bits&Fragment != 0))
	switch d.Dialect {
	case Spec:
		t.Add(&Fields[fCode], at, 0, uint64(m.Code()))
	case Reference:
		t.Add(&Fields[fMessageInOrder], at, 0, b2u(m.Bits&MessageInOrder != 0))
		t.Add(&Fields[fMessageReliable], at, 0, b2u(m.IsReliable()))
		if m.Bits&MessageUnused != 0 {
			t.Add(&Fields[fUnusedBit], at, 0, 1)
		}
	}
}

func (m *Message) readNumber(r *dissect.Reader, d *Datagram) {
	at := r.Pos()
	m.Delta = readVLE15(r, &Fields[FDelta])
	m.Number = (d.Base.Value + m.Delta.Value) & numberMask
	if r.OK() {
		r.Tree().Add(&Fields[fNumber], at, 0, uint64(m.Number))
	}
}

func (m *Message) readFragment(r *dissect.Reader, d *Datagram) {
	if m.IsStart() {
		at := r.Pos()
		m.FragmentCount = readVLE30(r, &Fields[FFragmentCount])
		m.TransferID = r.U8(&Fields[FTransferID])
		if r.OK() && d.Dialect != Spec && m.FragmentCount.Value < 2 {
			r.FailAt(&Fields[FFragmentCount], at, TooFewFragments)
		}
		return
	}
	m.TransferID = r.U8(&Fields[FTransferID])
	m.FragmentNumber = readVLE30(r, &Fields[FFragmentNumber])
}

func (m *Message) append(b []byte, dialect Dialect) []byte {
	content := len(m.Body)
	if m.HasID() {
		content += m.ID.size30()
	}
	b = binary.LittleEndian.AppendUint16(b, m.Bits|uint16(content)&lengthMask)
	switch {
	case dialect == Spec:
		if m.Code() == 7 {
			b = append(b, byte(len(m.Indexes)))
		}
		b = append(b, m.Indexes...)
	case m.IsReliable():
		b = m.Delta.append15(b)
	}
	switch {
	case m.IsStart():
		b = append(m.FragmentCount.append30(b), m.TransferID)
	case m.IsFragment():
		b = m.FragmentNumber.append30(append(b, m.TransferID))
	}
	if m.HasID() {
		b = m.ID.append30(b)
	}
	return append(b, m.Body...)
}

// size30 is the bytes the number has as VLE-1.7/1.7/16.
func (v VLE) size30() int { return max(int(v.Size), Shortest30(v.Value)) }

// Known reports whether enough of a message is there to tell what it is.
func (m *Message) Known() bool { return m.Whole || m.ID.Size > 0 || m.IsFragment() }

// Ambiguous reports a message that is a PingRequest by one map of ids and a
// PingReply by the other.
func (m *Message) Ambiguous() bool { return m.ID.Value == 1 && len(m.Body) == 1 }
