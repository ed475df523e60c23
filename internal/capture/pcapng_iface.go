package capture

// Options of interface and statistics blocks.
const (
	optTsresol  = 9
	optTsoffset = 14
	optIfDrop   = 5 // packets lost for want of resources
	optOsDrop   = 7 // packets dropped by the operating system

	defaultTsresol = 6 // microseconds
)

// An iface is what packets need to know of their interface.
type iface struct {
	clock   clock
	link    LinkType
	snaplen uint32 // 0 for none
	drops   uint64 // of its newest statistics
}

// iface reads an Interface Description Block: link type, reserved (2 bytes
// each), snaplen (4), options.
func (p *pcapngReader) iface(b []byte) error {
	if len(b) < 8 {
		return p.bad("length %d of an interface block is less than %d", len(b)+minBlock, 8+minBlock)
	}
	if len(p.ifaces) >= maxInterfaces {
		return p.bad("more than %d interfaces", maxInterfaces)
	}
	link, snaplen := p.order.Uint16(b), p.u32(b[4:])
	tsresol, offset := uint8(defaultTsresol), int64(0)
	for b = b[8:]; len(b) > 0; {
		code, v, rest, err := p.option(b)
		if err != nil {
			return err
		}
		if code == optEnd {
			break
		}
		// Of a wrong size these two leave every time of the interface unknown.
		switch {
		case code == optTsresol && len(v) == 1:
			tsresol = v[0]
		case code == optTsoffset && len(v) == 8:
			offset = int64(p.order.Uint64(v))
		case code == optTsresol:
			return p.bad("if_tsresol of an interface block needs 1 byte, but has %d", len(v))
		case code == optTsoffset:
			return p.bad("if_tsoffset of an interface block needs 8 bytes, but has %d", len(v))
		}
		b = rest
	}
	p.ifaces = append(p.ifaces, iface{clock: newClock(tsresol, offset), link: LinkType(link), snaplen: snaplen})
	return nil
}

// statistics reads an Interface Statistics Block: interface, time high, time low
// (4 bytes each), options. Its counts are those since the start of the capture,
// so a later block of the same interface replaces an earlier one.
func (p *pcapngReader) statistics(b []byte) error {
	if len(b) < 12 {
		return p.bad("length %d of a statistics block is less than %d", len(b)+minBlock, 12+minBlock)
	}
	id := p.u32(b)
	if uint64(id) >= uint64(len(p.ifaces)) {
		return p.bad("a statistics block names interface %d of %d", id, len(p.ifaces))
	}
	var drops uint64
	known := false
	for b = b[12:]; len(b) > 0; {
		code, v, rest, err := p.option(b)
		if err != nil {
			return err
		}
		if code == optEnd {
			break
		}
		if (code == optIfDrop || code == optOsDrop) && len(v) == 8 {
			drops, known = drops+p.order.Uint64(v), true
		}
		b = rest
	}
	if known {
		p.drops += drops - p.ifaces[id].drops
		p.ifaces[id].drops = drops
		p.hasDrop = true
	}
	return nil
}
