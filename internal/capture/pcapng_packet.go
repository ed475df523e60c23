package capture

import "bytes"

// Options of packet blocks.
const (
	optEnd       = 0
	optComment   = 1
	optFlags     = 2
	optDrops     = 4 // of an enhanced packet block
	flagsDir     = 3 // two bits: direction
	flagsOut     = 2
	dropsUnknown = 0xffff // of an obsolete packet block
)

// enhanced reads an Enhanced Packet Block:
//
//	interface, time high, time low, caplen, len (4 bytes each), packet, options
func (p *pcapngReader) enhanced(b []byte, rec *Record) error {
	const fixed = 20
	if len(b) < fixed {
		return p.bad("length %d of packet block %d is less than %d", len(b)+minBlock, p.packets+1, fixed+minBlock)
	}
	id, hi := p.pair(b)
	lo, caplen := p.pair(b[8:])
	rec.Drops, rec.HasDrops = 0, false
	return p.packet(b, fixed, id, uint64(hi)<<32|uint64(lo), caplen, p.u32(b[16:]), rec)
}

// obsolete reads the Packet Block of older files:
//
//	interface, drops (2 bytes each), time high, time low, caplen, len (4 bytes each), packet, options
func (p *pcapngReader) obsolete(b []byte, rec *Record) error {
	const fixed = 20
	if len(b) < fixed {
		return p.bad("length %d of packet block %d is less than %d", len(b)+minBlock, p.packets+1, fixed+minBlock)
	}
	id, drops := p.order.Uint16(b), p.order.Uint16(b[2:])
	hi, lo := p.pair(b[4:])
	caplen, wire := p.pair(b[12:])
	rec.Drops, rec.HasDrops = 0, drops != dropsUnknown
	if rec.HasDrops {
		rec.Drops = uint64(drops)
	}
	return p.packet(b, fixed, uint32(id), uint64(hi)<<32|uint64(lo), caplen, wire, rec)
}

// packet is what both blocks with a time share.
func (p *pcapngReader) packet(b []byte, fixed int, id uint32, stamp uint64, caplen, wire uint32, rec *Record) error {
	if uint64(id) >= uint64(len(p.ifaces)) {
		return p.bad("packet %d names interface %d of %d", p.packets+1, id, len(p.ifaces))
	}
	if err := p.fits(caplen, len(b)-fixed); err != nil {
		return err
	}
	end := fixed + int(caplen)
	ifc := &p.ifaces[id]
	ifc.packets++
	rec.Data = b[fixed:end:end]
	rec.WireLen = int(wire)
	rec.Time, rec.HasTime = ifc.clock.nanos(stamp)
	rec.Link = ifc.link
	rec.Interface = int(id)
	rec.Outbound = false
	rec.Comments = rec.Comments[:0]
	if end = (end + 3) &^ 3; end < len(b) {
		return p.packetOptions(b[end:], rec)
	}
	return nil
}

// simple reads a Simple Packet Block: len (4 bytes), packet. It belongs to the
// first interface, has no time, and is as long as that interface's snaplen lets
// it be.
func (p *pcapngReader) simple(b []byte, rec *Record) error {
	if len(b) < 4 {
		return p.bad("length %d of packet block %d is less than %d", len(b)+minBlock, p.packets+1, 4+minBlock)
	}
	if len(p.ifaces) == 0 {
		return p.bad("packet %d names interface 0 of 0", p.packets+1)
	}
	wire := p.u32(b)
	caplen := wire
	if s := p.ifaces[0].snaplen; s != 0 {
		caplen = min(caplen, s)
	}
	if err := p.fits(caplen, len(b)-4); err != nil {
		return err
	}
	*rec = Record{
		Data: b[4 : 4+caplen : 4+caplen], WireLen: int(wire), Link: p.ifaces[0].link,
		Comments: rec.Comments[:0],
	}
	return nil
}

// dataAt is where the bytes of a packet begin in a block of the type.
func dataAt(typ uint32) int {
	if typ == blockSimple {
		return 12
	}
	return 28
}

// fits checks that a packet is within its block.
func (p *pcapngReader) fits(caplen uint32, room int) error {
	if caplen > MaxPacket {
		return p.bad("packet %d claims %d captured bytes, more than %d", p.packets+1, caplen, MaxPacket)
	}
	if int(caplen) > room {
		return p.bad("packet %d needs %s, but its block has %d", p.packets+1, plural(caplen, "byte"), room)
	}
	return nil
}

// packetOptions reads direction, drop count and comments.
func (p *pcapngReader) packetOptions(b []byte, rec *Record) error {
	for len(b) > 0 {
		code, v, rest, err := p.option(b)
		if err != nil || code == optEnd {
			return err
		}
		switch {
		case code == optComment:
			rec.Comments = append(rec.Comments, string(bytes.TrimRight(v, "\x00")))
		case code == optFlags && len(v) == 4:
			rec.Outbound = p.u32(v)&flagsDir == flagsOut
		case code == optDrops && len(v) == 8:
			rec.Drops, rec.HasDrops = p.order.Uint64(v), true
		}
		b = rest
	}
	return nil
}

// option splits off one option: code, length (2 bytes each), value padded to 4.
// Options that end without end-of-options are accepted.
func (p *pcapngReader) option(b []byte) (code uint16, v, rest []byte, err error) {
	if len(b) < 4 {
		return 0, nil, nil, p.bad("an option needs 4 bytes, but its block has %d", len(b))
	}
	code = p.order.Uint16(b)
	n := int(p.order.Uint16(b[2:]))
	b = b[4:]
	if n > len(b) {
		return 0, nil, nil, p.bad("option %d needs %s, but its block has %d", code, plural(n, "byte"), len(b))
	}
	return code, b[:n], b[min((n+3)&^3, len(b)):], nil
}
