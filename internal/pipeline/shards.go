package pipeline

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// Shards is into how many tables address pairs are spread. It is fixed, so that
// limits of a table hold for the same pairs with any number of workers.
const Shards = 16

// shardOf spreads address pairs; both directions of a pair fall together.
func shardOf(d *dissect.Datagram) int {
	h := binary.LittleEndian.Uint32(d.Src.IP[12:]) + binary.LittleEndian.Uint32(d.Dst.IP[12:])
	h += (uint32(d.Src.Port) + uint32(d.Dst.Port)) << 12
	return int(h * 0x9E3779B1 >> 28)
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
