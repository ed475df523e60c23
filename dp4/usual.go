package dp4

import "encoding/binary"

// Nearly all datagrams of a session are data frames without extended flags, and ACKs. They are read
// here without a tree, a bound a field and a table, as Decode reads them with these: what is not of
// the usual kind is left to it.

// usualHead is the least length of such a frame, in bytes: two indexes, flags, and what names a packet.
const usualHead = 6

// decodeUsual is Decode for these, without a tree. It reports false, having decoded nothing of
// worth, when anything else is met.
func (f *Frame) decodeUsual(b []byte, p Params) bool {
	if len(b) < usualHead || p.Length < len(b) || HasSP(b, p.Length) {
		return false
	}
	at := 2
	if b[0]|b[1] < 0x80 {
		f.From, f.To = Index{uint32(b[0]), 1}, Index{uint32(b[1]), 1}
	} else {
		at = f.From.usual(b)
		at += f.To.usual(b[at:])
		if f.From.Width == 0 || f.To.Width == 0 || len(b) < at+4 {
			return false
		}
	}
	head := (*[4]byte)(b[at:])
	f.Flags, f.MessageID, f.Sequence, f.Serial = Flags(head[0]), head[1], head[2], head[3]
	f.HasSP, f.ExtFlags, f.Order, f.MaskSize, f.Mask = false, 0, LSBFirst, 0, 0
	f.BytesReceived, f.Tick, f.Data, f.Trailing = 0, 0, nil, nil
	at += 4
	switch f.Type = TypeOf(f.Flags); {
	case f.Flags&EXT != 0:
		return false
	case f.Type == TypeData:
		if len(b) > at {
			f.Data = b[at:len(b):len(b)]
		}
		return true
	case len(b) != at+8:
		return false
	}
	f.BytesReceived, f.Tick = binary.LittleEndian.Uint32(b[at:]), binary.LittleEndian.Uint32(b[at+4:])
	return true
}

// usual reads an index of one or two bytes, and gives how many it has; Width is 0 of another one.
func (x *Index) usual(b []byte) int {
	switch {
	case b[0] < 0x80:
		*x = Index{uint32(b[0]), 1}
	case b[1] < 0x80:
		*x = Index{uint32(b[0]&0x7f) | uint32(b[1])<<7, 2}
	default:
		*x = Index{}
	}
	return int(x.Width)
}
