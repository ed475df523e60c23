package pipeline

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
)

// batchPackets and batchBytes bound what is handed to the workers at a time.
const (
	batchPackets = 2048
	batchBytes   = 1 << 20
)

// A batch is a run of packets, copied out of the reader's buffer.
type batch struct {
	packets []batched
	bytes   []byte
}

type batched struct {
	d     dissect.Datagram
	class capture.Class
	shard uint8
}

func (b *batch) reset() { b.packets, b.bytes = b.packets[:0], b.bytes[:0] }

// full reports whether the next packet might not fit.
func (b *batch) full() bool {
	return len(b.packets) >= batchPackets || len(b.bytes) >= batchBytes
}

// add copies a packet. Payloads are cut out of b.bytes once it no longer grows.
func (b *batch) add(p *capture.Packet) {
	e := batched{d: p.Datagram, class: p.Class}
	if p.Class == capture.UDP || p.Class == capture.Unreachable {
		e.shard = uint8(shardOf(&p.Datagram))
	}
	b.bytes = append(b.bytes, p.Payload...)
	b.packets = append(b.packets, e)
}

// seal points the payloads into the batch.
func (b *batch) seal() {
	off := 0
	for i := range b.packets {
		d := &b.packets[i].d
		n := len(d.Payload)
		d.Payload = b.bytes[off : off+n : off+n]
		off += n
	}
}
