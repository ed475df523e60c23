package capture

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

const udpHeader = 8

// loopbackMTU is what links that never leave a host carry.
const loopbackMTU = 1<<16 - 1

// udp reads source and destination port, length and checksum (2 bytes each). A
// length of 0 stands for all that IP carries, one below 8 is no datagram, one
// beyond what IP carries or the capture holds leaves the datagram cut.
func (d *Decoder) udp(h *ipHeader, b []byte) {
	if len(b) < udpHeader {
		return
	}
	n := int(binary.BigEndian.Uint16(b[4:]))
	if n == 0 {
		n = len(b)
	}
	if n < udpHeader {
		return
	}
	d.addresses(h, b)
	p := d.p
	p.Class, p.Kind = UDP, dissect.UDP
	p.Length = n - udpHeader
	p.BadChecksum, p.Sum, p.MTU = false, 0, d.mtu
	if n > dissect.LargestPacket-28 && (d.loop || isLoopback(h.src()) || isLoopback(h.dst())) {
		p.MTU = loopbackMTU
	}
	if n > len(b) {
		p.Payload = b[udpHeader:]
		return
	}
	p.Payload = b[udpHeader:n:n]
	// 0 means that there is no checksum. IPv6 allows that only in tunnels (RFC
	// 6935), but there too it is no wrong one.
	if b[6]|b[7] != 0 {
		p.BadChecksum = !h.rerouted && !d.checksumFits(h, b[:n])
	}
}

// addresses sets what Datagram says of the IP header and the ports.
func (d *Decoder) addresses(h *ipHeader, b []byte) {
	p := d.p
	setEndpoint(&p.Src, h.src(), b)
	setEndpoint(&p.Dst, h.dst(), b[2:])
	p.IPv6, p.IPID, p.TTL, p.Fragments = h.v6, h.id, h.ttl, h.fragments
}
