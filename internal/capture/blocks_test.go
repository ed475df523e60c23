package capture

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// manyBlocks is a capture with so many blocks of a mebibyte between its two packets.
func manyBlocks(t *testing.T, n int) string {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, WriterOptions{Format: "pcapng", Interfaces: []Interface{{Link: LinkEthernet}}})
	if err != nil {
		t.Fatal(err)
	}
	packet := func() {
		if err := w.Write(&Record{Data: make([]byte, 60), WireLen: 60, HasTime: true}); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	packet()
	other := make([]byte, 1<<20)
	for _, at := range []int{4, len(other) - 4} {
		binary.LittleEndian.PutUint32(other[at:], uint32(len(other)))
	}
	binary.LittleEndian.PutUint32(other, 0x80001234)
	for range n {
		b.Write(other)
	}
	packet()
	path := filepath.Join(t.TempDir(), "many.pcapng")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Blocks between two packets are kept up to a bound; all beyond it are counted.
func TestOtherBlocksAreBounded(t *testing.T) {
	for _, c := range []struct{ blocks, kept int }{{3, 3}, {16, 16}, {20, 16}} {
		src, err := Open([]string{manyBlocks(t, c.blocks)}, Options{Blocks: true})
		if err != nil {
			t.Fatal(err)
		}
		var before []int
		for {
			p, ok := src.Next()
			if !ok {
				break
			}
			before = append(before, len(p.Record.Before))
			if !bytes.Equal(p.Record.Block[28:28+60], p.Record.Data) {
				t.Errorf("packet %d: its block is % x", p.Frame, p.Record.Block)
			}
		}
		_, lost := src.Rest(0)
		if len(before) != 2 || before[1] != c.kept<<20 || lost != uint64(c.blocks-c.kept) {
			t.Errorf("%d blocks: %v bytes before packets, %d blocks lost", c.blocks, before, lost)
		}
		src.Close()
	}
}
