package capture

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// A plainFile is the short way through a capture of one file: a pcap file of Ethernet, in
// the byte order of little-endian machines. It takes the packets that nearly all are, a UDP
// datagram with a right checksum, or none, in an IPv4 packet without options or fragments,
// of which nothing is missing. All others go the general way, which gives the same packets
// for these, too.
type plainFile struct {
	files *files
	in    *input
	file  *pcapReader
}

// Where things lie in a record of pcap with Ethernet, IPv4 without options and UDP.
const (
	plainIP   = pcapHeader + 14
	plainUDP  = plainIP + 20
	plainData = plainUDP + udpHeader
)

// plainOf gives the short way through an inlet, nil where there is none.
func plainOf(in inlet) *plainFile {
	f, ok := in.(*files)
	if !ok || !f.alone || len(f.heap) != 1 {
		return nil
	}
	rd, ok := f.inputs[0].reader.(*Reader)
	if !ok {
		return nil
	}
	p, ok := rd.packets.(*pcapReader)
	if !ok || p.big || p.swap != capturedFirst || p.head != pcapHeader || p.link != LinkEthernet {
		return nil
	}
	return &plainFile{f, f.inputs[0], p}
}

// A plainHead is a record of pcap with Ethernet, IPv4 without options and UDP, up to the
// payload.
type plainHead [plainData]byte

// read reads the next packet when it can take it, and changes nothing otherwise. A packet
// was given before.
func (f *plainFile) read(s *Source, p *Packet) bool {
	w := f.file.w
	b := w.buf[w.pos:w.end]
	if len(b) < plainData {
		return false
	}
	h := (*plainHead)(b)
	caplen := uint(binary.LittleEndian.Uint32(h[8:]))
	if caplen > uint(len(b)-pcapHeader) || caplen > MaxPacket || !h.fits(int(caplen)) {
		return false
	}
	n := plainUDP + h.udpLength()
	udp, fingerprint := b[plainUDP:n:n], uint64(0)
	if h[plainUDP+6]|h[plainUDP+7] != 0 {
		var ok bool
		if fingerprint, ok = plainSum(h[plainIP+12:plainIP+20], udp); !ok {
			return false
		}
	}
	f.take(h, b, pcapHeader+int(caplen))
	f.give(s, p, h, udp, fingerprint)
	return true
}

// udpLength is the length of the UDP header, in bytes.
func (h *plainHead) udpLength() int { return int(binary.BigEndian.Uint16(h[plainUDP+4:])) }

// fits reports whether a record of so many captured bytes holds IPv4 without options or
// fragments, and a whole UDP datagram that needs no jumbo frame.
func (h *plainHead) fits(caplen int) bool {
	total, n := int(binary.BigEndian.Uint16(h[plainIP+2:])), h.udpLength()
	return binary.BigEndian.Uint16(h[plainIP-2:]) == etherIPv4 && h[plainIP] == 0x45 && h[plainIP+9] == protoUDP &&
		binary.BigEndian.Uint16(h[plainIP+6:])&(ipv4More|ipv4Offset) == 0 &&
		total <= caplen-(plainIP-pcapHeader) && n >= udpHeader && n <= min(total-20, dissect.LargestPacket-28)
}

// plainSum gives the fingerprint of a datagram, and whether its checksum is right.
func plainSum(addrs, udp []byte) (print uint64, ok bool) {
	h := ipHeader{addrs: addrs}
	total := sum(addCarry(pseudoSum(&h), lengthSum(len(udp))), udp)
	return fingerprint(total, udp), fold(total) == 0xffff
}

// take does for a record what the general way does on the way to the head of the input,
// and counts it. What is alike in all records of the file was set by the first one. The
// window holds b, which begins with the record.
func (f *plainFile) take(h *plainHead, b []byte, size int) {
	in := f.in
	rec := &in.rec
	f.file.w.pos += size
	f.file.packets++
	rec.Data = b[pcapHeader:size:size]
	rec.WireLen = int(binary.LittleEndian.Uint32(h[12:]))
	rec.Time = int64(binary.LittleEndian.Uint32(h[:]))*1e9 + int64(binary.LittleEndian.Uint32(h[4:]))*f.file.frac
	rec.near = wholeRecord(b[size:], pcapHeader)
	in.key, in.last = rec.Time, rec.Time
	in.packets++
	in.bytes += uint64(size - pcapHeader)
	in.links.count[in.links.last]++
	f.files.frame++
}

// wholeRecord reports whether b begins with a whole record, whose header has so many bytes.
func wholeRecord(b []byte, head int) bool {
	return len(b) >= head && uint64(binary.LittleEndian.Uint32(b[8:])) <= uint64(len(b)-head)
}

// give fills the packet from its record, and counts it.
func (f *plainFile) give(s *Source, p *Packet, h *plainHead, udp []byte, fingerprint uint64) {
	rec := &f.in.rec
	p.Class, p.IsFragment, p.Assembly, p.Record = UDP, false, 0, rec
	p.Frame, p.File, p.Time, p.HasTime, p.Kind = f.files.frame, len(s.before)+f.in.index, rec.Time, true, dissect.UDP
	p.CapLen, p.WireLen, p.Dropped = len(rec.Data), rec.WireLen, s.dropped
	setEndpoint(&p.Src, h[plainIP+12:plainIP+16], h[plainUDP:plainUDP+2])
	setEndpoint(&p.Dst, h[plainIP+16:plainIP+20], h[plainUDP+2:plainUDP+4])
	p.IPv6, p.IPID, p.TTL, p.Fragments = false, binary.BigEndian.Uint16(h[plainIP+4:]), h[plainIP+8], 0
	p.Length, p.Payload = len(udp)-udpHeader, udp[udpHeader:]
	p.BadChecksum, p.Sum, p.MTU = false, fingerprint, s.dec.mtu
	s.near = rec.near
	s.totals.Packets++
	s.totals.UDPDatagrams++
}
