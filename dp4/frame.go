package dp4

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// Type is the type of a frame.
type Type uint8

const (
	TypeNone Type = iota
	TypeData
	TypeACK
	TypeNACK
)

var typeNames = [...]string{"", "DATA", "ACK", "NACK"}

func (t Type) String() string { return typeNames[t] }

// TypeOf tells the type of a frame by its flags (MC-DPL4R 2, AMB-DP4-03). EXT
// without ACK is no type of the text; it is read as the data frame that 2.2.2
// draws with extended flags.
func TypeOf(f Flags) Type {
	switch f & (ACK | EXT) {
	case ACK:
		return TypeACK
	case ACK | EXT:
		return TypeNACK
	}
	return TypeData
}

// A Frame is one decoded DirectPlay 4 datagram (MC-DPL4R 2.2). Data and
// Trailing belong to the payload. A Frame is meant to be reused.
//
//	all     IdFrom (1-3) | IdTo (1-3) | flags
//	DATA    messageid | sequence | serial | extended flags and NACK mask (with EXT) | data
//	ACK     messageid | sequence | serial | bytes received (4) | local tick count (4)
//	NACK    extended flags | messageid | sequence | bytes received (4) | local tick count (4) | NACK mask (0-3)
type Frame struct {
	Type  Type
	HasSP bool // SP stands in front of the indexes
	SP    SPHeader

	From, To  Index
	Flags     Flags
	MessageID uint8
	Sequence  uint8
	Serial    uint8 // DATA and ACK

	ExtFlags uint8  // with EXT
	Order    Order  // the reading of ExtFlags that fits
	MaskSize uint8  // bytes of mask, 0-3
	Mask     uint32 // bit i: Sequence+1+i is missing, too (AMB-DP4-04)

	BytesReceived uint32 // ACK and NACK
	Tick          uint32 // ACK and NACK; ms

	Data     []byte // DATA
	Trailing []byte // ACK and NACK: bytes after the last field
}

// Params is what a decoder must know and the captured bytes do not tell.
type Params struct {
	Length int // bytes the datagram had; 0 when that is not known
}

// Decode reads one UDP payload into f and, when tree is not nil, records it
// there. What was decoded before an error stays in f.
func (f *Frame) Decode(payload []byte, p Params, tree *dissect.Tree) *dissect.Error {
	if tree == nil && f.decodeUsual(payload, p) {
		return nil
	}
	return f.decodeAll(payload, p, tree)
}

// decodeAll is Decode for whatever may come.
func (f *Frame) decodeAll(payload []byte, p Params, tree *dissect.Tree) *dissect.Error {
	var r dissect.Reader
	r.Start(payload, tree)
	length := p.Length
	if length == 0 {
		length = announced(payload)
	}
	f.Type, f.HasSP = TypeNone, false
	if HasSP(payload, length) || p.Length == 0 && length > len(payload) {
		f.decodeSP(&r, payload)
	}
	f.From.read(&r, &Fields[FIDFrom])
	f.To.read(&r, &Fields[FIDTo])
	f.Flags = Flags(r.U8(&Fields[fFlags]))
	f.Serial, f.ExtFlags, f.Order, f.MaskSize, f.Mask = 0, 0, LSBFirst, 0, 0
	f.BytesReceived, f.Tick, f.Data, f.Trailing = 0, 0, nil, nil
	if !r.OK() {
		return r.Err()
	}
	switch f.Type = TypeOf(f.Flags); f.Type {
	case TypeACK:
		f.decodeACK(&r)
	case TypeNACK:
		f.decodeNACK(&r, length)
	default:
		f.decodeData(&r)
	}
	return r.Err()
}

// decodeSP reads a service provider's header, unless what follows is a message
// of the core itself.
func (f *Frame) decodeSP(r *dissect.Reader, payload []byte) {
	f.HasSP = true
	f.SP.decode(r, &spRows)
	if len(payload) >= coreSize && IsCore(payload[spSize:]) {
		r.Fail(&Fields[FIDFrom], "a message of the DirectPlay 4 core, not a frame")
	}
}

// Ignored reports a frame that its receiver must ignore: CMD and EXT do not go
// together, and neither does EXT without ACK (MC-DPL4R 2, 2.2.2, AMB-DP4-06).
func (f *Frame) Ignored() bool {
	return f.Flags&EXT != 0 && f.Flags&(CMD|ACK) != ACK
}

// Size is what the frame adds to its receiver's count of bytes received: all of
// it after the player indexes (MC-DPL4R 3.1.5.4). length is that of the UDP
// payload.
func (f *Frame) Size(length int) int {
	if f.HasSP {
		length -= spSize
	}
	return length - int(f.From.Width) - int(f.To.Width)
}

// What frames have after their player indexes at least (MC-DPL4R 2.2.2-2.2.4).
const (
	HeaderSize = 4  // of all
	AckSize    = 12 // of an ACK, and of a NACK besides its mask
)

// Append appends the encoded frame to b.
func (f *Frame) Append(b []byte) []byte {
	if f.HasSP {
		b = f.SP.Append(b)
	}
	b = f.To.Append(f.From.Append(b))
	b = append(b, byte(f.Flags))
	switch TypeOf(f.Flags) {
	case TypeACK:
		b = append(b, f.MessageID, f.Sequence, f.Serial)
	case TypeNACK:
		b = append(b, f.ExtFlags, f.MessageID, f.Sequence)
	default:
		b = append(b, f.MessageID, f.Sequence, f.Serial)
		if f.Flags&EXT != 0 {
			b = f.appendMask(append(b, f.ExtFlags))
		}
		return append(b, f.Data...)
	}
	b = binary.LittleEndian.AppendUint32(b, f.BytesReceived)
	b = binary.LittleEndian.AppendUint32(b, f.Tick)
	return append(f.appendMask(b), f.Trailing...)
}

func (f *Frame) appendMask(b []byte) []byte {
	if f.Flags&EXT == 0 {
		return b
	}
	for i := range f.MaskSize {
		b = append(b, byte(f.Mask>>(8*i)))
	}
	return b
}

// Initial reports the numbers a side starts with. The text says 1, its example
// 0 (AMB-DP4-01, AMB-DP4-02).
func (f *Frame) Initial() bool {
	return f.MessageID <= 1 && f.Sequence <= 1 && f.Flags&STA != 0
}

// Headed reports whether the numbers of a frame were decoded before the error.
func (f *Frame) Headed(err *dissect.Error) bool {
	return f.numbered(err) && (f.Type == TypeNACK || err.Field != &Fields[fSerial])
}
