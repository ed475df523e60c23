package knet

import "github.com/dpdissect/dpdissect/dissect"

// IsConnect reports the default connect datagram of Reference: eight zero bytes,
// or what is left of them. No datagram of either dialect starts so, but one
// without messages.
func IsConnect(payload []byte) bool {
	if len(payload) == 0 || len(payload) > 8 {
		return false
	}
	for _, b := range payload {
		if b != 0 {
			return false
		}
	}
	return true
}

// Guess is the dialect of a datagram of unknown origin by its structure alone:
// the one that reads it to the end. Where both do, it is the one with the lower
// PacketID, and Reference when both are equal, unless the datagram holds a
// message of the page's handshake, which the library does not have. Where neither
// does, it is the one whose PacketID is nearer to where PacketIDs begin, or else
// the one that comes further; DialectUnknown when both see the same in it.
func Guess(payload []byte) Dialect {
	ref, spec := ShapeOf(payload, Reference), ShapeOf(payload, Spec)
	r, s := distance(ref.PacketID), distance(spec.PacketID)
	switch {
	case ref.OK && spec.OK:
		if spec.Handshake || spec.PacketID < ref.PacketID {
			return Spec
		}
		return Reference
	case ref.OK:
		return Reference
	case spec.OK, s < r:
		return Spec
	case r < s:
		return Reference
	case spec.end > ref.end:
		return Spec
	case spec.end < ref.end:
		return Reference
	}
	return DialectUnknown
}

// distance is how far a PacketID is from 0, around the wrap.
func distance(id uint32) uint32 { return min(id, -id&PacketIDMask) }

// decodeAny decodes a datagram of which nothing is known.
func (d *Datagram) decodeAny(payload []byte, tree *dissect.Tree) *dissect.Error {
	if IsConnect(payload) {
		return d.DecodeConnect(payload, tree)
	}
	return d.Decode(payload, Params{Dialect: Guess(payload)}, tree)
}

// recordAny is decodeAny for the tree alone.
func (d *Datagram) recordAny(payload []byte, tree *dissect.Tree) *dissect.Error {
	if IsConnect(payload) {
		return d.DecodeConnect(payload, tree)
	}
	return d.record(payload, Params{Dialect: Guess(payload)}, tree)
}
