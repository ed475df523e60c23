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

// A layout says where a packet has what is replaced. capture.Carried leads it to IP, as it leads the
// decoder; it knows ARP, neighbour discovery and quotations besides.
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

// maxDepth bounds how deep headers of IP nest.
const maxDepth = 32

func (l *layout) deeper() bool { l.depth++; return l.depth <= maxDepth }

// read lays out a packet.
func (l *layout) read(rec *capture.Record) {
	*l = layout{places: l.places[:0], sums: l.sums[:0], blank: l.blank[:0], nops: l.nops[:0], b: rec.Data}
	l.addresses(rec)
	typ, b := capture.Carried(rec)
	e := extent{from: cap(rec.Data) - cap(b)}
	e.to = e.from + len(b)
	l.clear(e.to, len(rec.Data)) // the check sequence of a frame
	l.end = max(l.end, e.from)
	switch typ {
	case 0x0800, 0x86dd:
		l.ip(e)
	case 0x0806, 0x8035:
		l.arp(e)
	}
}

// addresses notes those of the link.
func (l *layout) addresses(rec *capture.Record) {
	switch n := len(rec.Data); {
	case rec.Link == capture.LinkEthernet:
		for at := 0; at+6 <= min(n, 12); at += 6 {
			l.add(linkAddress, at, 6)
		}
	case rec.Link == capture.LinkSLL && n >= 16:
		l.cooked(l.u16(4), 6)
	case rec.Link == capture.LinkSLL2 && n >= 20:
		l.cooked(int(l.b[11]), 12)
	case rec.Link == capture.LinkIEEE80211, rec.Link == capture.LinkRadiotap:
		frame, _ := capture.WiFi(rec)
		from := cap(rec.Data) - cap(frame)
		l.wifi(extent{from, from + len(frame)})
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

// cooked has the address of a link in 8 bytes, of which so many count.
func (l *layout) cooked(size, at int) {
	if size == 6 {
		l.add(linkAddress, at, 6)
		l.clear(at+6, at+8)
	} else {
		l.clear(at, at+8)
	}
}

// wifi has up to four addresses after frame control and duration; control frames have fewer.
func (l *layout) wifi(e extent) {
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
	if most == 3 && l.skip(&e, 2) && flags&3 == 3 && e.size() >= 6 {
		l.add(linkAddress, e.from, 6)
	}
}
