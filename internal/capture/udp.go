package capture

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

const udpHeader = 8

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
	p := d.p
	p.Class = UDP
	p.Kind = dissect.UDP
	d.addresses(h, b)
	p.Fragments = h.fragments
	p.Length = n - udpHeader
	if n > len(b) {
		p.Payload = b[udpHeader:]
		return
	}
	p.Payload = b[udpHeader:n:n]
	if h.v6 || b[6]|b[7] != 0 { // IPv4: 0 means that there is no checksum
		p.BadChecksum = !h.rerouted && !d.checksumFits(h, b[:n])
	}
}

// addresses sets what Datagram says of the IP header and the ports.
func (d *Decoder) addresses(h *ipHeader, b []byte) {
	p := d.p
	p.Src, p.Dst = endpoint(h.src, b), endpoint(h.dst, b[2:])
	p.IPv6, p.IPID, p.TTL = h.v6, h.id, h.ttl
}
