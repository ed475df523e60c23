package capture

import (
	"encoding/binary"
	"fmt"
)

// Magic numbers of pcap, as they read in the order of the file.
const (
	magicMicro     = 0xa1b2c3d4
	magicNano      = 0xa1b23c4d
	magicKuznetzov = 0xa1b2cd34 // Alexey Kuznetzov's patch: 8 more bytes a packet
)

const (
	pcapFileHeader   = 24
	pcapHeader       = 16
	kuznetzovHeader  = 24
	linkMask         = 0x03ffffff // above it: length of the frame check sequence
	sllOutgoing      = 4          // PACKET_OUTGOING of Linux
	kuznetzovPktType = 22         // byte of the packet type in the larger header
)

// A pcapReader reads the packets of a pcap file:
//
//	 0        4        8        12       16
//	+--------+--------+--------+--------+---------- - -
//	| sec    | µs, ns | caplen | len    | packet
//	+--------+--------+--------+--------+---------- - -
type pcapReader struct {
	w       *window
	order   binary.ByteOrder
	big     bool
	head    int   // bytes in front of each packet
	frac    int64 // nanoseconds a unit of the fraction
	swap    lengthOrder
	link    LinkType
	snaplen uint32
	packets uint64
}

// lengthOrder says which of the two lengths comes first: versions before 2.3 had
// the wire length there, and of 2.3 some did.
type lengthOrder uint8

const (
	capturedFirst lengthOrder = iota
	wireFirst
	shorterIsCaptured
)

// isPcap reports whether a file begins with a magic number of pcap.
func isPcap(b []byte) bool {
	return len(b) >= 4 && (pcapMagic(binary.LittleEndian.Uint32(b)) || pcapMagic(binary.BigEndian.Uint32(b)))
}

func pcapMagic(m uint32) bool { return m == magicMicro || m == magicNano || m == magicKuznetzov }

// newPcap reads the file header, whose magic number was seen:
//
//	magic, major and minor version (2 bytes each), zone, sigfigs, snaplen, link
//
// Zone and sigfigs are always 0, snaplen is not believed by anyone.
func newPcap(w *window) (*pcapReader, error) {
	if !w.need(pcapFileHeader) {
		return nil, w.stopped("the pcap header", pcapFileHeader)
	}
	h := w.bytes()
	p := &pcapReader{w: w, head: pcapHeader, frac: 1000, order: binary.LittleEndian}
	magic := binary.LittleEndian.Uint32(h)
	if !pcapMagic(magic) {
		p.order, p.big = binary.BigEndian, true
		magic = binary.BigEndian.Uint32(h)
	}
	switch magic {
	case magicNano:
		p.frac = 1
	case magicKuznetzov:
		p.head = kuznetzovHeader
	}
	major, minor := p.order.Uint16(h[4:]), p.order.Uint16(h[6:])
	switch {
	case major == 2 && minor < 3, major == 543:
		p.swap = wireFirst
	case major == 2 && minor == 3:
		p.swap = shorterIsCaptured
	case major < 2:
		return nil, &Damage{0, false, fmt.Sprintf("pcap version %d.%d is unknown", major, minor)}
	}
	p.snaplen = p.order.Uint32(h[16:])
	p.link = LinkType(p.order.Uint32(h[20:]) & linkMask)
	w.pos += pcapFileHeader
	return p, nil
}

// Next reads one packet.
func (p *pcapReader) Next(rec *Record) error {
	w := p.w
	if !w.need(p.head) {
		return w.stopped(fmt.Sprintf("the header of packet %d", p.packets+1), p.head)
	}
	h := w.buf[w.pos:w.end]
	var sec, frac, caplen, wire uint32
	if p.big {
		sec, frac = binary.BigEndian.Uint32(h), binary.BigEndian.Uint32(h[4:])
		caplen, wire = binary.BigEndian.Uint32(h[8:]), binary.BigEndian.Uint32(h[12:])
	} else {
		sec, frac = binary.LittleEndian.Uint32(h), binary.LittleEndian.Uint32(h[4:])
		caplen, wire = binary.LittleEndian.Uint32(h[8:]), binary.LittleEndian.Uint32(h[12:])
	}
	if p.swap != capturedFirst && (p.swap == wireFirst || caplen > wire) {
		caplen, wire = wire, caplen
	}
	if caplen > MaxPacket {
		return &Damage{w.offset(), false, fmt.Sprintf("packet %d claims %d captured bytes, more than %d", p.packets+1, caplen, MaxPacket)}
	}
	size := p.head + int(caplen)
	if len(h) < size {
		if !w.need(size) {
			return w.stopped(fmt.Sprintf("packet %d with its header", p.packets+1), size)
		}
		h = w.buf[w.pos:w.end]
	}
	rec.Data = h[p.head:size:size]
	rec.WireLen = int(wire)
	rec.Time = int64(sec)*1e9 + int64(frac)*p.frac
	rec.HasTime, rec.HasDrops, rec.Drops = true, false, 0
	rec.Link, rec.Interface = p.link, 0
	rec.Comments = rec.Comments[:0]
	rec.Outbound = p.head == kuznetzovHeader && h[kuznetzovPktType] == sllOutgoing
	rec.near = p.isNear(h[size:])
	w.pos += size
	p.packets++
	return nil
}

// isNear reports whether b begins with a whole packet. It may have one and not be told.
func (p *pcapReader) isNear(b []byte) bool {
	return !p.big && p.swap == capturedFirst && wholeRecord(b, p.head)
}

func (p *pcapReader) header() fileHeader { return fileHeader{p.link, p.snaplen, p.frac == 1} }

// rest is nothing: all that a pcap file holds are packets.
func (p *pcapReader) rest() *otherBlocks { return nil }

// dropped is never known: pcap has no place for it.
func (p *pcapReader) dropped() (uint64, bool) { return 0, false }

// listened is never known: pcap has no place for it.
func (p *pcapReader) listened() Span { return Span{} }
