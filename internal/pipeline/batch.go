package pipeline

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
)

// batchPackets and batchBytes bound what is handed to the workers at a time. The first batch has
// firstPackets, and each twice those of the one before: what looks like no protocol is soon kept.
const (
	firstPackets = 64
	batchPackets = 1024
	batchBytes   = 512 << 10
)

// A batch is a run of packets, of which those to be tracked are copied out of the reader's
// buffer.
type batch struct {
	packets   int    // all of them
	most      int    // how many there may be
	last      uint64 // number of the latest
	datagrams []dissect.Datagram
	places    []uint8          // of the datagrams, see spread.of
	of        [Shards][]uint16 // which datagrams are of each shard
	bytes     []byte
	tasks     int // shards that are not tracked yet
}

// newBatch makes room for a whole batch at once: what is not filled takes no memory.
func newBatch() *batch {
	return &batch{
		datagrams: make([]dissect.Datagram, 0, batchPackets),
		places:    make([]uint8, 0, batchPackets),
		bytes:     make([]byte, 0, batchBytes+1<<16), // the last datagram may begin at its very end
	}
}

func (b *batch) reset() {
	b.packets, b.datagrams, b.places, b.bytes = 0, b.datagrams[:0], b.places[:0], b.bytes[:0]
	for i := range b.of {
		b.of[i] = b.of[i][:0]
	}
}

// full reports whether the next packet might not fit.
func (b *batch) full() bool {
	return b.packets >= b.most || len(b.bytes) >= batchBytes
}

// see counts a packet.
func (b *batch) see(p *capture.Packet) {
	b.packets++
	b.last = p.Frame
}

// add copies a packet of a shard. Payloads are cut out of b.bytes once it no longer grows.
func (b *batch) add(p *capture.Packet, shard int, place uint8) {
	b.of[shard] = append(b.of[shard], uint16(len(b.datagrams)))
	b.bytes = append(b.bytes, p.Payload...)
	b.datagrams, b.places = append(b.datagrams, p.Datagram), append(b.places, place)
}

// seal points the payloads into the batch.
func (b *batch) seal() {
	off := 0
	for i := range b.datagrams {
		d := &b.datagrams[i]
		n := len(d.Payload)
		d.Payload = b.bytes[off : off+n : off+n]
		off += n
	}
}
