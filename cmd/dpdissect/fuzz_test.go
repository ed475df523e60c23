package main

import (
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
)

// formsPerInput is the number of forms that an input of the fuzz target goes through; which ones, the
// input decides.
const formsPerInput = 6

// FuzzCommands edits excerpts of the traces, and of the captures in DPDISSECT_PCAPS: bytes,
// lengths, order, times by up to centuries. Then it damages the file. No command may fail in
// any format, whatever is in it; the targets of internal/testbed/whole try what all of them share at
// a higher rate.
func FuzzCommands(f *testing.F) {
	var names []string
	for _, p := range protocols.All(protocols.Options{}) {
		names = append(names, p.Name)
	}
	var all []excerpt.Excerpt
	for _, name := range names {
		all = append(all, excerpt.Of(f, name)...)
	}
	if dir := os.Getenv("DPDISSECT_PCAPS"); dir != "" {
		all = append(all, excerpt.InFolder(f, dir)...)
	}
	others := excerpt.OtherPackets(f, names)
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	for i := range all {
		if i%8 == 0 {
			f.Add(uint16(i), random(excerpt.EditBytes*(1+i%7)), random(i/8%3))
		}
	}
	path := filepath.Join(f.TempDir(), "fuzzed.pcapng")
	f.Fuzz(func(t *testing.T, which uint16, edits, damage []byte) {
		packets := excerpt.Edited(all[int(which)%len(all)].Packets, others, edits)
		file := damaged(excerpt.AsFile(packets), damage)
		if err := os.WriteFile(path, file, 0o666); err != nil {
			t.Fatal(err)
		}
		h := fnv.New64a()
		h.Write([]byte{byte(which), byte(which >> 8)})
		h.Write(edits)
		h.Write(damage)
		tryForms(t, path, file, h.Sum64())
	})
}

// tryForms runs some forms on a capture, one of them with several workers, too.
func tryForms(t *testing.T, path string, file []byte, chosen uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(chosen, 3))
	for i := range formsPerInput {
		f := forms()[r.IntN(len(forms()))]
		if i == 0 {
			checkWorkers(t, f, path, []string{"2", "4"}[r.IntN(2)])
		} else if err := f.print(t, path).fault(); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
	if dir := os.Getenv("DPDISSECT_KEEP"); t.Failed() && dir != "" {
		name := strings.NewReplacer("/", "-", "#", "").Replace(t.Name()) + ".pcapng"
		if err := os.WriteFile(filepath.Join(dir, name), file, 0o666); err != nil {
			t.Error(err)
		}
	}
}

// damaged sets bytes of a file: each takes three bytes
// of what says how.
func damaged(file, how []byte) []byte {
	for ; len(how) >= 3 && len(file) > 0; how = how[3:] {
		file[(int(how[0])<<8|int(how[1]))%len(file)] = how[2]
	}
	return file
}
