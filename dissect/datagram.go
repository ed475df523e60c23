package dissect

import "net/netip"

// An Endpoint is an IP address and a UDP port. IPv4 addresses are held in their
// IPv4-mapped form, so that the type is comparable, small and free of pointers.
type Endpoint struct {
	IP   [16]byte
	Port uint16
}

// MakeEndpoint converts from the standard library's type; a zone is dropped.
func MakeEndpoint(ap netip.AddrPort) Endpoint {
	return Endpoint{ap.Addr().As16(), ap.Port()}
}

// Addr is the IP address, unmapped.
func (e Endpoint) Addr() netip.Addr { return netip.AddrFrom16(e.IP).Unmap() }

// AppendTo appends "10.0.0.1:2302" or "[fe80::1]:2302".
func (e Endpoint) AppendTo(b []byte) []byte {
	if a := &e.IP; a[10] == 0xff && a[11] == 0xff && [10]byte(a[:10]) == ([10]byte{}) {
		for _, v := range a[12:] {
			b = append(AppendUint(b, uint64(v)), '.')
		}
		b[len(b)-1] = ':'
		return AppendUint(b, uint64(e.Port))
	}
	return netip.AddrPortFrom(e.Addr(), e.Port).AppendTo(b)
}

func (e Endpoint) String() string { return string(e.AppendTo(nil)) }

// DatagramKind tells a datagram from a notice about one.
type DatagramKind uint8

const (
	UDP         DatagramKind = iota // a UDP datagram
	Unreachable                     // ICMP or ICMPv6 destination unreachable that quotes a UDP datagram
)

// A Datagram is one UDP datagram as the capture shows it, reassembled when it
// came in IP fragments. For Unreachable, Src and Dst are those of the quoted
// datagram: Src is the host that is told, Dst the one that can't be reached.
type Datagram struct {
	Frame   uint64 // number of the packet in the capture, from 1, across files
	File    int    // index of the input file, from 0
	Time    int64  // nanoseconds since 1970 UTC; meaningless without HasTime
	HasTime bool
	Shift   int64 // ns that were added to what the capture gives for Time, whose clock was set back or whose packets overtook each other
	Kind    DatagramKind
	Src     Endpoint
	Dst     Endpoint
	Payload []byte // captured bytes of the UDP payload, valid during the call only
	Length  int    // bytes of the UDP payload by the UDP header

	IPID        uint16 // IPv4 identification; 0 on IPv6
	IPv6        bool
	TTL         uint8  // or hop limit
	Sum         uint64 // fingerprint from verifying the UDP checksum: equal for equal datagrams of one pair; 0 when none was verified
	BadChecksum bool   // UDP checksum is wrong and not plausibly left to hardware
	Part        uint8  // index among those its packet was taken apart into, which share Frame
	Parts       uint8  // how many that are: it stood for so many by segmentation offload; 0 for other packets
	MTU         uint16 // longest IP packet the link was seen to carry, when that is more than LargestPacket
	Fragments   int    // IP fragments it was put together from, 0 when it came whole
	Dropped     uint64 // packets the capture says it lost, up to this one
	CapLen      int    // captured bytes of the packet
	WireLen     int    // bytes of the packet on the wire
}

// Stamp is the time as the capture gives it, in nanoseconds since 1970 UTC.
func (d *Datagram) Stamp() int64 { return d.Time - d.Shift }

// LargestPacket is how many bytes of IP a link carries where nothing shows more:
// those of Ethernet.
const LargestPacket = 1500

// Carried is how many bytes of UDP payload fit a packet of the link, as far as is
// known of it.
func (d *Datagram) Carried() int {
	const headers = 28
	return max(LargestPacket, int(d.MTU)) - headers
}

// Oversize reports a datagram that is longer than its link carries and came in no
// fragments: one packet of the capture that stands for several on the wire
// (segmentation offload), or a link that carries more than was seen of it.
func (d *Datagram) Oversize() bool {
	return d.Length > LargestPacket-28 && d.Length > d.Carried() &&
		d.Parts == 0 && d.Fragments == 0 && d.Src.IP != d.Dst.IP
}

// Cut reports whether the capture holds less than the datagram had.
func (d *Datagram) Cut() bool { return len(d.Payload) < d.Length }
