package tracegen

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// A foreignKind fills the payload of the nth datagram of a pair, which both sides send in
// turn.
type foreignKind struct {
	size func(rnd *rand.Rand) int
	head func(b []byte, pair, n int)
}

var foreignKinds = map[string]foreignKind{
	"rtp": {
		size: func(*rand.Rand) int { return 12 + 160 },
		head: func(b []byte, pair, n int) {
			b[0], b[1] = 0x80, 0
			binary.BigEndian.PutUint16(b[2:], uint16(n/2))
			binary.BigEndian.PutUint32(b[4:], uint32(n/2*160))
			binary.BigEndian.PutUint32(b[8:], uint32(pair*2+n%2+1)*0x9e3779b1)
		},
	},
	"quic": {
		size: func(rnd *rand.Rand) int { return 40 + rnd.IntN(1200) },
		head: func(b []byte, pair, n int) {
			b[0] = 0x40 | b[0]&0x3f
			binary.BigEndian.PutUint64(b[1:], uint64(pair*2+n%2+1)*0x9e3779b97f4a7c15)
		},
	},
}

// foreignPairs is the number of address pairs that Foreign writes of.
const foreignPairs = 10

// Foreign writes a capture of n packets of a protocol that is none of ours: "rtp", voice
// in both directions, or "quic", packets with short headers.
func Foreign(w io.Writer, n int, seed uint64, kind string) error {
	k, ok := foreignKinds[kind]
	if !ok {
		return fmt.Errorf("unknown kind %q: want rtp or quic", kind)
	}
	out, err := newMany(w)
	if err != nil {
		return err
	}
	rnd := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		pair, of := i%foreignPairs, i/foreignPairs
		p := packetOf(k.size(rnd))
		payload := p[headers:]
		for at := 0; at < len(payload); at += 8 {
			var word [8]byte
			binary.LittleEndian.PutUint64(word[:], rnd.Uint64())
			copy(payload[at:], word[:])
		}
		k.head(payload, pair, of)
		address(p, pair, of%2 == 1)
		binary.BigEndian.PutUint16(p[ipAt+4:], uint16(of))
		if err := out.Write(&capture.Record{Data: p, WireLen: len(p), Time: epoch + int64(i)*1e6, HasTime: true}); err != nil {
			return err
		}
	}
	return out.Flush()
}

// packetOf makes an Ethernet frame with a UDP datagram of some size, without checksum, as
// the address of its ends are not known yet.
func packetOf(size int) []byte {
	p := make([]byte, headers+size)
	p[12] = 8 // IPv4
	ip := p[ipAt:]
	ip[0], ip[8], ip[9] = 0x45, 64, 17
	binary.BigEndian.PutUint16(ip[2:], uint16(len(ip)))
	binary.BigEndian.PutUint16(ip[24:], uint16(len(ip)-20))
	return p
}
