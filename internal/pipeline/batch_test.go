package pipeline

import (
	"bytes"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// Batches are cut by packets and by bytes; neither shows.
func TestBatches(t *testing.T) {
	var b batch
	for n := 0; !b.full(); n++ {
		p := capture.Packet{Class: capture.UDP}
		p.Payload = bytes.Repeat([]byte{byte(n)}, n%1500)
		b.see(&p)
		b.add(&p, n%Shards, 0)
	}
	b.seal()
	if b.packets > batchPackets || b.packets != len(b.datagrams) || len(b.bytes) > batchBytes+1500 {
		t.Errorf("%d packets, %d datagrams, %d bytes", b.packets, len(b.datagrams), len(b.bytes))
	}
	for n := range b.datagrams {
		p := b.datagrams[n].Payload
		if len(p) != n%1500 || cap(p) != len(p) || len(p) > 0 && (p[0] != byte(n) || p[len(p)-1] != byte(n)) {
			t.Fatalf("payload %d has %d bytes", n, len(p))
		}
	}
}
