package capture

import (
	"encoding/binary"
	"fmt"
)

// Block types of pcapng (draft-ietf-opsawg-pcapng section 4).
const (
	blockSection    = 0x0a0d0d0a // reads the same in both byte orders
	blockInterface  = 1
	blockPacket     = 2 // obsolete
	blockSimple     = 3
	blockStatistics = 5
	blockEnhanced   = 6
)

const (
	sectionMagic  = 0x1a2b3c4d
	minBlock      = 12        // type, length, length
	maxBlock      = 128 << 20 // longer is damage, as it is for Wireshark
	maxKept       = 16 << 20  // longest block that is held in memory; others are skipped over
	maxInterfaces = 1 << 16   // interfaces of one section
)

// A pcapngReader walks over the blocks of a pcapng file:
//
//	 0        4        8                      length-4   length
//	+--------+--------+------ - - - ---------+----------+
//	| type   | length | body, padded to 4    | length   |
//	+--------+--------+------ - - - ---------+----------+
//
// It remembers the byte order and the interfaces of the current section. Reading
// stops at the first damage, as Wireshark does: after it nothing can be trusted
// to be where it seems.
type pcapngReader struct {
	w       *window
	order   binary.ByteOrder
	big     bool
	ifaces  []iface
	packets uint64
	drops   uint64 // of all interfaces with statistics
	hasDrop bool
	others  *otherBlocks // nil where nobody wants blocks
}

func isPcapng(b []byte) bool {
	return len(b) >= 4 && binary.LittleEndian.Uint32(b) == blockSection
}

// newPcapng reads the first section header, whose block type was seen.
// With blocks, records have theirs.
func newPcapng(w *window, blocks bool) (*pcapngReader, error) {
	p := &pcapngReader{w: w, order: binary.LittleEndian}
	if blocks {
		p.others = new(otherBlocks)
	}
	return p, p.section()
}

// Next reads blocks up to and with the next packet.
func (p *pcapngReader) Next(rec *Record) error {
	w := p.w
	p.others.renew()
	for {
		if !w.need(minBlock) {
			return w.stopped("a block header", minBlock)
		}
		typ, total := p.pair(w.buf[w.pos:])
		if typ == blockSection {
			if err := p.section(); err != nil {
				return err
			}
			continue
		}
		if total < minBlock || total > maxBlock {
			return p.bad("length %d of a block of type %#x is not between %d and %d", total, typ, minBlock, maxBlock)
		}
		size := int(total+3) &^ 3
		isPacket := typ == blockEnhanced || typ == blockPacket || typ == blockSimple
		if !isPacket && typ != blockInterface && typ != blockStatistics {
			if err := p.skip(typ, total, size); err != nil {
				return err
			}
			continue
		}
		body, err := p.body(typ, total, size)
		if err != nil {
			return err
		}
		switch typ {
		case blockEnhanced:
			err = p.enhanced(body, rec)
		case blockSimple:
			err = p.simple(body, rec)
		case blockPacket:
			err = p.obsolete(body, rec)
		case blockInterface:
			err = p.iface(body)
		case blockStatistics:
			err = p.statistics(body)
		}
		if err != nil {
			return err
		}
		block := w.buf[w.pos : w.pos+size : w.pos+size]
		w.pos += size
		if isPacket {
			p.packets++
			rec.near = p.isNear(w.bytes())
			if p.others != nil {
				rec.Block, rec.Before, rec.at = block, p.others.give(), dataAt(typ)
			}
			return nil
		}
		p.others.add(block)
	}
}

// isNear reports whether b begins with the whole block of a packet.
func (p *pcapngReader) isNear(b []byte) bool {
	if len(b) < minBlock {
		return false
	}
	typ, total := p.pair(b)
	return (typ == blockEnhanced || typ == blockPacket || typ == blockSimple) && uint64(len(b)) >= uint64(total)+3
}

