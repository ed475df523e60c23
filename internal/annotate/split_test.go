package annotate

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/record"
)

// TestFragmentsApartAreBounded: of fragments whose datagrams never become whole the oldest are
// written beyond the bound, and no byte of any is lost.
func TestFragmentsApartAreBounded(t *testing.T) {
	var head, one bytes.Buffer
	w, err := capture.NewWriter(&head, capture.WriterOptions{Format: "pcapng", Interfaces: []capture.Interface{{Link: capture.LinkRaw}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	one.Write(bytes.Repeat([]byte{7}, 1400))
	path := filepath.Join(t.TempDir(), "part.pcapng")
	s := NewSplit(New(Options{}), path, 0, record.NewParts(nil))
	if _, err := s.out.Take(head.Bytes()); err != nil {
		t.Fatal(err)
	}
	const fragments = 2 * mostApart / 1400
	for i := range fragments {
		s.hold(uint64(1+i/2), one.Bytes(), 1)
		if err := s.release(mostApart); err != nil {
			t.Fatal(err)
		}
		if s.bytes > mostApart || len(s.apart) > mostApart/1400 {
			t.Fatalf("%d bytes of %d datagrams wait", s.bytes, len(s.apart))
		}
	}
	src, err := capture.Open([]string{os.DevNull}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if paths, err := s.End(src, nil); err != nil || len(paths) != 1 || filepath.Base(paths[0]) != "part-other.pcapng" {
		t.Fatalf("%q, %v", paths, err)
	}
	if st, err := os.Stat(s.part("other")); err != nil || st.Size() != int64(head.Len()+fragments*1400) {
		t.Errorf("%v, %v", st, err)
	}
}
