package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
)

// keptOfEach bounds the memory of a connection that ended, in bytes: with it 100,000 of them
// take 200 MiB, and leave room in 256 for those that are open at the same time. Redact keeps
// what stands for the addresses and the secrets of each, too.
const (
	keptOfEach   = 2100
	keptByRedact = 10_000
)

// roomOfPackets are commands whose queue keeps the room of packets for the next ones, which
// hides in a short capture what connections take. They track as messages and ladder do.
var roomOfPackets = []string{"annotate", "decode", "report"}

// TestMemoryOfManyConnections checks that no command keeps much of a connection that ended:
// what more connections take tells it. Formats make no difference until the input is read.
func TestMemoryOfManyConnections(t *testing.T) {
	const few, many = 300, 900
	short, long := manyConnections(t, few), manyConnections(t, many)
	defer func(before func(*pipeline.Run)) { tracked = before }(tracked)
	for _, c := range readers() {
		if slices.Contains(roomOfPackets, c.Name()) {
			continue
		}
		f := form{c.Name(), formatsOf(c)[0], needed[c.Name()]}
		each := (keptBy(t, f, long, many) - keptBy(t, f, short, few)) / (many - few)
		most := int64(keptOfEach)
		if c.Name() == "redact" {
			most = keptByRedact
		}
		if each > most || each < 100 {
			t.Errorf("%s keeps %d bytes of each connection, want %d at most", f, each, most)
		}
	}
}

// keptBy is the memory that a form keeps when it has read a capture of so many connections.
func keptBy(t *testing.T, f form, path string, conns int) (kept int64) {
	start := heapInUse()
	tracked = func(r *pipeline.Run) {
		if n := len(r.Conns()); n != conns {
			t.Errorf("%s: %d connections, want %d", f, n, conns)
		}
		kept = heapInUse() - start
	}
	f.print(t, path)
	return kept
}

// heapInUse is the memory that is in use, in bytes.
func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// manyConnections writes a capture in which the beginning of one session was played from so
// many addresses, one after the other.
func manyConnections(t testing.TB, conns int) string {
	t.Helper()
	const frames, source = 7, 14 + 12 // offset of the address after Ethernet
	play := excerpt.Read(t, capturePath(t, "early-stop.pcap"))[:frames]
	client := slices.Clone(play[0].Data[source : source+4])
	var all []excerpt.Packet
	for n := range conns {
		address := []byte{10, 1, byte(n >> 8), byte(n)}
		for _, p := range play {
			p.Data = bytes.Replace(p.Data, client, address, 1)
			p.Time += uint64(n) * 1e6 // ns
			all = append(all, p)
		}
	}
	path := filepath.Join(t.TempDir(), "many.pcap")
	if err := os.WriteFile(path, excerpt.AsFile(all), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
