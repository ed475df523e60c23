package dp8

import (
	"encoding/binary"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
)

// A DFrame is a data frame (MC-DPL8R 2.2.2).
//
//	0               1               2               3
//	+---------------+---------------+---------------+---------------+
//	|   bCommand    |   bControl    |     bSeq      |     bNRcv     |
//	+---------------+---------------+---------------+---------------+
//	|            dwSACKMask1, dwSACKMask2 (optional)                |
//	|            dwSendMask1, dwSendMask2 (optional)                |
//	|            ullSignature (8, signed connections)               |
//	|            dwSessID (4, KeepAlives from 1.5)                  |
//	|            payload, or coalesced payloads                     |
type DFrame struct {
	Command  Command
	Control  Control
	Seq      uint8
	NRcv     uint8
	SACKMask uint64 // bit i: NRcv+1+i was received
	SendMask uint64 // bit i: Seq-1-i is given up

	HasSignature bool
	SignatureOff int // byte of the payload where the signature stands
	Signature    [8]byte

	KeepAlive bool // a KeepAlive from 1.5: SessionID is there, Payload is not data
	SessionID uint32

	Coalesced bool
	Coalesce  Coalesce // filled when Coalesced
	Payload   []byte   // application data of a frame that is not coalesced
}

func (d *DFrame) decode(r *dissect.Reader, p Params) {
	d.Command = Command(r.U8(&Fields[fCommand]))
	d.Control = Control(r.U8(&Fields[fControl]))
	d.Seq = r.U8(&Fields[fSeq])
	d.NRcv = r.U8(&Fields[fNRcv])
	d.SACKMask = r.Mask64(&Fields[FSACKMask], d.Control&CtlSACK1 != 0, d.Control&CtlSACK2 != 0)
	if d.SACKMask != 0 && r.Tree() != nil {
		addSacked(r, d.NRcv, d.SACKMask)
	}
	d.SendMask = r.Mask64(&Fields[FSendMask], d.Control&CtlSend1 != 0, d.Control&CtlSend2 != 0)
	if d.SendMask != 0 && r.Tree() != nil {
		addDropped(r, d.Seq, d.SendMask)
	}

	d.KeepAlive, d.HasSignature = d.classify(r.Len(), p)
	d.SignatureOff, d.Signature = 0, [8]byte{}
	if d.HasSignature {
		d.readSignature(r)
	}
	d.SessionID = 0
	if d.KeepAlive {
		d.SessionID = r.U32(&Fields[FSessionID])
	}
	d.Coalesced = d.Control&CtlCoalesce != 0 && !d.KeepAlive && (p.Version == 0 || p.Version >= Version15)
	d.Payload = nil
	if d.Coalesced {
		d.Coalesce.decode(r)
		return
	}
	d.Payload = r.Rest(&Fields[fPayload])
	if d.Command&User1 != 0 && r.Tree() != nil {
		addCore(r, d.Payload)
	}
}

func (d *DFrame) readSignature(r *dissect.Reader) {
	off := r.Pos()
	sig := r.Bytes(&Fields[FSignature], 8)
	if d.HasSignature = sig != nil; d.HasSignature {
		d.SignatureOff = off
		copy(d.Signature[:], sig)
	}
}

// classify decides what stands between the masks and the payload, with left
// bytes to come. On a connection of unknown version or signing, a KeepAlive is a
// reliable, sequential, ending frame of which exactly a session id is left, or
// a signature and a session id (AMB-DP8-05).
func (d *DFrame) classify(left int, p Params) (keepAlive, signature bool) {
	signature = p.Signing == Signed
	if d.Control&CtlKeepAlive == 0 {
		return false, signature
	}
	if means, known := p.keepAliveBit(); known {
		keepAlive = means
		if keepAlive && p.Signing == SigningUnknown {
			signature = left == 12
		}
		return keepAlive, signature
	}
	const flags = Reliable | Sequential | EndMsg
	if d.Command&flags != flags {
		return false, signature
	}
	switch p.Signing {
	case Signed:
		return left == 12, true
	case Unsigned:
		return left == 4, false
	}
	return left == 4 || left == 12, left == 12
}

// IsEmptyKeepAlive reports the KeepAlive of versions before 1.5: a reliable
// frame without payload (MC-DPL8R 3.1.6.6).
func (d *DFrame) IsEmptyKeepAlive() bool {
	return !d.KeepAlive && !d.Coalesced && len(d.Payload) == 0 && d.Command&Reliable != 0 && d.Control&CtlEndStream == 0
}

// Append appends the encoded frame to b. Which masks are written is Control's to
// say; whether a signature and a session id are is told by HasSignature and
// KeepAlive.
func (d *DFrame) Append(b []byte) []byte {
	b = append(b, byte(d.Command), byte(d.Control), d.Seq, d.NRcv)
	b = appendMask(b, d.SACKMask, d.Control&CtlSACK1 != 0, d.Control&CtlSACK2 != 0)
	b = appendMask(b, d.SendMask, d.Control&CtlSend1 != 0, d.Control&CtlSend2 != 0)
	if d.HasSignature {
		b = append(b, d.Signature[:]...)
	}
	if d.KeepAlive {
		b = binary.LittleEndian.AppendUint32(b, d.SessionID)
	}
	if d.Coalesced {
		return d.Coalesce.Append(b)
	}
	return append(b, d.Payload...)
}

// CoalesceHeaders counts the coalesce headers that the bytes after the frame's own header
// can hold.
func (d *DFrame) CoalesceHeaders(payload []byte) int {
	return (len(payload) - d.BodyOff()) / 2
}

func (d *DFrame) IsRetry() bool { return d.Control&CtlRetry != 0 }

// BodyOff is the byte at which the payload of a data frame, its session id or its
// coalesced payloads begin.
func (d *DFrame) BodyOff() int {
	const masks = CtlSACK1 | CtlSACK2 | CtlSend1 | CtlSend2
	off := 4
	if d.Control&masks != 0 {
		off += 4 * bits.OnesCount8(uint8(d.Control&masks))
	}
	if d.HasSignature {
		off += 8
	}
	return off
}
