package dp8

import "github.com/dpdissect/dpdissect/dissect"

// Type is the type of a frame.
type Type uint8

const (
	TypeNone Type = iota
	TypeConnect
	TypeConnected
	TypeConnectedSigned
	TypeHardDisconnect
	TypeSACK
	TypeDFrame
)

var typeNames = [...]string{"", "CONNECT", "CONNECTED", "CONNECTED_SIGNED", "HARD_DISCONNECT", "SACK", "DFRAME"}

func (t Type) String() string { return typeNames[t] }

// A Frame is one decoded DirectPlay 8 datagram. Type says which of the parts
// is filled: Handshake for CONNECT, CONNECTED, CONNECTED_SIGNED and
// HARD_DISCONNECT, SACK and DFrame for themselves. The byte slices in it belong
// to the payload. A Frame is meant to be reused.
type Frame struct {
	Type      Type
	Handshake Handshake
	SACK      SACK
	DFrame    DFrame
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
	f.Type = TypeNone
	// MC-DPL8R 3.1.5: the low bit of the first byte tells data frames from command frames.
	switch head := r.Peek(1); {
	case head == nil:
		r.U8(&Fields[fCommand])
	case Command(head[0])&Data != 0:
		f.Type = TypeDFrame
		f.DFrame.decode(&r, p)
	case Command(head[0])&^Poll != CFrame:
		r.Fail(&Fields[fCFCommand], "neither a data frame nor a command frame")
	default:
		f.decodeCommand(&r, p)
	}
	return r.Err()
}

func (f *Frame) decodeCommand(r *dissect.Reader, p Params) {
	cmd := Command(r.U8(&Fields[fCFCommand]))
	op := r.U8(&Fields[fOpcode])
	if !r.OK() {
		return
	}
	switch op {
	case OpConnect, OpConnected, OpConnectedSigned, OpHardDisconnect:
		f.Type = Type(op)
		f.Handshake.decode(r, cmd, op, p)
	case OpSACK:
		f.Type = TypeSACK
		f.SACK.decode(r, cmd, p)
	default:
		r.FailAt(&Fields[fOpcode], 1, "unknown opcode")
	}
}

// Headed reports whether what a connection is followed by was decoded before the
// error: the numbers of a data frame or SACK. What of a handshake frame is there
// is looked at field by field.
func (f *Frame) Headed(err *dissect.Error) bool {
	switch {
	case err == nil || f.Type == TypeDFrame && err.Offset >= 4 || f.Type == TypeSACK && err.Offset >= 12:
		return true
	}
	return f.Type != TypeDFrame && f.Type != TypeSACK
}

// Append appends the encoded frame to b.
func (f *Frame) Append(b []byte) []byte {
	switch f.Type {
	case TypeConnect, TypeConnected, TypeConnectedSigned, TypeHardDisconnect:
		return f.Handshake.Append(b)
	case TypeSACK:
		return f.SACK.Append(b)
	case TypeDFrame:
		return f.DFrame.Append(b)
	}
	return b
}
