package redact

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
)

// A piece is a part of a datagram that is replaced.
type piece struct {
	extent
	class dissect.Privacy
	whole bool   // it holds no messages, and must not seem to
	mask  extent // bytes that the value is combined with by exclusive-or, empty for none
}

// pieces are the parts of a datagram that are replaced, in order: what its fields say, but for
// the structure within contents.
func pieces(dst []piece, fr *dissect.Frame) []piece {
	t := fr.Tree
	if t == nil {
		return dst
	}
	kept := structure(fr)
	var source, message extent
	for i := range t.Nodes {
		n := &t.Nodes[i]
		e := extent{n.Off, n.Off + n.Len}
		switch n.Field.Name {
		case "dplnat.source_id":
			source = e
		case "dplnat.message_id":
			message = e
		}
		if n.Len == 0 || n.Field.Privacy == dissect.Keep || n.Field.Kind == dissect.Group || n.Field.Kind == dissect.Array {
			continue
		}
		p := piece{extent: e, class: n.Field.Privacy, whole: n.Field.Name == "hazel.messages.data"}
		switch n.Field.Name {
		case "dplnat.masked_address":
			p.mask = source
		case "dplnat.masked_port":
			p.mask = message
		}
		dst = without(dst, p, kept)
	}
	return dst
}

// without appends a piece without what is kept of it.
func without(dst []piece, p piece, kept []extent) []piece {
	for _, k := range kept {
		if k.from < p.to && k.to > p.from {
			if k.from > p.from {
				front := p
				front.to = k.from
				dst = append(dst, front)
			}
			p.from = min(k.to, p.to)
		}
	}
	if p.size() > 0 {
		dst = append(dst, p)
	}
	return dst
}

// structure is what contents have of headers of messages, in order: what fields say of them
// that own no bytes.
func structure(fr *dissect.Frame) (kept []extent) {
	t := fr.Tree
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Len > 0 || n.Field.Privacy != dissect.Keep {
			continue
		}
		size := 0
		switch n.Field.Name {
		case "dp8.core_message":
			size = 4
		case "dp4.core_message":
			size = 8 // with signature and version
		case "hazel.messages.messages.net_id", "hazel.messages.messages.spawn_id", "hazel.messages.messages.client_id":
			size = varint(t.Data[n.Off:])
		case "hazel.messages.messages.call_id":
			size = 1
		case "hazel.reason": // with the headers before it, and the length of its text
			kept = append(kept, extent{1, n.Off + 1 + varint(t.Data[min(n.Off+1, len(t.Data)):])})
			continue
		}
		if size > 0 {
			kept = append(kept, extent{n.Off, min(n.Off+size, len(t.Data))})
		}
	}
	if e := fr.Err; e != nil && e.Field != nil && e.Field.Privacy == dissect.Keep { // what is wrong stays wrong
		size := e.Field.Size
		switch {
		case e.Field.Name == "dp8.command":
			size = 8 // rules look at the head that a command frame would have
		case size == 0:
			size = maxVarint
		}
		from := e.Offset
		if n := t.Find(&dissect.Undecoded); n != nil {
			from = min(from, n.Off) // where the field begins
		}
		kept = append(kept, extent{from, min(e.Offset+size, len(t.Data))})
	}
	if fr.Type == "HELLO" {
		if n := t.Find(hazelData); n != nil {
			if _, ok := hazel.GameVersion(t.Bytes(n)); ok {
				kept = append(kept, extent{n.Off, n.Off + 4})
			}
		}
	}
	return kept
}

// hazelData is the content of a message.
var hazelData = fieldNamed(hazel.Hazel, "hazel.data")

func fieldNamed(p *dissect.Protocol, name string) *dissect.Field {
	for _, f := range p.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// maxVarint bounds the bytes of a number with 7 bits in each.
const maxVarint = 5

// varint is their number.
func varint(b []byte) (n int) {
	for n < len(b) && n < maxVarint {
		if n++; b[n-1] < 0x80 {
			break
		}
	}
	return n
}

// A Replacer replaces values, the same by the same.
type Replacer struct {
	Key       *Key
	Addresses *Addresses
	Originals *Originals
}

// replace replaces the pieces of a datagram. Signatures become such as are right for nothing.
func (r *Replacer) replace(b []byte, all []piece) {
	for _, p := range all {
		v := p.of(b)
		switch p.class {
		case dissect.Address, dissect.Port:
			unmasked(b, p, func(kind placeKind, v []byte) { r.Addresses.replace(kind, v) })
		case dissect.Secret, dissect.Signature:
			if len(v) == 8 {
				s := r.Key.secret([8]byte(v))
				copy(v, s[:])
				break
			}
			r.Key.replace(v, false, r.Originals)
		default:
			for turn := 0; turn == 0 || turn < mostTurns && p.whole && seemsGame(v); turn++ {
				r.Key.replace(v, p.class == dissect.Name, r.Originals)
			}
		}
	}
}

// seemsGame reports whether data of a game may be read as messages after an id, and perhaps a
// target.
func seemsGame(v []byte) bool {
	for head := 4; head <= 4+maxVarint && head < len(v); head++ {
		if hazel.Tiled(v[head:]) {
			return true
		}
	}
	return false
}

// unmasked shows an address or a port of a datagram as it is without its mask.
func unmasked(b []byte, p piece, show func(kind placeKind, v []byte)) {
	v, mask := p.of(b), p.mask.of(b)
	xor := func() {
		for i := range min(len(v), len(mask)) {
			v[i] ^= mask[i]
		}
	}
	xor()
	defer xor()
	switch {
	case p.class == dissect.Port && len(v) == 2:
		show(udpPort, v)
	case p.class == dissect.Address && len(v) == 4:
		show(ipAddress, v)
	}
}
