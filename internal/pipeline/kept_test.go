package pipeline

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
)

// noisePackets are enough for a pair to rest, for its shard to be kept, and to be looked at
// while it is.
const noisePackets = 6 * batchPackets

// noiseBefore is a capture of noise between two addresses, of which a session follows.
func noiseBefore(t *testing.T) string {
	t.Helper()
	w := tracegen.DrawDP8(900)
	path := filepath.Join(t.TempDir(), "noise.pcap")
	file, _, err := w.Scenario.Generate()
	if err == nil {
		err = os.WriteFile(path, file, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	captured.NoiseBefore(t, path, noisePackets)
	return path
}

// TestKeptShards checks that the reader tracks itself what looks like no protocol, hands it
// back when the pair speaks one, and that nothing shows of either.
func TestKeptShards(t *testing.T) {
	path := noiseBefore(t)
	want := sparse(t, path, "udp", 1, NDJSON)
	for _, workers := range []int{2, 3} {
		if got := sparse(t, path, "udp", workers, NDJSON); got != want {
			t.Errorf("%d workers print something else", workers)
		}
	}

	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := &Run{Source: src, Workers: 2, Config: session.Config{Protocols: protocols.All(protocols.Options{})}}
	r.tables = newTables(r.Config, nil)
	w := newCrew(r)
	defer w.end()
	kept, handed := false, false
	for more := true; more; {
		b := w.empty()
		w.drain() // so that what the batch before showed is known
		w.mu.Lock()
		w.keep()
		w.mu.Unlock()
		more, _ = w.fill(b)
		for i := range w.kept {
			kept = kept || w.kept[i].is
		}
		handed = handed || kept && len(b.datagrams) > 0
		w.give(b)
	}
	if !kept || !handed {
		t.Errorf("kept by the reader: %v, handed back behind that: %v", kept, handed)
	}
}

// TestReaderGoesOnAlone checks that the reader tracks by itself while all looks like no protocol,
// and hands batches over again once something speaks one: After is told of each packet, and then of
// the last one of each batch.
func TestReaderGoesOnAlone(t *testing.T) {
	src, err := capture.Open([]string{noiseBefore(t)}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := &Run{Source: src, Workers: 2, Config: session.Config{Protocols: protocols.All(protocols.Options{})}}
	var last, noise, behind uint64
	r.After = func(frame uint64) error {
		if frame <= last {
			t.Errorf("packet %d is told behind packet %d", frame, last)
		}
		if last = frame; frame <= noisePackets {
			noise++
		} else {
			behind++
		}
		return nil
	}
	if err := r.Do(); err != nil {
		t.Fatal(err)
	}
	all := src.Totals().Packets
	if last != all {
		t.Errorf("the last packet told is %d of %d", last, all)
	}
	if noise < noisePackets/2 {
		t.Errorf("the reader goes on alone in %d of %d packets of noise", noise, noisePackets)
	}
	if batches := uint64(8); behind > lookAtKept+batches {
		t.Errorf("the reader goes on alone in %d of %d packets behind the noise", behind, all-noisePackets)
	}
}
