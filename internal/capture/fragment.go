package capture

// fragment takes one IP fragment. Only those that may belong to a UDP datagram
// are kept; the one that completes it stands for the datagram.
// Fragments within a datagram that came in fragments are not put together.
func (d *Decoder) fragment(h *ipHeader, f piece) {
	p := d.p
	if d.inner {
		return
	}
	p.IsFragment = true
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
