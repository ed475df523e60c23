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
	packets uint64 // in the file
	whole   bool   // the file has as many as its newest statistics say …
	span    Span   // … and these say when capturing on it began and ended
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
	var drops, received uint64
	var x Span
	known := false
	ifc := &p.ifaces[id]
	for b = b[12:]; len(b) > 0; {
		code, v, rest, err := p.option(b)
		if err != nil {
			return err
		}
		if code == optEnd {
			break
		}
		if b = rest; len(v) != 8 {
			continue
		}
		high, low := p.pair(v)
		switch code {
		case optIfDrop, optOsDrop:
			drops, known = drops+p.order.Uint64(v), true
		case optIfRecv:
			received = p.order.Uint64(v)
		case optStatStart:
			x.From, _ = ifc.clock.nanos(uint64(high)<<32 | uint64(low))
		case optStatEnd:
			x.To, _ = ifc.clock.nanos(uint64(high)<<32 | uint64(low))
		}
	}
	ifc.span, ifc.whole = x, received <= ifc.packets+drops+unread
	if known {
		p.drops += drops - ifc.drops
		ifc.drops = drops
		p.hasDrop = true
	}
	return nil
}

// unread is how many packets an interface may have received that nobody read any more when the
// capture ended. Where more are missing, packets were taken out of the file.
const unread = 64

// A Span is from when until when an interface was listened to, ns since 1970, 0 for unknown.
type Span struct{ From, To int64 }

// listened is from when until when all interfaces were listened to, as their statistics say. It
// is not known of a file out of which packets were taken: they may be all before a time.
func (p *pcapngReader) listened() (s Span) {
	for i := range p.ifaces {
		x := &p.ifaces[i]
		if !x.whole || x.span.From == 0 || x.span.To == 0 {
			return Span{}
		}
		if s.From = max(s.From, x.span.From); i == 0 || x.span.To < s.To {
			s.To = x.span.To
		}
	}
	return s
}
