package pipeline

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
)

// batchPackets and batchBytes bound what is handed to the workers at a time.
const (
	batchPackets = 1024
	batchBytes   = 512 << 10
)

// A batch is a run of packets, of which those to be tracked are copied out of the reader's
// buffer.
type batch struct {
	packets   int    // all of them
	last      uint64 // number of the latest
	datagrams []dissect.Datagram
	of        [Shards][]uint16 // which datagrams are of each shard
	bytes     []byte
	tasks     int // shards that are not tracked yet
}

func (b *batch) reset() {
	b.packets, b.datagrams, b.bytes = 0, b.datagrams[:0], b.bytes[:0]
	for i := range b.of {
		b.of[i] = b.of[i][:0]
	}
}

// full reports whether the next packet might not fit.
func (b *batch) full() bool {
	return b.packets >= batchPackets || len(b.bytes) >= batchBytes
}

// see counts a packet.
func (b *batch) see(p *capture.Packet) {
	b.packets++
	b.last = p.Frame
}

// add copies a packet of a shard. Payloads are cut out of b.bytes once it no longer grows.
func (b *batch) add(p *capture.Packet, shard int) {
	b.of[shard] = append(b.of[shard], uint16(len(b.datagrams)))
	b.bytes = append(b.bytes, p.Payload...)
	b.datagrams = append(b.datagrams, p.Datagram)
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
