package session

import "github.com/dpdissect/dpdissect/dissect"

// Segmentation offload: a system hands several datagrams of equal length to its
// network card, or takes them from it, as one; a capture on that host shows one
// packet. Which frame follows which is the protocol's knowledge
// (Protocol.Follows); how a datagram may fall into parts is known here.

// maxParts is into how many parts a datagram is taken apart at most. Linux makes
// 128 of one.
const maxParts = 255

// leastPart is shorter than the parts of any protocol, in bytes.
const leastPart = 3

// mostTries is how many lengths of parts, of those at which the numbers of frames
// follow each other, are looked at further.
const mostTries = 2

// An offload is what is known of the datagrams of both sides of an address pair
// that may have been several.
type offload struct {
	longest [2]uint16 // datagram that is one frame
	size    [2]uint16 // of the parts of the latest that was not, 0 when there was none
}

// suspect reports whether a datagram is to be looked at: it is longer than all of
// its side before it, or its side's datagrams were several before.
func (o *offload) suspect(d *dissect.Datagram, side dissect.Dir) bool {
	return (d.Length > int(o.longest[side]) || o.size[side] != 0) &&
		d.Length >= 2*leastPart && d.Fragments == 0 && d.Kind == dissect.UDP && !d.Cut()
}

// note remembers what became of a suspect; size is that of its parts, 0 for none.
func (o *offload) note(d *dissect.Datagram, side dissect.Dir, size int) {
	if size > 0 {
		o.size[side] = uint16(size)
	} else {
		o.longest[side] = max(o.longest[side], uint16(min(d.Length, 1<<16-1)))
	}
}

// partSize gives the length of the parts of a datagram that is several frames of a
// protocol with consecutive numbers, all of one length but the last, which may be
// shorter; 0 when it is not. likely is a length to be tried first.
func (p *Protocol) partSize(d *dissect.Datagram, likely int) int {
	if p.Follows == nil {
		return 0
	}
	b, tries := d.Payload, mostTries
	if likely != 0 && likely < len(b) && likely <= d.Carried() && p.fallsApart(b, likely, &tries) {
		return likely
	}
	least, most := max(leastPart, (len(b)+maxParts-1)/maxParts), min((len(b)-1)/2, d.Carried())
	for size := least; size <= most && tries > 0; size++ {
		if p.fallsApart(b, size, &tries) {
			return size
		}
	}
	// Two parts are little evidence: they must be halves, of what is too long for one
	// where nothing else tells of offload.
	if half := len(b) / 2; len(b)%2 == 0 && half <= d.Carried() && (likely != 0 || len(b) > dissect.LargestPacket-28) && p.fallsApart(b, half, &tries) {
		return half
	}
	return 0
}

// fallsApart reports whether parts of a length are whole frames that follow each
// other.
func (p *Protocol) fallsApart(b []byte, size int, tries *int) bool {
	for at := size; at < len(b); at += size {
		if !p.Follows(b[at-size:at], b[at:min(at+size, len(b))]) {
			return false
		}
	}
	*tries--
	var tree dissect.Tree
	for at := 0; at < len(b); at += size {
		tree.Reset(b[at:min(at+size, len(b))])
		if _, err := p.Decode(&tree); err != nil {
			return false
		}
	}
	return true
}

// parts calls f with each datagram that d stands for, in order. What it gives is
// valid during the call only.
func parts(d *dissect.Datagram, size int, f func(part *dissect.Datagram)) {
	part := *d
	part.Parts = uint8((len(d.Payload) + size - 1) / size)
	part.Sum, part.BadChecksum = 0, false // that of d says nothing of its parts
	for at := 0; at < len(d.Payload); at += size {
		end := min(at+size, len(d.Payload))
		part.Payload = d.Payload[at:end:end]
		part.Length = end - at
		f(&part)
		part.Part++
		if d.IPID != 0 { // 0 is none
			part.IPID++
		}
	}
}
