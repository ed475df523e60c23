package dp8

import "encoding/binary"

// Nearly all datagrams of a session are data frames and SACKs whose layout their first bytes and
// their length tell. They are read here without a tree, a bound a field and a table, as Decode
// reads them with these: what is not of the usual kind is left to it.

// decodeUsual is Decode for these, without a tree.
func (f *Frame) decodeUsual(b []byte, p Params) bool {
	switch {
	case len(b) == 0:
		return false
	case Command(b[0])&Data != 0:
		f.Type = TypeDFrame
		return f.DFrame.usualData(b, p)
	}
	f.Type = TypeSACK
	return f.SACK.usualSACK(b, p)
}

// usualData reads a data frame without masks, coalesced parts or the bit of KeepAlives. It
// reports false, having decoded nothing of worth, when it is another one.
func (d *DFrame) usualData(b []byte, p Params) bool {
	const unusual = CtlKeepAlive | CtlCoalesce | CtlSACK1 | CtlSACK2 | CtlSend1 | CtlSend2
	if len(b) < 4 || Control(b[1])&unusual != 0 {
		return false
	}
	body := 4
	if d.HasSignature = p.Signing == Signed; d.HasSignature {
		if body = 12; len(b) < body {
			return false
		}
		d.SignatureOff, d.Signature = 4, [8]byte(b[4:])
	} else if d.SignatureOff != 0 {
		d.SignatureOff, d.Signature = 0, [8]byte{}
	}
	d.Command, d.Control, d.Seq, d.NRcv = Command(b[0]), Control(b[1]), b[2], b[3]
	d.SACKMask, d.SendMask, d.SessionID = 0, 0, 0
	d.KeepAlive, d.Coalesced = false, false
	if d.Payload = nil; len(b) > body {
		d.Payload = b[body:len(b):len(b)]
	}
	return true
}

// usualSACK reads a SACK that ends behind its masks or its signature. It reports false, having
// decoded nothing of worth, when it is another one.
func (s *SACK) usualSACK(b []byte, p Params) bool {
	if len(b) < 12 || b[1] != OpSACK || Command(b[0])&^Poll != CFrame {
		return false
	}
	flags, at := b[2], 12
	s.SACKMask, s.SendMask = 0, 0
	if flags&(SACKMask1|SACKMask2|SACKSend1|SACKSend2) != 0 {
		if at = s.usualMasks(b, flags); at < 0 {
			return false
		}
	}
	s.HasSignature, s.Signature = false, [8]byte{}
	switch left := len(b) - at; {
	case left == 8 && p.Signing != Unsigned:
		s.HasSignature, s.Signature = true, [8]byte(b[at:])
	case left != 0:
		return false
	}
	s.Command, s.Flags, s.Retry, s.NSeq, s.NRcv = Command(b[0]), flags, b[3], b[4], b[5]
	s.Padding, s.Timestamp, s.Trailing = binary.LittleEndian.Uint16(b[6:]), binary.LittleEndian.Uint32(b[8:]), nil
	return true
}

// usualMasks reads the masks of a SACK, and gives where what follows begins, -1 where they do not fit.
func (s *SACK) usualMasks(b []byte, flags uint8) (at int) {
	at = 12
	for _, half := range [...]struct {
		flag  uint8
		shift uint
		mask  *uint64
	}{{SACKMask1, 0, &s.SACKMask}, {SACKMask2, 32, &s.SACKMask}, {SACKSend1, 0, &s.SendMask}, {SACKSend2, 32, &s.SendMask}} {
		if flags&half.flag == 0 {
			continue
		}
		if len(b) < at+4 {
			return -1
		}
		*half.mask |= uint64(binary.LittleEndian.Uint32(b[at:])) << half.shift
		at += 4
	}
	return at
}
