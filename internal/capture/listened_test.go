package capture

import (
	"bytes"
	"io"
	"testing"
)

// TestListened: from when until when packets were captured is what the statistics of all interfaces say, unless packets
// were taken out of the file.
func TestListened(t *testing.T) {
	const second = int64(1e9)
	for _, test := range []struct {
		name     string
		received uint64
		stats    int // interfaces that have statistics
		nanos    bool
		want     Span
	}{
		{"as captured", 2, 2, true, Span{12 * second, 50 * second}},
		{"in µs", 2, 2, false, Span{12 * second, 50 * second}},
		{"some unread", 60, 2, true, Span{12 * second, 50 * second}},
		{"packets taken out", 200, 2, true, Span{}},
		{"one interface says nothing", 2, 1, true, Span{}},
		{"none says anything", 2, 0, true, Span{}},
	} {
		var b bytes.Buffer
		w, err := NewWriter(&b, WriterOptions{Format: "pcapng", Nanoseconds: test.nanos, Interfaces: []Interface{{Link: 1}, {Link: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			if err := w.Write(&Record{Time: int64(20+i) * second, HasTime: true, Link: 1, Interface: i % 2, Data: make([]byte, 60), WireLen: 60}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range test.stats {
			if err := w.Statistics(i, Statistics{Start: int64(11+i) * second, End: int64(50+i) * second, Received: test.received}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		r, err := NewReader(&b)
		if err != nil {
			t.Fatal(err)
		}
		var rec Record
		for err == nil {
			if r.Listened() != (Span{}) {
				t.Errorf("%s: it is known before the end", test.name)
			}
			err = r.Next(&rec)
		}
		if got := r.Listened(); err != io.EOF || got != test.want {
			t.Errorf("%s: %v, %v, want %v", test.name, got, err, test.want)
		}
	}
}
