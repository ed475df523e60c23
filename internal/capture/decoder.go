package capture

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// A Decoder takes packets apart. It remembers the fragments of datagrams that
// are not complete yet; one Decoder sees all packets of a capture in order. The
// zero value is ready.
type Decoder struct {
	p     *Packet `state:"-"` // being decoded
	local bool    // the capturing host sent it, or it never left that host
	loop  bool    // it never left that host
	mtu   uint16  // longest fragment of IP but the last of a datagram, when that is more than dissect.LargestPacket
	depth int     // headers nested so far
	inner bool    // within a reassembled datagram
	frags defrag
}

// maxDepth bounds how deep tunnels, tags and extension headers may nest.
const maxDepth = 32

// Decode fills p from rec. What p refers to is valid until the next call and as
// long as rec.Data is. Frame and File are left to the caller.
func (d *Decoder) Decode(rec *Record, p *Packet) {
	// Field by field: assigning a whole Packet takes longer than decoding it.
	p.Class, p.IsFragment, p.Assembly, p.Record, p.plain = NotUDP, false, 0, rec, false
	p.Time, p.HasTime = rec.Time, rec.HasTime
	p.CapLen, p.WireLen = len(rec.Data), rec.WireLen
	d.p, d.local, d.loop, d.depth, d.inner = p, rec.Outbound, false, 0, false
	d.link(rec)
	if p.Class == NotUDP || p.Class == Fragment {
		p.noDatagram()
	}
}

// noDatagram clears what is left of an earlier packet.
func (p *Packet) noDatagram() {
	p.Datagram = dissect.Datagram{
		Frame: p.Frame, File: p.File, Time: p.Time, HasTime: p.HasTime, CapLen: p.CapLen, WireLen: p.WireLen,
	}
}

// link begins with the link layer.
func (d *Decoder) link(rec *Record) {
	switch rec.Link {
	case LinkEthernet:
		d.ethernet(rec.Data)
		return
	case LinkRaw, LinkRaw12, LinkRaw14, LinkIPv4, LinkIPv6:
		d.carried(versionOf(rec.Data), rec.Data)
		return
	}
	local, loop := hostOf(rec)
	d.local, d.loop = d.local || local, loop
	if b := rec.Data; rec.Link == LinkSLL2 && len(b) >= sll2Header && binary.BigEndian.Uint16(b) == etherIPv4 {
		d.ipv4(b[sll2Header:]) // of all interfaces of Linux, live: the usual packet takes the shortest way
		return
	}
	d.carried(Carried(rec))
}

// ipHeader is what the layers above IP need of it.
type ipHeader struct {
	addrs     []byte // source and destination, of 4 or 16 bytes each
	id        uint16
	ttl       uint8
	v6        bool
	rerouted  bool // a routing header: the destination is not the address the checksum covers
	fragments int
}

func (h *ipHeader) src() []byte { return h.addrs[:len(h.addrs)/2] }
func (h *ipHeader) dst() []byte { return h.addrs[len(h.addrs)/2:] }

// setEndpoint makes an Endpoint of an address and a big-endian port.
func setEndpoint(e *dissect.Endpoint, addr, port []byte) {
	e.Port = binary.BigEndian.Uint16(port)
	if len(addr) == 4 {
		const mapped = 0xffff_0000 // bytes 10 and 11 of the address
		binary.LittleEndian.PutUint64(e.IP[:8], 0)
		binary.LittleEndian.PutUint64(e.IP[8:], mapped|uint64(binary.LittleEndian.Uint32(addr))<<32)
		return
	}
	copy(e.IP[:], addr)
}

// deeper counts one more nested header and reports whether it is allowed.
func (d *Decoder) deeper() bool {
	d.depth++
	return d.depth <= maxDepth
}
