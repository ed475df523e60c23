package session

import "github.com/dpdissect/dpdissect/dissect"

// A held is a datagram that waits for its pair to be recognised, without what the pair
// tells: thousands wait.
type held struct {
	frame, sum, dropped uint64
	time, shift         int64
	payload             []byte

	// None has more than 32 bits: bytes of a packet, files, fragments.
	file, length, fragments, capLen, wireLen uint32

	ipid, mtu        uint16
	kind             dissect.DatagramKind
	ttl, part, parts uint8

	hasTime, ipv6, badChecksum bool
	up                         bool // from the upper endpoint
}

// bytes is what it counts as, see HoldBytes.
func (h *held) bytes() int { return len(h.payload) + heldCost }

// side is the one that sent it.
func (h *held) side() dissect.Dir {
	if h.up {
		return 1
	}
	return 0
}

// heldOf gives a datagram with a copy of its payload.
func (f *Flow) heldOf(d *dissect.Datagram) held {
	return held{
		frame: d.Frame, sum: d.Sum, dropped: d.Dropped, time: d.Time, shift: d.Shift, payload: append([]byte(nil), d.Payload...),
		file: uint32(d.File), length: uint32(d.Length), fragments: uint32(d.Fragments), capLen: uint32(d.CapLen), wireLen: uint32(d.WireLen),
		ipid: d.IPID, mtu: d.MTU, kind: d.Kind, ttl: d.TTL, part: d.Part, parts: d.Parts,
		hasTime: d.HasTime, ipv6: d.IPv6, badChecksum: d.BadChecksum, up: f.half(d) == 1,
	}
}

// restore gives the datagram again.
func (f *Flow) restore(d *dissect.Datagram, h *held) *dissect.Datagram {
	*d = dissect.Datagram{
		Frame: h.frame, Sum: h.sum, Dropped: h.dropped, Time: h.time, Shift: h.shift, Payload: h.payload,
		File: int(h.file), Length: int(h.length), Fragments: int(h.fragments), CapLen: int(h.capLen), WireLen: int(h.wireLen),
		IPID: h.ipid, MTU: h.mtu, Kind: h.kind, TTL: h.ttl, Part: h.part, Parts: h.parts,
		HasTime: h.hasTime, IPv6: h.ipv6, BadChecksum: h.badChecksum, Src: f.key.lo, Dst: f.key.hi,
	}
	if h.up {
		d.Src, d.Dst = d.Dst, d.Src
	}
	return d
}
