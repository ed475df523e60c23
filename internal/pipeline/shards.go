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
	key, factor uint64 // the key, and what first halves of addresses are multiplied by
	keyed       bool
}

// of gives the shard of a datagram, and a place in it (session.Table.AddAt); both directions of a
// pair have the same ones.
func (s *spread) of(d *dissect.Datagram) (shard int, place uint8) {
	if !s.keyed {
		s.begin(d)
	}
	hi, lo := bits.Mul64(s.mixed(&d.Src), s.mixed(&d.Dst))
	h := hi ^ lo
	return int(h >> 60), uint8(h >> 32)
}

// begin makes the key.
func (s *spread) begin(d *dissect.Datagram) {
	s.key, s.keyed = keyOf(d), true
	s.factor = bits.Reverse64(s.key) | 1
}

// mixed makes a number of an endpoint. The first half of its address is 0 for IPv4.
func (s *spread) mixed(e *dissect.Endpoint) uint64 {
	return binary.LittleEndian.Uint64(e.IP[:8])*s.factor ^ binary.LittleEndian.Uint64(e.IP[8:]) ^ uint64(e.Port)<<16 ^ s.key
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