// body gives what is between the two lengths of a block, which must agree.
func (p *pcapngReader) body(typ, total uint32, size int) ([]byte, error) {
	w := p.w
	if size > maxKept {
		return nil, p.bad("length %d of a block of type %#x is greater than %d", total, typ, maxKept)
	}
	if !w.need(size) {
		return nil, w.stopped(p.blockName(typ), size)
	}
	b := w.buf[w.pos : w.pos+size]
	if t := p.u32(b[size-4:]); t != total {
		return nil, p.bad("length of %s is %d in front but %d at the end", p.blockName(typ), total, t)
	}
	return b[8 : size-4], nil
}

// skip moves over a block that says nothing about packets, also one longer than
// what would be kept.
func (p *pcapngReader) skip(typ, total uint32, size int) error {
	w := p.w
	if p.others != nil && size <= maxOther {
		_, err := p.body(typ, total, size)
		if err == nil {
			p.others.add(w.buf[w.pos : w.pos+size])
			w.pos += size
		}
		return err
	}
	if p.others != nil {
		p.others.lost++
	}
	start := w.offset()
	if !w.skip(int64(size-4)) || !w.need(4) {
		return w.stoppedAt(start, p.blockName(typ), int64(size))
	}
	if t := p.u32(w.bytes()); t != total {
		return &Damage{start, false, fmt.Sprintf("length of %s is %d in front but %d at the end", p.blockName(typ), total, t)}
	}
	w.pos += 4
	return nil
}

// section reads a section header: it sets the byte order and forgets the
// interfaces. The length of the section itself is not needed.
//
//	type, length, byte-order magic, major, minor (2 bytes each), section length (8), options
func (p *pcapngReader) section() error {
	const least = 28
	w := p.w
	if !w.need(minBlock) {
		return w.stopped("a section header", least)
	}
	h := w.bytes()
	switch uint32(sectionMagic) {
	case binary.LittleEndian.Uint32(h[8:]):
		p.order, p.big = binary.LittleEndian, false
	case binary.BigEndian.Uint32(h[8:]):
		p.order, p.big = binary.BigEndian, true
	default:
		return p.bad("a section header without byte-order magic: % x", h[8:12])
	}
	total := p.u32(h[4:])
	if total < least || total > maxBlock {
		return p.bad("length %d of a section header is not between %d and %d", total, least, maxBlock)
	}
	size := int(total+3) &^ 3
	body, err := p.body(blockSection, total, size)
	if err != nil {
		return err
	}
	if major, minor := p.order.Uint16(body[4:]), p.order.Uint16(body[6:]); major != 1 {
		return p.bad("pcapng version %d.%d is unknown", major, minor)
	}
	p.ifaces = p.ifaces[:0]
	p.others.add(w.buf[w.pos : w.pos+size])
	w.pos += size
	return nil
}

// bad is damage in the block that begins at the next byte.
func (p *pcapngReader) bad(format string, args ...any) error {
	return &Damage{p.w.offset(), false, fmt.Sprintf(format, args...)}
}

// rest are the blocks since the last packet.
func (p *pcapngReader) rest() *otherBlocks { return p.others }

// dropped counts the packets that the interfaces' statistics say were lost.
func (p *pcapngReader) dropped() (uint64, bool) { return p.drops, p.hasDrop }

func (p *pcapngReader) u32(b []byte) uint32 {
	if p.big {
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}

// pair reads two numbers.
func (p *pcapngReader) pair(b []byte) (uint32, uint32) {
	if p.big {
		return binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	}
	return binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
}

func (p *pcapngReader) blockName(typ uint32) string {
	switch typ {
	case blockSection:
		return "a section header"
	case blockInterface:
		return "an interface block"
	case blockPacket, blockEnhanced, blockSimple:
		return fmt.Sprintf("the block of packet %d", p.packets+1)
	case blockStatistics:
		return "a statistics block"
	}
	return fmt.Sprintf("a block of type %#x", typ)
}
