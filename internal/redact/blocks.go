package redact

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// Types of blocks of pcapng.
const (
	blockSection    = 0x0a0d0d0a
	blockInterface  = 1
	blockSimple     = 3
	blockStatistics = 5
	blockEnhanced   = 6
)

// sectionMagic tells the order of bytes.
const sectionMagic = 0x1a2b3c4d

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// blocks writes the blocks of an input again, without what may name anybody.
type blocks struct{ order byteOrder }

// each shows the blocks of an input one by one.
func (o *blocks) each(raw []byte, show func(typ uint32, b []byte)) {
	for len(raw) >= 12 {
		typ := binary.LittleEndian.Uint32(raw)
		if typ == blockSection {
			o.order = binary.LittleEndian
			if binary.BigEndian.Uint32(raw[8:]) == sectionMagic {
				o.order = binary.BigEndian
			}
		}
		if o.order == nil {
			return
		}
		n := (int(o.order.Uint32(raw[4:])) + 3) &^ 3
		if n < 12 || n > len(raw) {
			return
		}
		show(o.order.Uint32(raw), raw[:n])
		raw = raw[n:]
	}
}

// others are the blocks of an input that are no packets: sections, interfaces and statistics,
// with options that are numbers. All others are left out.
func (o *blocks) others(raw []byte) (out []byte) {
	o.each(raw, func(typ uint32, b []byte) {
		switch {
		case typ == blockSection:
			head := o.order.AppendUint64(slices.Clone(b[8:16]), math.MaxUint64) // length unknown
			out = o.block(out, typ, head, nil)
		case typ == blockInterface && len(b) >= 20: // its resolution and offset of times, and the length of check sequences
			out = o.block(out, typ, b[8:16], o.options(b[16:len(b)-4], 9, 13, 14))
		case typ == blockStatistics && len(b) >= 24:
			out = o.block(out, typ, b[8:20], o.options(b[20:len(b)-4], 2, 3, 4, 5, 6, 7, 8))
		}
	})
	return out
}

func (o *blocks) block(dst []byte, typ uint32, head, options []byte) []byte {
	size := uint32(12 + len(head) + len(options))
	dst = o.order.AppendUint32(o.order.AppendUint32(dst, typ), size)
	return o.order.AppendUint32(append(append(dst, head...), options...), size)
}

// options are those of some codes that have no more than a number.
func (o *blocks) options(b []byte, codes ...uint16) (out []byte) {
	for len(b) >= 4 {
		code, n := o.order.Uint16(b), int(o.order.Uint16(b[2:]))
		size := 4 + (n+3)&^3
		if code == 0 || size > len(b) {
			break
		}
		if slices.Contains(codes, code) && n <= 8 {
			out = append(out, b[:size]...)
		}
		b = b[size:]
	}
	if out != nil {
		out = append(out, 0, 0, 0, 0)
	}
	return out
}

// packet is the block of a packet with other data, of which perhaps less is left; direction
// and drop count stay. A simple block has no place for how much is left: zeros fill it.
func (o *blocks) packet(raw []byte, was int, data []byte) []byte {
	typ := o.order.Uint32(raw)
	at := 28
	if typ == blockSimple {
		at = 12
		data = append(data, make([]byte, was-len(data))...)
	}
	head := slices.Clone(raw[8:at])
	var options []byte
	if typ != blockSimple {
		o.order.PutUint32(head[12:], uint32(len(data)))
		options = o.options(raw[min(at+(was+3)&^3, len(raw)-4):len(raw)-4], 2, 4)
	}
	head = append(head, data...)
	return o.block(nil, typ, append(head, make([]byte, -len(data)&3)...), options)
}

// texts shows what blocks say that are no packets: sections, interfaces and statistics in
// their options, others as they are.
func (o *blocks) texts(raw []byte, show func(b []byte, number bool)) {
	o.each(raw, func(typ uint32, b []byte) {
		known := typ == blockSection || typ == blockInterface || typ == blockStatistics
		show(b[8:len(b)-4], known)
	})
}

// comments of a packet as its block has them.
func comments(rec *capture.Record, show func(b []byte)) {
	for _, c := range rec.Comments {
		show([]byte(c))
	}
}
