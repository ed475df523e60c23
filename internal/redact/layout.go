package redact

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// What a place in a packet holds.
type placeKind uint8

const (
	linkAddress placeKind = iota
	ipAddress             // of 4 or 16 bytes
	udpPort
)

// A place is an address or a port in a packet.
type place struct {
	kind placeKind
	extent
}

// extent is a range of bytes of a packet.
type extent struct{ from, to int }

func (e extent) of(b []byte) []byte { return b[e.from:e.to] }
func (e extent) size() int          { return e.to - e.from }

// A layout says where a packet has what is replaced. It follows the headers that
// capture.Decoder follows, and ARP, neighbour discovery and quotations besides.
type layout struct {
	places  []place
	sums    []checksum // outer ones first
	blank   []extent   // becomes zero: options, padding, what ICMP quotes
	nops    []extent   // options of IPv4, which become no-operations
	end     int        // after the last header that is rewritten: what follows is not known
	content extent     // of the UDP datagram, as far as this packet has it
	isUDP   bool       // content begins after a header of UDP
	isPart  bool       // content is of a fragment of IP
	offset  int        // of content in the datagram, from the header of IP on

	b      []byte
	depth  int
	quoted bool      // within a quotation of ICMP
	pseudo [2]extent // addresses of the innermost IP header
}

// maxDepth bounds how deep headers nest.
const maxDepth = 32

func (l *layout) deeper() bool { l.depth++; return l.depth <= maxDepth }

// read lays out a packet.
func (l *layout) read(rec *capture.Record) {
	*l = layout{places: l.places[:0], sums: l.sums[:0], blank: l.blank[:0], nops: l.nops[:0], b: rec.Data}
	all := extent{0, len(rec.Data)}
	switch rec.Link {
	case capture.LinkEthernet:
		l.ethernet(all)
	case capture.LinkRaw, capture.LinkRaw12, capture.LinkRaw14, capture.LinkIPv4, capture.LinkIPv6:
		l.ip(all)
	case capture.LinkSLL:
		if all.size() >= 16 {
			l.cooked(l.u16(14), l.u16(4), 6, extent{16, all.to})
		}
	case capture.LinkSLL2:
		if all.size() >= 20 {
			l.cooked(l.u16(0), int(l.b[11]), 12, extent{20, all.to})
		}
	case capture.LinkNull, capture.LinkLoop:
		l.skip(&all, 4)
		l.ip(all)
	case capture.LinkPPP, capture.LinkPPPHDLC:
		l.ppp(all)
	case capture.LinkPPPDir:
		if l.skip(&all, 1) {
			l.ppp(all)
		}
	case capture.LinkIEEE80211:
		l.wifi(all, false)
	case capture.LinkRadiotap:
		l.radiotap(all, rec.WireLen <= len(rec.Data))
	}
}

func (l *layout) u16(at int) int { return int(binary.BigEndian.Uint16(l.b[at:])) }

// add notes an address or a port.
func (l *layout) add(kind placeKind, from, size int) {
	l.places = append(l.places, place{kind, extent{from, from + size}})
	l.end = max(l.end, from+size)
}

// skip skips so many bytes of header; false when they are not there.
func (l *layout) skip(e *extent, n int) bool {
	if e.size() < n {
		return false
	}
	e.from += n
	l.end = max(l.end, e.from)
	return true
}

// clear makes bytes zero that may hold anything.
func (l *layout) clear(from, to int) {
	if from < to {
		l.blank = append(l.blank, extent{from, to})
	}
}

func (l *layout) ethernet(e extent) {
	for at := e.from; at+6 <= min(e.to, e.from+12); at += 6 {
		l.add(linkAddress, at, 6)
	}
	if l.skip(&e, 14) {
		l.etherType(l.u16(e.from-2), e)
	}
}

func (l *layout) etherType(typ int, e extent) {
	for l.deeper() {
		switch typ {
		case 0x0800, 0x86dd:
			l.ip(e)
		case 0x0806, 0x8035:
			l.arp(e)
		case 0x8100, 0x88a8, 0x9100, 0x9200: // tags of VLANs
			if !l.skip(&e, 4) {
				return
			}
			typ = l.u16(e.from - 2)
			continue
		case 0x8847, 0x8848:
			l.mpls(e)
		case 0x8864: // PPPoE
			if l.skip(&e, 6) {
				l.ppp(e)
			}
		default:
			if typ < 0x600 {
				l.llc(e)
			}
		}
		return
	}
}

