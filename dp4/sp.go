package dp4

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// Tokens of a service provider's header (MC-DPL4CS 2.2.6).
const (
	TokenRemote    = 0xFAB // from a player of the session
	TokenForwarded = 0xCAB // forwarded by the host
	TokenServer    = 0xBAB // from or for the session server
)

const (
	spSize   = 20 // bytes of a service provider's header
	SPFamily = 2  // AF_INET
)

// An SPHeader is what a service provider may put in front of the whole frame
// (MC-DPL4CS 2.2.6).
//
//	0               1               2               3
//	+---------------+---------------+---------------+---------------+
//	|        size (bits 0-19)               |   token (bits 20-31)  |
//	+---------------------------------------+-----------------------+
//	|            family             |     port, big-endian          |
//	+-------------------------------+-------------------------------+
//	|                         IPv4 address                          |
//	+---------------------------------------------------------------+
//	|                          zero (8)                             |
type SPHeader struct {
	Size    uint32 // of the datagram, 20 bits
	Token   uint16 // 12 bits
	Family  uint16
	Port    uint16
	Address [4]byte
	Zero    [8]byte
}

// HasSP reports whether a payload that had so many bytes begins with a service
// provider's header. Size, token and family together are 48 bits that player
// indexes do not have by chance.
func HasSP(b []byte, length int) bool {
	if len(b) < 4 || length < spSize {
		return false
	}
	v := binary.LittleEndian.Uint32(b)
	return isToken(v>>20) && v&0xfffff == uint32(length) && (len(b) < 6 || b[4] == SPFamily && b[5] == 0)
}

// announced is the length of a payload of which only the captured bytes are
// known: that of its service provider's header, when it begins with one and
// announces more. One to three bytes may be the beginning of anything.
func announced(b []byte) int {
	switch n := len(b); {
	case n >= 4:
		if size := int(binary.LittleEndian.Uint32(b) & 0xfffff); size > n && HasSP(b, size) {
			return size
		}
	case n == 3 && b[2]>>4 == 0xb, n == 1, n == 2:
		return spSize
	}
	return len(b)
}

func isToken(t uint32) bool { return t == TokenRemote || t == TokenForwarded || t == TokenServer }

func (s *SPHeader) decode(r *dissect.Reader, fields *[numSPFields]*dissect.Field) {
	*s = SPHeader{}
	off := r.Pos()
	v := r.U32(fields[spSizeToken])
	s.Size, s.Token = v&0xfffff, uint16(v>>20)
	if r.OK() {
		r.Tree().Add(fields[spSizeOnly], off, 0, uint64(s.Size))
		r.Tree().Add(fields[spTokenOnly], off, 0, uint64(s.Token))
	}
	s.Family = r.U16(fields[spFamilyRow])
	s.Port = r.B16(fields[spPort])
	copy(s.Address[:], r.Bytes(fields[spAddress], 4))
	copy(s.Zero[:], r.Bytes(fields[spZero], 8))
}

// Append appends the encoded header to b.
func (s *SPHeader) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, s.Size&0xfffff|uint32(s.Token)<<20)
	b = binary.LittleEndian.AppendUint16(b, s.Family)
	b = binary.BigEndian.AppendUint16(b, s.Port)
	b = append(b, s.Address[:]...)
	return append(b, s.Zero[:]...)
}
