package dp8

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// A Handshake is a CONNECT, CONNECTED, CONNECTED_SIGNED or HARD_DISCONNECT:
// command frames that share their first 16 bytes (MC-DPL8R 2.2.1.1–2.2.1.4).
//
//	0               1               2               3
//	+---------------+---------------+---------------+---------------+
//	|   bCommand    |  bExtOpCode   |    bMsgID     |    bRspId     |
//	+---------------+---------------+---------------+---------------+
//	|                   dwCurrentProtocolVersion                    |
//	+---------------------------------------------------------------+
//	|                           dwSessID                            |
//	+---------------------------------------------------------------+
//	|                          tTimestamp                           |
//	+---------------------------------------------------------------+
//	CONNECTED_SIGNED goes on with
//	|                 ullConnectSig           (8)                   |
//	|                 ullSenderSecret         (8)                   |
//	|                 ullReceiverSecret       (8)                   |
//	|                 dwSigningOpts           (4)                   |
//	|                 dwEchoTimestamp         (4)                   |
//	HARD_DISCONNECT of a signed connection with
//	|                 ullSignature            (8)                   |
type Handshake struct {
	Command   Command
	Opcode    uint8
	MsgID     uint8
	RspID     uint8
	Version   uint32 // major<<16 | minor
	SessionID uint32
	Timestamp uint32 // ms

	ConnectSig     [8]byte // CONNECTED_SIGNED; secrets and cookies stay in wire order
	SenderSecret   [8]byte
	ReceiverSecret [8]byte
	SigningOpts    uint32
	EchoTimestamp  uint32 // ms

	HasSignature bool // HARD_DISCONNECT
	Signature    [8]byte

	Trailing []byte
}

func (h *Handshake) decode(r *dissect.Reader, cmd Command, op uint8, p Params) {
	*h = Handshake{Command: cmd, Opcode: op}
	h.MsgID = r.U8(&Fields[fMsgID])
	h.RspID = r.U8(&Fields[fRspID])
	h.Version = r.U32(&Fields[fVersion])
	h.SessionID = r.U32(&Fields[FSessionID])
	h.Timestamp = r.U32(&Fields[fTimestamp])
	switch op {
	case OpConnectedSigned:
		copy(h.ConnectSig[:], r.Bytes(&Fields[fConnectSig], 8))
		copy(h.SenderSecret[:], r.Bytes(&Fields[fSenderSecret], 8))
		copy(h.ReceiverSecret[:], r.Bytes(&Fields[fReceiverSecret], 8))
		h.SigningOpts = r.U32(&Fields[fSigningOpts])
		h.EchoTimestamp = r.U32(&Fields[fEchoTimestamp])
	case OpHardDisconnect:
		h.HasSignature = tailIsSignature(r, p)
		if h.HasSignature {
			copy(h.Signature[:], r.Bytes(&Fields[FSignature], 8))
		}
	}
	h.Trailing = r.Rest(&Fields[fTrailing])
}

// tailIsSignature decides whether what is left of a SACK or HARD_DISCONNECT is
// its signature: both end there, so their length tells even when the signing of
// the connection is unknown. A signed connection's frame without one is not
// malformed: it is an unsigned frame, and judged as such (MC-DPL8R 3.1.5.2.7).
func tailIsSignature(r *dissect.Reader, p Params) bool {
	if p.Signing == Unsigned {
		return false
	}
	return r.Len() == 8 || p.Signing == Signed && r.Len() > 8
}

// Append appends the encoded frame to b.
func (h *Handshake) Append(b []byte) []byte {
	b = append(b, byte(h.Command), h.Opcode, h.MsgID, h.RspID)
	b = binary.LittleEndian.AppendUint32(b, h.Version)
	b = binary.LittleEndian.AppendUint32(b, h.SessionID)
	b = binary.LittleEndian.AppendUint32(b, h.Timestamp)
	switch {
	case h.Opcode == OpConnectedSigned:
		b = append(b, h.ConnectSig[:]...)
		b = append(b, h.SenderSecret[:]...)
		b = append(b, h.ReceiverSecret[:]...)
		b = binary.LittleEndian.AppendUint32(b, h.SigningOpts)
		b = binary.LittleEndian.AppendUint32(b, h.EchoTimestamp)
	case h.HasSignature:
		b = append(b, h.Signature[:]...)
	}
	return append(b, h.Trailing...)
}