// arp has hardware and protocol (2 bytes each), the lengths of their addresses (1 each), an
// operation (2), and then the addresses of the sender and the target.
func (l *layout) arp(e extent) {
	if !l.skip(&e, 8) {
		return
	}
	hard, soft := int(l.b[e.from-4]), int(l.b[e.from-3])
	for range 2 {
		if hard == 6 && e.size() >= 6 {
			l.add(linkAddress, e.from, 6)
		}
		if soft == 4 && e.size() >= hard+4 {
			l.add(ipAddress, e.from+hard, 4)
		}
		if hard != 6 || soft != 4 || !l.skip(&e, 10) {
			return
		}
	}
}

func (l *layout) mpls(e extent) {
	for l.skip(&e, 4) {
		if l.b[e.from-2]&1 != 0 {
			l.ip(e)
			return
		}
	}
}

func (l *layout) llc(e extent) {
	const snap = "\xaa\xaa\x03\x00\x00"
	if e.size() < 8 || string(l.b[e.from:e.from+5]) != snap || l.b[e.from+5]&7 != 0 || l.u16(e.from+6) < 0x600 {
		return
	}
	l.skip(&e, 8)
	l.etherType(l.u16(e.from-2), e)
}

// cooked has the address of a link in 8 bytes, in front of which stands how long it is.
func (l *layout) cooked(typ, size, at int, e extent) {
	if size == 6 {
		l.add(linkAddress, at, 6)
		l.clear(at+6, at+8)
	} else {
		l.clear(at, at+8)
	}
	l.end = max(l.end, e.from)
	if typ >= 0x600 || typ == 4 {
		l.etherType(typ, e)
	}
}

func (l *layout) ppp(e extent) {
	b := e.of(l.b)
	if len(b) >= 4 && (b[0] == 0x0f || b[0] == 0x8f) && b[1] == 0 { // Cisco HDLC
		l.skip(&e, 4)
		l.etherType(l.u16(e.from-2), e)
		return
	}
	if len(b) >= 2 && b[0] == 0xff && b[1] == 3 {
		l.skip(&e, 2)
	}
	if e.size() < 2 {
		return
	}
	proto := int(l.b[e.from])
	if l.skip(&e, 1); proto&1 == 0 {
		proto = l.u16(e.from - 1)
		l.skip(&e, 1)
	}
	switch proto {
	case 0x21, 0x57:
		l.ip(e)
	case 0x281:
		l.mpls(e)
	}
}

// wifi has up to four addresses after frame control and duration; control frames have fewer.
func (l *layout) wifi(e extent, padded bool) {
	if !l.skip(&e, 4) {
		return
	}
	control, flags := l.b[e.from-4], l.b[e.from-3]
	most := 3
	if control&0x0c == 4 {
		most = 2
	}
	for range most {
		if e.size() < 6 {
			return
		}
		l.add(linkAddress, e.from, 6)
		e.from += 6
	}
	if most < 3 || !l.skip(&e, 2) {
		return
	}
	n := 24
	if flags&3 == 3 && e.size() >= 6 {
		l.add(linkAddress, e.from, 6)
		e.from, n = e.from+6, 30
	}
	if control&0x0c != 8 || control&0x43 != 0 || flags&0x44 != 0 {
		return // no data, or a part, or ciphered
	}
	if control&0x80 != 0 { // quality of service
		size := 2
		if flags&0x80 != 0 {
			size = 6
		}
		n += size
		if !l.skip(&e, size) {
			return
		}
	}
	if !padded || l.skip(&e, -n&3) {
		l.llc(e)
	}
}

// radiotap tells by flags whether a check sequence stands after the frame, and padding in it.
func (l *layout) radiotap(e extent, whole bool) {
	if e.size() < 8 {
		return
	}
	n := int(binary.LittleEndian.Uint16(l.b[2:]))
	if n < 8 || !l.skip(&e, n) {
		return
	}
	at, flags := 8, byte(0)
	present := binary.LittleEndian.Uint32(l.b[4:])
	for more := present; more>>31 != 0 && at+4 <= n; at += 4 {
		more = binary.LittleEndian.Uint32(l.b[at:])
	}
	if present&1 != 0 { // a time, which is aligned
		at = (at+7)&^7 + 8
	}
	if present&2 != 0 && at < n {
		flags = l.b[at]
	}
	if flags&0x10 != 0 && whole && e.size() >= 4 {
		l.clear(e.to-4, e.to)
		e.to -= 4
	}
	l.wifi(e, flags&0x20 != 0)
}
