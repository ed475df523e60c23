package capture

import "github.com/dpdissect/dpdissect/dissect"

// fragment takes one IP fragment. Only those that may belong to a UDP datagram
// are kept; the one that completes it stands for the datagram.
// Fragments within a datagram that came in fragments are not put together.
func (d *Decoder) fragment(h *ipHeader, f piece) {
	p := d.p
	if d.inner {
		return
	}
	p.IsFragment = true
	if f.more {
		d.sawFragment(h, f)
	}
	key := fragKey{id: f.id, proto: f.proto, v6: h.v6}
	if h.v6 {
		key.proto = 0
		if f.proto != protoUDP && !isExtension(f.proto) {
			return
		}
	} else if f.proto != protoUDP {
		return
	}
	p.Class = Fragment
	copy(key.src[:], h.src())
	copy(key.dst[:], h.dst())
	a := d.frags.add(key, f, p.Time, p.HasTime)
	p.Assembly = d.frags.at.number
	if a == nil {
		return
	}
	p.Class = NotUDP
	d.inner = true
	h.fragments = len(a.have)
	if a.next == protoUDP {
		d.udp(h, a.buf[:a.size])
	} else if h.v6 {
		d.extensions(h, a.next, a.buf[:a.size], false)
	}
}

// sawFragment learns how much the link carries: a fragment that is not the last of its
// datagram is as long as it may be, in units of 8 bytes. What segmentation offload
// joins is never fragmented.
func (d *Decoder) sawFragment(h *ipHeader, f piece) {
	header := 20
	if h.v6 {
		header = 40 + 8
	}
	if n := header + len(f.data); n > dissect.LargestPacket {
		d.mtu = max(d.mtu, uint16(min(n+7, loopbackMTU)))
	}
}
