package hazel

import "encoding/binary"

// Append encodes the frame after b: as f.Dialect, AnyDialect being Current.
// The first byte is Code where that is set. Hello carries its version, and an
// acknowledgement its history, when HasVersion and HasRecent say so.
func (f *Frame) Append(b []byte) []byte {
	if f.Type.Record() {
		return f.Records.Append(b)
	}
	code := f.Code
	if code == 0 {
		code = codeOf(f.Type, f.Dialect)
	}
	return f.appendBody(append(b, code), code)
}

func (f *Frame) appendBody(b []byte, code byte) []byte {
	switch f.Type {
	case None, Disconnect:
	case Acknowledgement:
		b = binary.BigEndian.AppendUint16(b, f.ID)
		if f.HasRecent {
			b = append(b, f.Recent)
		}
		return b
	case Hello:
		b = binary.BigEndian.AppendUint16(b, f.ID)
		if !f.HasVersion {
			return b
		}
		b = append(b, f.Version)
	case MTUTest:
		b = append(binary.BigEndian.AppendUint16(b, f.ID), f.Data...)
		return binary.LittleEndian.AppendUint16(b, f.Size)
	case FragmentStart:
		b = f.appendV01(b, f.Count)
	case Fragment:
		b = f.appendFragment(b, code)
	default:
		b = binary.BigEndian.AppendUint16(b, f.ID)
	}
	return append(b, f.Data...)
}

func (f *Frame) appendV01(b []byte, countOrIndex uint16) []byte {
	b = binary.BigEndian.AppendUint16(b, f.MessageID)
	b = binary.BigEndian.AppendUint16(b, countOrIndex)
	return binary.BigEndian.AppendUint16(b, f.ID)
}

func (f *Frame) appendFragment(b []byte, code byte) []byte {
	switch {
	case code == 0x03:
		return binary.BigEndian.AppendUint16(b, f.ID)
	case code != 0x0B:
		return b
	case f.Dialect != Fork36:
		return f.appendV01(b, f.Index)
	}
	b = binary.BigEndian.AppendUint16(b, f.ID)
	b = binary.LittleEndian.AppendUint16(b, f.MessageID)
	b = append(b, byte(f.Count), byte(f.Index))
	if f.HasOption {
		b = append(b, f.Option)
	}
	return b
}
