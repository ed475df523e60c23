package reduce

import (
	"bytes"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// TestPacketsStayAsTheyAre: what is read and written again has its bytes, its time or none,
// its direction, its link type and the drops before it.
func TestPacketsStayAsTheyAre(t *testing.T) {
	in := []capture.Record{
		{Data: []byte("an Ethernet"), WireLen: 11, Time: 1_700_000_000_123_456_789, HasTime: true, Link: capture.LinkEthernet},
		{Data: []byte("sent, cut"), WireLen: 90, Time: 1_700_000_001_000_000_001, HasTime: true, Outbound: true, Link: capture.LinkEthernet},
		{Data: []byte("raw"), WireLen: 3, Time: 1_700_000_002_000_000_000, HasTime: true, HasDrops: true, Drops: 7, Link: capture.LinkRaw},
		{Data: []byte("timeless"), WireLen: 8, Link: capture.LinkRaw},
	}
	var file bytes.Buffer
	w, err := capture.NewWriter(&file, capture.WriterOptions{Format: "pcapng", Nanoseconds: true,
		Interfaces: []capture.Interface{{Link: capture.LinkRaw}, {Link: capture.LinkEthernet}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range in {
		if r.Link == capture.LinkEthernet {
			r.Interface = 1
		}
		r.Comments = []string{"said by somebody"}
		if err := w.Write(&r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	src, err := open(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	out, err := load(src, nil).write([]int{0, 1, 2, 3}, "test")
	if err != nil {
		t.Fatal(err)
	}
	r, err := capture.NewReader(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range in {
		var got capture.Record
		if err := r.Next(&got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Data, want.Data) || got.WireLen != want.WireLen || got.Time != want.Time || got.HasTime != want.HasTime ||
			got.Outbound != want.Outbound || got.Drops != want.Drops || got.Link != want.Link || len(got.Comments) > 0 {
			t.Errorf("packet %d: got %+v, want %+v", i+1, got, want)
		}
	}
}

// TestGroups: who is joined is known by the first of all.
func TestGroups(t *testing.T) {
	var g groups
	g.join(5, 3)
	g.join(9, 5)
	g.join(8, 7)
	for frame, want := range map[uint64]uint64{3: 3, 5: 3, 9: 3, 7: 7, 8: 7, 4: 4} {
		if got := g.of(frame); got != want {
			t.Errorf("frame %d is in the group of %d, want %d", frame, got, want)
		}
	}
}
