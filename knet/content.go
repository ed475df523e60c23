package knet

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// Kind is what a message is for.
type Kind uint8

const (
	Application Kind = iota
	PingRequest
	PingReply
	FlowControlRequest
	PacketAck
	Disconnect
	DisconnectAck
	ConnectSyn // Spec; so are the next two
	ConnectSynAck
	ConnectAck
)

var kindNames = [...]string{"", "PingRequest", "PingReply", "FlowControlRequest", "PacketAck",
	"Disconnect", "DisconnectAck", "ConnectSyn", "ConnectSynAck", "ConnectAck"}

func (k Kind) String() string { return kindNames[k] }

// MessageIDs of the messages that open and close a connection.
const (
	IDConnectAck    = 0x3FFFFFFB
	IDConnectSynAck = 0x3FFFFFFC
	IDConnectSyn    = 0x3FFFFFFD
	IDDisconnectAck = 0x3FFFFFFE
	IDDisconnect    = 0x3FFFFFFF
)

// MessageID is the id of a kind; ids of Application are the application's.
func (k Kind) MessageID(ids IDMap) uint32 {
	if k >= Disconnect {
		return IDDisconnect - uint32(k-Disconnect)
	}
	if ids == IDsFromZero {
		return uint32(k) - 1
	}
	return uint32(k)
}

// BodySize is the size of a control message without its id, -1 when any will do.
var BodySize = [...]int{Application: -1, PingRequest: 1, PingReply: 1, FlowControlRequest: 2, PacketAck: AckSize,
	Disconnect: -1, DisconnectAck: -1, ConnectSyn: -1, ConnectSynAck: -1, ConnectAck: -1}

// KindOf says what a MessageID means; size is that of the body.
func KindOf(id uint32, size int, p Params) Kind {
	switch {
	case id > 4 && id < IDConnectAck:
		return Application
	case id >= IDDisconnectAck || id > 4 && p.Dialect == Spec:
		return Disconnect + Kind(IDDisconnect-id)
	case id > 4:
		return Application // Reference has no handshake
	}
	return lowKind(id, size, p)
}

// lowKind tells what an id of 0–4 means. Where the map is not known, the size
// tells, and for a single byte with id 1 the usual map of the dialect.
func lowKind(id uint32, size int, p Params) Kind {
	zero, one := Kind(id+1), Kind(id)
	switch {
	case p.IDs == IDsFromZero:
		if id == 4 {
			return Application
		}
		return zero
	case p.IDs == IDsFromOne:
		return one // Application is 0
	}
	fitsZero := id < 4 && BodySize[zero] == size
	fitsOne := id > 0 && BodySize[one] == size
	switch {
	case fitsOne && (!fitsZero || p.Dialect != Spec):
		return one
	case fitsZero:
		return zero
	}
	return Application
}

// Reasons of errors that rules tell apart.
const (
	EmptyContent    = "a message without content"
	TooFewFragments = "a transfer of less than 2 fragments"
)

// readContent reads the MessageID and what follows it.
func (m *Message) readContent(r *dissect.Reader, d *Datagram, p Params) {
	if !r.OK() {
		return
	}
	left := m.Length
	if m.HasID() {
		if n := r.Peek(min(m.Length, 2, r.Len())); m.Length == 0 || m.Length < Size30(n) {
			r.Fail(&Fields[FID], "runs past the content of the message")
			return
		}
		m.ID = readVLE30(r, &Fields[FID])
		if !r.OK() {
			return
		}
		left -= int(m.ID.Size)
		if !m.IsFragment() { // the library can't split its own messages
			m.Kind = KindOf(m.ID.Value, left, p)
		}
		if t := r.Tree(); t != nil && m.Kind != Application {
			t.AddText(&Fields[fName], r.Pos(), m.Kind.String())
		}
	} else if left == 0 && d.Dialect != Spec {
		r.Fail(&Fields[FLength], EmptyContent)
		return
	}
	m.readBody(r, left, p)
}

func (m *Message) readBody(r *dissect.Reader, size int, p Params) {
	switch want := BodySize[m.Kind]; {
	case want == size:
		m.readControl(r, size, p)
		return
	case m.Kind == PacketAck:
		r.Fail(&Fields[FAckPacketID], "a PacketAck has 7 bytes")
		return
	}
	if size > 0 {
		m.Body = r.Bytes(&Fields[fData], size)
	}
}

// readControl reads a control message of the right size.
func (m *Message) readControl(r *dissect.Reader, size int, p Params) {
	m.Body = r.Peek(size)
	switch m.Kind {
	case PingRequest, PingReply:
		m.PingID = r.U8(&Fields[fPingID])
	case FlowControlRequest:
		m.Rate = r.U16(&Fields[fRate])
	case PacketAck:
		m.Ack.read(r, p)
	}
}

// Ping makes a PingRequest or PingReply.
func Ping(k Kind, ids IDMap, id uint8) Message {
	return Message{Kind: k, ID: Num(k.MessageID(ids)), Body: []byte{id}, PingID: id}
}

// FlowControl makes a FlowControlRequest for a rate in datagrams a second.
func FlowControl(ids IDMap, rate uint16) Message {
	return Message{Kind: FlowControlRequest, ID: Num(FlowControlRequest.MessageID(ids)), Rate: rate,
		Body: binary.LittleEndian.AppendUint16(nil, rate)}
}

// Acknowledge makes a PacketAck.
func Acknowledge(dialect Dialect, ids IDMap, a Ack) Message {
	return Message{Kind: PacketAck, ID: Num(PacketAck.MessageID(ids)), Ack: a, Body: a.Append(nil, dialect)}
}

// Control makes a message that opens or closes a connection.
func Control(k Kind, body []byte) Message {
	return Message{Kind: k, ID: Num(k.MessageID(IDsUnknown)), Body: body}
}
