package capture

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// A Decoder takes packets apart. It remembers the fragments of datagrams that
// are not complete yet; one Decoder sees all packets of a capture in order. The
// zero value is ready.
type Decoder struct {
	p     *Packet // being decoded
	local bool    // the capturing host sent it, or it never left that host
	depth int     // headers nested so far
	inner bool    // within a reassembled datagram
	frags defrag
}

// maxDepth bounds how deep tunnels, tags and extension headers may nest.
const maxDepth = 32

// Decode fills p from rec. What p refers to is valid until the next call and as
// long as rec.Data is. Frame and File are left to the caller.
func (d *Decoder) Decode(rec *Record, p *Packet) {
	*p = Packet{Record: rec}
	p.Time, p.HasTime = rec.Time, rec.HasTime
	p.CapLen, p.WireLen = len(rec.Data), rec.WireLen
	d.p, d.local, d.depth, d.inner = p, rec.Outbound, 0, false
	switch b := rec.Data; rec.Link {
	case LinkEthernet:
		d.ethernet(b)
	case LinkRaw, LinkRaw12, LinkRaw14, LinkIPv4, LinkIPv6:
		d.ip(b)
	case LinkSLL:
		d.sll(b)
	case LinkSLL2:
		d.sll2(b)
	case LinkNull, LinkLoop:
		d.null(b)
	case LinkPPP, LinkPPPHDLC:
		d.ppp(b)
	case LinkPPPDir:
		d.pppDir(b)
	case LinkIEEE80211:
		d.wifi(b, false)
	case LinkRadiotap:
		d.radiotap(b, rec.WireLen <= len(b))
	}
}

// ipHeader is what the layers above IP need of it.
type ipHeader struct {
	src, dst  []byte // 4 or 16 bytes
	v6        bool
	rerouted  bool // a routing header: dst is not the address the checksum covers
	ttl       uint8
	id        uint16
	fragments int
}

// endpoint makes an Endpoint of an address and a big-endian port.
func endpoint(addr, port []byte) dissect.Endpoint {
	e := dissect.Endpoint{Port: binary.BigEndian.Uint16(port)}
	if len(addr) == 4 {
		e.IP[10], e.IP[11] = 0xff, 0xff
		copy(e.IP[12:], addr)
	} else {
		copy(e.IP[:], addr)
	}
	return e
}

// deeper counts one more nested header and reports whether it is allowed.
func (d *Decoder) deeper() bool {
	d.depth++
	return d.depth <= maxDepth
}
