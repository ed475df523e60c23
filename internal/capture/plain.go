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

// read reads packets into ps, as many as it can take of those in memory, and changes nothing
// but that. A packet was given before.
func (f *plainFile) read(s *Source, ps []Packet) (n int) {
	w := f.file.w
	start := w.buf[w.pos:w.end]
	b, last := start, start
	for ; n < len(ps) && len(b) >= plainData; n++ {
		h := (*plainHead)(b)
		size := pcapHeader + uint(binary.LittleEndian.Uint32(h[8:]))
		if size >= uint(len(b)) || size > pcapHeader+MaxPacket {
			break // the last one in memory is left, too: to go past it would cost a test for each
		}
		end := h.end(size)
		if end == 0 {
			break
		}
		print, udp := uint64(0), b[plainUDP:end:end]
		if h[plainUDP+6]|h[plainUDP+7] != 0 {
			total := sum(h.pseudoSum(len(udp)), udp)
			if !isWhole(total) {
				break
			}
			print = fingerprint(total, udp)
		}
		p := &ps[n]
		if !p.plain || p.Record != &f.in.rec { // it may be left from the file before
			f.alike(p, s)
		}
		p.Frame = f.files.frame + uint64(n) + 1
		p.Time = h.time(f.file.frac)
		p.CapLen, p.WireLen = int(size-pcapHeader), int(binary.LittleEndian.Uint32(h[12:]))
		setEndpoint(&p.Src, h[plainIP+12:plainIP+16], h[plainUDP:plainUDP+2])
		setEndpoint(&p.Dst, h[plainIP+16:plainIP+20], h[plainUDP+2:plainUDP+4])
		p.IPID, p.TTL = binary.BigEndian.Uint16(h[plainIP+4:]), h[plainIP+8]
		p.Length, p.Payload = len(udp)-udpHeader, udp[udpHeader:]
		p.Sum, p.MTU, p.Dropped = print, s.dec.mtu, s.dropped
		b, last = b[size:], b
	}
	if n > 0 {
		f.take(s, n, len(start)-len(b), last, b)
	}
	return n
}

// end gives where the datagram of a record ends that has so many bytes: 0 where it is not IPv4
// without options or fragments, and in it a whole UDP datagram that needs no jumbo frame.
func (h *plainHead) end(size uint) uint {
	const (
		head = etherIPv4>>8 | 0x45<<16 // EtherType, version and length of the header, in little-endian order
		rest = (ipv4More|ipv4Offset)<<16 | 0xff
	)
	ip := binary.BigEndian.Uint64(h[plainIP+2:]) // total length, identification, fragment field, TTL, protocol
	total, udp := uint(ip>>48), uint(binary.BigEndian.Uint16(h[plainUDP+4:]))
	if binary.LittleEndian.Uint32(h[plainIP-2:])&0xffffff != head || ip&rest != protoUDP || plainIP+total > size ||
		udp < udpHeader || udp+plainUDP-plainIP > min(total, dissect.LargestPacket-8) {
		return 0
	}
	return plainUDP + udp
}

// pseudoSum adds up the pseudo-header of a UDP datagram.
func (h *plainHead) pseudoSum(length int) uint64 {
	return addCarry(binary.LittleEndian.Uint64(h[plainIP+12:]), pseudoProto+lengthSum(length))
}

// time is the time of the record; frac is how many ns the unit of its second number has.
func (h *plainHead) time(frac int64) int64 {
	return int64(binary.LittleEndian.Uint32(h[:]))*1e9 + int64(binary.LittleEndian.Uint32(h[4:]))*frac
}

// alike sets what is alike in all packets of the short way, and stays in one that it fills again.
//
//go:noinline
func (f *plainFile) alike(p *Packet, s *Source) {
	p.plain = true
	p.Class, p.IsFragment, p.Assembly, p.Record = UDP, false, 0, &f.in.rec
	p.File, p.HasTime, p.Kind = len(s.before)+f.in.index, true, dissect.UDP
	p.IPv6, p.Fragments, p.BadChecksum = false, 0, false
}

// take counts n packets, of size bytes with their headers, and does for them what the general way
// does on the way to the head of the input. What is alike in all records of the file was set by the
// first one. last begins with the last of them and next with what follows it.
func (f *plainFile) take(s *Source, n, size int, last, next []byte) {
	in, h := f.in, (*plainHead)(last)
	rec := &in.rec
	f.file.w.pos += size
	f.file.packets += uint64(n)
	end := len(last) - len(next)
	rec.Data = last[pcapHeader:end:end]
	rec.WireLen = int(binary.LittleEndian.Uint32(h[12:]))
	rec.Time = h.time(f.file.frac)
	rec.near = wholeRecord(next, pcapHeader)
	in.key, in.last = rec.Time, rec.Time
	in.packets += uint64(n)
	in.bytes += uint64(size - n*pcapHeader)
	in.links.count[in.links.last] += uint64(n)
	f.files.frame += uint64(n)
	s.near = rec.near
	s.totals.Packets += uint64(n)
	s.totals.UDPDatagrams += uint64(n)
}

// wholeRecord reports whether b begins with a whole record, whose header has so many bytes.
func wholeRecord(b []byte, head int) bool {
	return len(b) >= head && uint64(binary.LittleEndian.Uint32(b[8:])) <= uint64(len(b)-head)
}
