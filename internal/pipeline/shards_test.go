package pipeline

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// TestSpreadIsKeyed: which pairs share a table follows from the first datagram and its time
// as well as from their addresses, both directions share it, and every table has its part.
func TestSpreadIsKeyed(t *testing.T) {
	pairOf := func(n int) dissect.Datagram {
		d := dissect.Datagram{Src: dissect.Endpoint{Port: uint16(n)}, Dst: dissect.Endpoint{Port: 2302}, HasTime: true}
		d.Src.IP[15], d.Dst.IP[15] = 1, 2
		return d
	}
	first := pairOf(1)
	later := first
	later.Time = 1
	var a, again, b spread
	a.shardOf(&first)
	again.shardOf(&first)
	b.shardOf(&later)
	const pairs = 1600
	var of [Shards]int
	moved, together := 0, 0
	for n := range pairs {
		d := pairOf(n)
		back := d
		back.Src, back.Dst = d.Dst, d.Src
		shard := a.shardOf(&d)
		of[shard]++
		if shard != a.shardOf(&back) || shard != again.shardOf(&d) {
			t.Fatalf("pair %d: %d, the other way %d, once more %d", n, shard, a.shardOf(&back), again.shardOf(&d))
		}
		if shard == 0 { // chosen for that
			moved++
			if b.shardOf(&d) == b.shardOf(&first) {
				together++
			}
		}
	}
	for shard, n := range of {
		if n < pairs/Shards/2 || n > pairs/Shards*2 {
			t.Errorf("table %d has %d of %d pairs", shard, n, pairs)
		}
	}
	if together > moved/2 {
		t.Errorf("%d of %d pairs that share a table share one with another key, too", together, moved)
	}
}

// shardOf gives the shard of a datagram.
func (s *spread) shardOf(d *dissect.Datagram) int {
	shard, _ := s.of(d)
	return shard
}
