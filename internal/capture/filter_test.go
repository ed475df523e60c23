package capture

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/bpf"

	"github.com/dpdissect/dpdissect/dissect/syntax"
)

// writeFile makes a capture of packets that hold their own number, to ports in turn.
func writeFile(t *testing.T, link LinkType, recs ...Record) string {
	t.Helper()
	for i := range recs {
		recs[i].Link = link
	}
	path := filepath.Join(t.TempDir(), "c.pcapng")
	b := file(t, WriterOptions{Format: "pcapng", Interfaces: []Interface{{Link: link}}}, recs...)
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFilterFiles: frames are counted with those that a filter leaves out, totals
// without.
func TestFilterFiles(t *testing.T) {
	var recs []Record
	for i := range 6 {
		b := plainV4([]byte{byte('0' + i)})
		if i%2 == 0 {
			b = plainV6([]byte{byte('0' + i)})
		}
		recs = append(recs, record(b, int64(i)))
	}
	path := writeFile(t, LinkEthernet, recs...)
	f, err := NewFilter("ip and udp")
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, Options{Filter: f, MaxPackets: 2}, path)
	var got []string
	var frames []uint64
	for p, ok := s.Next(); ok; p, ok = s.Next() {
		got, frames = append(got, string(p.Payload)), append(frames, p.Frame)
	}
	if strings.Join(got, "") != "13" || len(frames) != 2 || frames[0] != 2 || frames[1] != 4 {
		t.Errorf("%q of frames %v, want 1 and 3 of frames 2 and 4", got, frames)
	}
	if n, i := s.Totals().Packets, s.Infos()[0]; n != 2 || i.Packets != 2 || i.Failed {
		t.Errorf("%d packets, %+v", n, i)
	}
}

// TestFilterMeaningless: a link type of which the filter says nothing ends the file,
// with the reason.
func TestFilterMeaningless(t *testing.T) {
	path := writeFile(t, LinkRaw, record(plainV4([]byte("x"))[14:], 0))
	f, err := NewFilter("ether host 00:00:00:00:00:01")
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, Options{Filter: f}, path)
	if _, ok := s.Next(); ok {
		t.Error("a packet passes")
	}
	if i := s.Infos()[0]; !i.Failed || i.Unfit == nil || !strings.Contains(i.Problem, "capture filter is not applicable to packets of raw") {
		t.Errorf("%+v", i)
	}
}

func TestFilterErrors(t *testing.T) {
	_, err := NewFilter("udp prot 53")
	if e, ok := errors.AsType[*syntax.Error](err); !ok || e.Column != 5 {
		t.Errorf("%v", err)
	}
	f := NewBytecodeFilter([]bpf.Instruction{bpf.LoadAbsolute{Off: 0, Size: 1}}) // no end
	s := open(t, Options{Filter: f}, writeFile(t, LinkEthernet, record(plainV4([]byte("x")), 0)))
	if _, ok := s.Next(); ok || !s.Infos()[0].Failed {
		t.Error("a program without end is run")
	}
}
