//go:build linux && !libpcap

package capture

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Lengths of what is put in front of packets.
const (
	vlanTag  = 4
	headroom = sll2Header + vlanTag // the kernel leaves so much free in front of a packet

	etherHeader    = 14
	etherTypeAt    = 12
	leastEtherType = 0x600 // less is the length of an 802.3 packet
)

// record makes a Record of a packet in the ring; false for what is left out: what
// leaves the loopback interface, which comes back, what the filter rejects, and what
// comes in parts from now on.
func (r *ring) record(hdr *unix.Tpacket3Hdr, start uintptr, rec *Record) bool {
	from := (*unix.RawSockaddrLinklayer)(unsafe.Pointer(&r.mem[start+unix.SizeofTpacket3Hdr]))
	if from.Pkttype == unix.PACKET_OUTGOING && int(from.Ifindex) == r.loop {
		return false
	}
	at, n, wire := start+uintptr(hdr.Mac), uintptr(hdr.Snaplen), int(hdr.Len)
	tagged := hdr.Status&unix.TP_STATUS_VLAN_VALID != 0
	size, udp := r.segment(hdr, start) // what follows may write over where it is told
	first := at
	switch {
	case r.cook:
		link, more := r.cooked(at, hdr, from, tagged)
		if n < link {
			return false // not even its link layer was kept
		}
		at, n, wire = at+link-more, n-link+more, wire-int(link)+int(more)
	case tagged && r.desc.Link == LinkEthernet && n >= etherTypeAt:
		r.tag(at, hdr)
		at, n, wire = at-vlanTag, n+vlanTag, wire+vlanTag
	}
	rec.Data = r.mem[at : at+n : at+n]
	rec.WireLen, rec.Link = wire, r.desc.Link
	rec.Time, rec.HasTime = int64(hdr.Sec)*second+int64(hdr.Nsec), true
	rec.Outbound = from.Pkttype == unix.PACKET_OUTGOING
	if size > 0 {
		if udp > 0 {
			udp += int(first) - int(at) // the link layer may have grown
		}
		if r.apart.begin(rec, size, udp) {
			r.more += uint64(r.apart.count())
			r.tagged = tagged
			return false
		}
	}
	return r.keep(rec, tagged)
}

// keep ends a Record: false when the filter rejects it.
func (r *ring) keep(rec *Record, tagged bool) bool {
	if r.judge == judgeAll || r.judge == judgeTagged && tagged {
		if ok, err := r.filter.match(rec); !ok || err != nil {
			return false
		}
	}
	if len(rec.Data) > r.snaplen {
		rec.Data = rec.Data[:r.snaplen]
	}
	rec.Drops, rec.HasDrops = r.due, r.due > 0
	r.due = 0
	return true
}

// tag puts a VLAN tag, which the kernel keeps beside the packet, back after the
// addresses.
func (r *ring) tag(at uintptr, hdr *unix.Tpacket3Hdr) {
	copy(r.mem[at-vlanTag:], r.mem[at:at+etherTypeAt])
	putTag(r.mem[at-vlanTag+etherTypeAt:], hdr)
}

func putTag(b []byte, hdr *unix.Tpacket3Hdr) {
	tpid := uint16(unix.ETH_P_8021Q)
	if hdr.Status&unix.TP_STATUS_VLAN_TPID_VALID != 0 {
		tpid = hdr.Hv1.Vlan_tpid
	}
	binary.BigEndian.PutUint16(b, tpid)
	binary.BigEndian.PutUint16(b[2:], uint16(hdr.Hv1.Vlan_tci))
}

// cooked puts a header of LINKTYPE_LINUX_SLL2 in the place of a packet's link layer,
// and after it the VLAN tag, if there was one. It gives the lengths of what is
// replaced and of what replaces it. The type of an Ethernet packet is read from the
// packet: what the kernel says of tagged ones depends on its version.
func (r *ring) cooked(at uintptr, hdr *unix.Tpacket3Hdr, from *unix.RawSockaddrLinklayer, tagged bool) (link, more uintptr) {
	link = uintptr(hdr.Net) - uintptr(hdr.Mac)
	proto := bigEndian(from.Protocol)
	if from.Hatype == unix.ARPHRD_ETHER || from.Hatype == unix.ARPHRD_LOOPBACK {
		link = etherHeader
		if t := binary.BigEndian.Uint16(r.mem[at+etherTypeAt:]); t >= leastEtherType {
			proto = t
		}
	}
	head := r.mem[at+link-headroom : at+link]
	more = sll2Header
	if tagged {
		more += vlanTag
		putTag(head[headroom-vlanTag-2:], hdr)
		tpid := binary.BigEndian.Uint16(head[headroom-vlanTag-2:])
		binary.BigEndian.PutUint16(head[headroom-2:], proto)
		proto = tpid
	}
	b := head[headroom-more:]
	binary.BigEndian.PutUint16(b, proto)
	binary.BigEndian.PutUint16(b[2:], 0)
	binary.BigEndian.PutUint32(b[4:], uint32(from.Ifindex))
	binary.BigEndian.PutUint16(b[8:], from.Hatype)
	b[10] = from.Pkttype
	b[11] = from.Halen
	copy(b[12:20], from.Addr[:])
	return link, more
}

// bigEndian swaps the bytes of a number on machines that are little-endian.
func bigEndian(n uint16) uint16 {
	var b [2]byte
	binary.NativeEndian.PutUint16(b[:], n)
	return binary.BigEndian.Uint16(b[:])
}
