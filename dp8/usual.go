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

// usualData reads a data frame without coalesced parts or the bit of KeepAlives. It reports false,
// having decoded nothing of worth, when it is another one.
func (d *DFrame) usualData(b []byte, p Params) bool {
	if len(b) < 4 || Control(b[1])&(CtlKeepAlive|CtlCoalesce) != 0 {
		return false
	}
	c, at := Control(b[1]), 4
	d.SACKMask, d.SendMask = 0, 0
	if c&(CtlSACK1|CtlSACK2|CtlSend1|CtlSend2) != 0 {
		d.SACKMask, d.SendMask, at = usualMasks(b, at, c&CtlSACK1 != 0, c&CtlSACK2 != 0, c&CtlSend1 != 0, c&CtlSend2 != 0)
		if at < 0 {
			return false
		}
	}
	d.SignatureOff, d.Signature = 0, [8]byte{}
	if d.HasSignature = p.Signing == Signed; d.HasSignature {
		if len(b) < at+8 {
			return false
		}
		d.SignatureOff, d.Signature = at, [8]byte(b[at:])
		at += 8
	}
	d.Command, d.Control, d.Seq, d.NRcv = Command(b[0]), c, b[2], b[3]
	d.SessionID, d.KeepAlive, d.Coalesced, d.Payload = 0, false, false, nil
	if len(b) > at {
		d.Payload = b[at:len(b):len(b)]
	}
	return true
}

// usualSACK reads a SACK that ends after its masks or its signature. It reports false, having
// decoded nothing of worth, when it is another one.
func (s *SACK) usualSACK(b []byte, p Params) bool {
	if len(b) < 12 || b[1] != OpSACK || Command(b[0])&^Poll != CFrame {
		return false
	}
	flags, at := b[2], 12
	s.SACKMask, s.SendMask = 0, 0
	if flags&(SACKMask1|SACKMask2|SACKSend1|SACKSend2) != 0 {
		s.SACKMask, s.SendMask, at = usualMasks(b, at, flags&SACKMask1 != 0, flags&SACKMask2 != 0, flags&SACKSend1 != 0, flags&SACKSend2 != 0)
		if at < 0 {
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

// usualMasks reads the masks that a frame says to have, from a byte on, and gives where what follows
// begins, -1 where they do not fit.
func usualMasks(b []byte, at int, sack1, sack2, send1, send2 bool) (sack, send uint64, end int) {
	for i, there := range [...]bool{sack1, sack2, send1, send2} {
		if !there {
			continue
		}
		if len(b) < at+4 {
			return 0, 0, -1
		}
		half := uint64(binary.LittleEndian.Uint32(b[at:])) << (i % 2 * 32)
		if at += 4; i < 2 {
			sack |= half
		} else {
			send |= half
		}
	}
	return sack, send, at
}
