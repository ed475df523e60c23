package dp8

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// A SACK acknowledges without carrying data (MC-DPL8R 2.2.1.5).
//
//	0               1               2               3
//	+---------------+---------------+---------------+---------------+
//	|   bCommand    |  bExtOpCode   |    bFlags     |    bRetry     |
//	+---------------+---------------+---------------+---------------+
//	|     bNSeq     |     bNRcv     |           wPadding            |
//	+---------------+---------------+-------------------------------+
//	|                          tTimestamp                           |
//	+---------------------------------------------------------------+
//	|            dwSACKMask1, dwSACKMask2 (optional)                |
//	|            dwSendMask1, dwSendMask2 (optional)                |
//	|            ullSignature (8, signed connections)               |
type SACK struct {
	Command   Command
	Flags     uint8
	Retry     uint8 // not zero: the last data frame received was a retry
	NSeq      uint8 // next sequence this side will send
	NRcv      uint8 // next sequence this side expects
	Padding   uint16
	Timestamp uint32 // ms
	SACKMask  uint64 // bit i: NRcv+1+i was received
	SendMask  uint64 // bit i: NSeq-1-i is given up

	HasSignature bool
	Signature    [8]byte
	Trailing     []byte
}

func (s *SACK) decode(r *dissect.Reader, cmd Command, p Params) {
	*s = SACK{Command: cmd}
	s.Flags = r.U8(&Fields[fFlags])
	s.Retry = r.U8(&Fields[fRetry])
	s.NSeq = r.U8(&Fields[fNSeq])
	s.NRcv = r.U8(&Fields[fNRcv])
	s.Padding = r.U16(&Fields[fPadding])
	s.Timestamp = r.U32(&Fields[fTimestamp])
	s.SACKMask = r.Mask64(&Fields[FSACKMask], s.Flags&SACKMask1 != 0, s.Flags&SACKMask2 != 0)
	if s.SACKMask != 0 && r.Tree() != nil {
		addSacked(r, s.NRcv, s.SACKMask)
	}
	s.SendMask = r.Mask64(&Fields[FSendMask], s.Flags&SACKSend1 != 0, s.Flags&SACKSend2 != 0)
	if s.SendMask != 0 && r.Tree() != nil {
		addDropped(r, s.NSeq, s.SendMask)
	}
	if s.HasSignature = tailIsSignature(r, p); s.HasSignature {
		copy(s.Signature[:], r.Bytes(&Fields[FSignature], 8))
	}
	s.Trailing = r.Rest(&Fields[fTrailing])
}

// Append appends the encoded frame to b.
func (s *SACK) Append(b []byte) []byte {
	b = append(b, byte(s.Command), OpSACK, s.Flags, s.Retry, s.NSeq, s.NRcv)
	b = binary.LittleEndian.AppendUint16(b, s.Padding)
	b = binary.LittleEndian.AppendUint32(b, s.Timestamp)
	b = appendMask(b, s.SACKMask, s.Flags&SACKMask1 != 0, s.Flags&SACKMask2 != 0)
	b = appendMask(b, s.SendMask, s.Flags&SACKSend1 != 0, s.Flags&SACKSend2 != 0)
	if s.HasSignature {
		b = append(b, s.Signature[:]...)
	}
	return append(b, s.Trailing...)
}

// MasksSaySomething reports that no announced half of a mask is zero.
func (k *SACK) MasksSaySomething() bool {
	return !(k.Flags&SACKMask1 != 0 && uint32(k.SACKMask) == 0 || k.Flags&SACKMask2 != 0 && k.SACKMask>>32 == 0 ||
		k.Flags&SACKSend1 != 0 && uint32(k.SendMask) == 0 || k.Flags&SACKSend2 != 0 && k.SendMask>>32 == 0)
}
