package track

import "github.com/dpdissect/dpdissect/knet"

// follows implements session.Protocol.Follows: in one of the dialects, the PacketID
// of the second datagram is the next one. A datagram has a message of three bytes
// at least.
func follows(datagram, next []byte) bool {
	const least = 3 + 3
	if len(datagram) < least || len(next) < least {
		return false
	}
	for _, dialect := range [...]knet.Dialect{knet.Reference, knet.Spec} {
		id, _ := knet.PacketID(datagram, dialect)
		if following, _ := knet.PacketID(next, dialect); following == (id+1)&knet.PacketIDMask {
			return true
		}
	}
	return false
}
