package tracegen

import (
	"bytes"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// What Many and Foreign write is UDP with right checksums, as many packets as asked for, in
// order, between as many pairs as asked for.
func TestMany(t *testing.T) {
	look := func(name string, file *bytes.Buffer, packets, pairs int) {
		rd, err := capture.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		var dec capture.Decoder
		seen, n, last := map[string]bool{}, 0, int64(0)
		for {
			var rec capture.Record
			var p capture.Packet
			if rd.Next(&rec) != nil {
				break
			}
			n++
			dec.Decode(&rec, &p)
			if p.Class != capture.UDP || p.BadChecksum || p.Cut() || p.Time < last {
				t.Fatalf("%s: packet %d: class %d, bad checksum %v, time %d after %d", name, n, p.Class, p.BadChecksum, p.Time, last)
			}
			last = p.Time
			a, b := p.Src.String(), p.Dst.String()
			seen[min(a, b)+max(a, b)] = true
		}
		if n != packets || len(seen) != pairs {
			t.Errorf("%s: %d packets of %d pairs, want %d of %d", name, n, len(seen), packets, pairs)
		}
	}
	var file bytes.Buffer
	if err := Many(&file, 24, 4800, 1); err != nil {
		t.Fatal(err)
	}
	look("many", &file, 4800, 24)
	for kind := range foreignKinds {
		file.Reset()
		if err := Foreign(&file, 2000, 1, kind); err != nil {
			t.Fatal(err)
		}
		look(kind, &file, 2000, foreignPairs)
	}
}
