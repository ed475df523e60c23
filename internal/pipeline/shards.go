package pipeline

import (
	"encoding/binary"
	"hash/fnv"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// Shards is the number of tables that address pairs are spread over. It is fixed, so that
// limits of a table hold for the same pairs with any number of workers.
const Shards = 16

// A spread assigns address pairs to shards. Its key is made of the first datagram of the
// run with its time, so a sender cannot choose a shard to fill, as the hash of a fixed key
// would allow, and the same input still has the same shards in every run.
type spread struct {
	key, turned uint64 // the key, and its bits from the last to the first
	keyed       bool
}

// shardOf gives the shard of a datagram; both directions of a pair have the same one.
func (s *spread) shardOf(d *dissect.Datagram) int {
	if !s.keyed {
		s.key, s.keyed = keyOf(d), true
		s.turned = bits.Reverse64(s.key)
	}
	return int(fold(s.hash(&d.Src)+s.hash(&d.Dst), s.key) >> 60)
}

func (s *spread) hash(e *dissect.Endpoint) uint64 {
	return fold(binary.LittleEndian.Uint64(e.IP[:8])^s.key, binary.LittleEndian.Uint64(e.IP[8:])^uint64(e.Port)<<16^s.turned)
}

// oddKey has half of its bits set, and no pattern: the golden ratio.
const oddKey = 0x9E3779B97F4A7C15

// fold multiplies two numbers and mixes both halves of the product.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^oddKey, b|1)
	return hi ^ lo
}

// keyOf makes a key of a datagram.
func keyOf(d *dissect.Datagram) uint64 {
	h := fnv.New64a()
	var b [8 + 2*18]byte
	binary.LittleEndian.PutUint64(b[:], uint64(d.Stamp()))
	for i, e := range []*dissect.Endpoint{&d.Src, &d.Dst} {
		copy(b[8+18*i:], e.IP[:])
		binary.LittleEndian.PutUint16(b[8+18*i+16:], e.Port)
	}
	_, _ = h.Write(b[:])
	_, _ = h.Write(d.Payload)
	return h.Sum64() | 1
}

// tables are the shards of one run.
type tables [Shards]*session.Table

func newTables(cfg session.Config, sink func(shard int) session.Sink) *tables {
	var t tables
	for i := range t {
		c := cfg
		if sink != nil {
			c.Sink = sink(i)
		}
		t[i] = session.NewTable(c)
	}
	return &t
}

// close settles all shards. end is the time of the last packet.
func (t *tables) close(end int64) {
	for _, s := range t {
		s.Close(end)
	}
}
