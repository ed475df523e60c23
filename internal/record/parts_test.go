package record

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/testbed/ngtest"
)

// section gives the blocks of a section with an interface of a link type and packets in it.
func sectionOf(t *testing.T, link capture.LinkType, packets ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := capture.NewWriter(&b, capture.WriterOptions{Format: "pcapng", Interfaces: []capture.Interface{{Link: link}}})
	for i, p := range packets {
		if err == nil {
			err = w.Write(&capture.Record{Data: []byte(p), WireLen: len(p), Time: int64(i) * 1e9, HasTime: true})
		}
	}
	if err == nil {
		err = w.Statistics(0, capture.Statistics{})
	}
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPartsAreAnyNumber: more files than may be open at a time have all of their packets, with
// the section and the interface before them, and nothing that tells of the whole.
func TestPartsAreAnyNumber(t *testing.T) {
	const files, rounds = 3 * openParts, 5
	dir := t.TempDir()
	p := NewParts(nil)
	for round := range rounds {
		for n := range files {
			packets, err := p.Take(sectionOf(t, capture.LinkRaw, fmt.Sprint(round, n)))
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Write(filepath.Join(dir, fmt.Sprint(n)), packets); err != nil {
				t.Fatal(err)
			}
			if err := p.flush(); n%100 == 0 && err != nil {
				t.Fatal(err)
			}
			if len(p.open) > openParts {
				t.Fatalf("%d files are open", len(p.open))
			}
		}
	}
	if err := p.Close(nil); err != nil || len(p.Paths()) != files {
		t.Fatalf("%d files, %v", len(p.Paths()), err)
	}
	for n, path := range p.Paths() {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		blocks, err := ngtest.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		all := ngtest.Packets(blocks)
		if len(all) != rounds || len(blocks) != 3*rounds {
			t.Fatalf("%s: %d packets in %d blocks", path, len(all), len(blocks))
		}
		for round := range all {
			if got := string(all[round].Data); got != fmt.Sprint(round, n) {
				t.Errorf("%s: packet %d is %q", path, round+1, got)
			}
		}
	}
}

// TestPartsGoWithAnError: no file stays after one.
func TestPartsGoWithAnError(t *testing.T) {
	dir := t.TempDir()
	p := NewParts(nil)
	packets, err := p.Take(sectionOf(t, capture.LinkRaw, "a"))
	if err == nil {
		err = p.Write(filepath.Join(dir, "a"), packets)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(filepath.Join(dir, "none", "b"), packets); err == nil {
		t.Error("a file was made in a folder that is not there")
	} else if p.Close(err) != err {
		t.Error("another error came of it")
	}
	if all, _ := os.ReadDir(dir); len(all) > 0 {
		t.Errorf("%d files stay", len(all))
	}
}

// TestPartsWriteOverNoInput: what the guard knows is no part.
func TestPartsWriteOverNoInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(path, []byte("read"), 0o600); err != nil {
		t.Fatal(err)
	}
	g := &outfile.Guard{}
	g.Reads("an input", path)
	p := NewParts(g)
	packets, err := p.Take(sectionOf(t, capture.LinkRaw, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(path, packets); p.Close(err) == nil {
		t.Error("an input was written over")
	}
	if b, _ := os.ReadFile(path); string(b) != "read" {
		t.Errorf("it holds %q", b)
	}
}

// TestPartsHaveWhatStoodBefore: a file has each block that its packets need once, those of an
// interface that came later as well.
func TestPartsHaveWhatStoodBefore(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	var out bytes.Buffer
	w, err := capture.NewWriter(&out, capture.WriterOptions{Format: "pcapng", Interfaces: []capture.Interface{{Link: capture.LinkRaw}}})
	p := NewParts(nil)
	for i, path := range []string{a, a, b, a} {
		if i == 2 && err == nil {
			_, err = w.AddInterface(capture.Interface{Link: capture.LinkEthernet})
		}
		if err == nil {
			err = w.Write(&capture.Record{Data: []byte{byte(i)}, WireLen: 1, HasTime: true})
		}
		if err == nil {
			err = w.Flush()
		}
		var packets []byte
		if err == nil {
			packets, err = p.Take(out.Bytes())
		}
		if err == nil {
			err = p.Write(path, packets)
		}
		out.Reset()
	}
	if err := p.Close(err); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{a: "[168627466 1 6 6 1 6]", b: "[168627466 1 1 6]"} {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		blocks, err := ngtest.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		var types []uint32
		for i := range blocks {
			types = append(types, blocks[i].Type)
		}
		if got := fmt.Sprint(types); got != want {
			t.Errorf("%s has blocks %s, want %s", filepath.Base(path), got, want)
		}
	}
}
