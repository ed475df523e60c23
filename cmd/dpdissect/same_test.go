package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// outputs are those that must not depend on how a capture is stored or read.
var outputs = [][]string{
	{"decode", "--format", "ndjson"},
	{"decode", "-V", "-x"},
	{"analyze", "--format", "json"},
	{"messages", "--format", "ndjson", "--payload", "--incomplete"},
}

// fileNumber is the part of a record that only runs over several files have.
var fileNumber = regexp.MustCompile(`"file":\d+,`)

// neutral takes out of an output what may differ: the inputs.
func neutral(t *testing.T, args []string, out string) string {
	t.Helper()
	if args[0] != "analyze" {
		if strings.Contains(out, `"file":`) {
			out = fileNumber.ReplaceAllString(out, "")
		}
		return out
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	delete(doc, "captures")
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestSameOutput checks that any number of workers, compression, and splitting
// over files change no byte: each variant is stored in another way and read by
// another number of workers. A capture has its turn with two outputs, each in one variant,
// or with all outputs where every form is tried.
func TestSameOutput(t *testing.T) {
	t.Parallel()
	for turn, path := range captures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			dir, all := t.TempDir(), packets(t, path)
			variants := [][]string{
				{"--workers", "3", gzipped(t, dir, path)},
				append([]string{"--workers", "2"}, split(t, dir, all, func(i, n int) bool { return i >= n/2 })...),
			}
			if timesIncrease(all) {
				variants = append(variants, append([]string{"--workers", "1"}, split(t, dir, all, func(i, _ int) bool { return i%3 == 0 })...))
			}
			for i, args := range outputs {
				if i%2 != turn%2 && os.Getenv(everyForm) != "all" {
					continue
				}
				want := neutral(t, args, printed(t, append(args[:len(args):len(args)], path)...))
				more := variants[(turn/2+i)%len(variants)]
				if got := neutral(t, args, output(t, append(args[:len(args):len(args)], more...)...)); got != want {
					t.Errorf("%q: %q differs at line %s", more, args, difference(got, want))
				}
			}
		})
	}
}

// difference shows the first line in which two texts differ.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return g[i] + "\nwant " + w[i]
		}
	}
	return "beyond the end of one of them"
}

func gzipped(t *testing.T, dir, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "compressed")
	if err := os.WriteFile(name, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// packets reads all packets of a capture.
func packets(t *testing.T, path string) (all []capture.Record) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := capture.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		var rec capture.Record
		if err := r.Next(&rec); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		rec.Data = append([]byte(nil), rec.Data...)
		rec.Interface = 0
		all = append(all, rec)
	}
}

func timesIncrease(all []capture.Record) bool {
	last := int64(-1)
	for i := range all {
		if all[i].Time <= last {
			return false
		}
		last = all[i].Time
	}
	return true
}

// split spreads the packets of a capture over two files.
func split(t *testing.T, dir string, all []capture.Record, second func(i, n int) bool) []string {
	t.Helper()
	var names []string
	for k := range 2 {
		f, err := os.CreateTemp(dir, "part")
		if err != nil {
			t.Fatal(err)
		}
		w, err := capture.NewWriter(f, capture.WriterOptions{Format: "pcap", Nanoseconds: true, Interfaces: []capture.Interface{{Link: all[0].Link}}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			if second(i, len(all)) == (k == 1) {
				if err := w.Write(&all[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		names = append(names, f.Name())
	}
	return names
}

// TestConnectionsAgree checks that decode and messages give connections the ids
// that analyze gives them.
func TestConnectionsAgree(t *testing.T) {
	t.Parallel()
	for _, path := range captures(t) {
		var doc struct {
			Connections []struct {
				ID         int    `json:"id"`
				FirstFrame uint64 `json:"first_frame"`
				LastFrame  uint64 `json:"last_frame"`
				Directions map[string]struct{ Frames, Messages int }
			}
		}
		if err := json.Unmarshal([]byte(printed(t, "analyze", "--format", "json", path)), &doc); err != nil {
			t.Fatal(err)
		}
		frames, messages := countBy(t, printed(t, "decode", "--format", "ndjson", path)), countBy(t, output(t, "messages", "--format", "ndjson", path))
		for i, c := range doc.Connections {
			if c.ID != i {
				t.Errorf("%s: connection %d has id %d", path, i, c.ID)
			}
			for side, d := range c.Directions {
				k := key{c.ID, side}
				if frames[k] != d.Frames || messages[k] != d.Messages {
					t.Errorf("%s: %v: analyze counts %d frames and %d messages, decode %d, messages %d", path, k, d.Frames, d.Messages, frames[k], messages[k])
				}
				delete(frames, k)
				delete(messages, k)
			}
		}
		if len(frames)+len(messages) > 0 {
			t.Errorf("%s: analyze does not know %v %v", path, frames, messages)
		}
	}
}

// key is a direction of a connection.
type key struct {
	Connection int
	Direction  string
}

// countBy counts records by connection and direction.
func countBy(t *testing.T, ndjson string) map[key]int {
	t.Helper()
	counts := map[key]int{}
	for d := json.NewDecoder(strings.NewReader(ndjson)); d.More(); {
		k := key{Connection: -1}
		if err := d.Decode(&k); err != nil {
			t.Fatal(err)
		}
		if k.Connection >= 0 {
			counts[k]++
		}
	}
	return counts
}
