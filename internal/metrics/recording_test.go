package metrics

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/testbed/programtest"
)

// TestRecording: packets that are recorded as they are are counted, at most once a second.
func TestRecording(t *testing.T) {
	src, err := capture.Open([]string{captures(t)[0]}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := programtest.FreeAddr(t)
	r, err := StartRecording(src, at, "v1")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	told := func() string {
		res, err := http.Get("http://" + at + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body)
		return string(b)
	}
	now := time.Now()
	r.Tick(now)
	n := 0
	for rec, ok := src.NextRecord(); ok; rec, ok = src.NextRecord() {
		if rec != nil {
			n++
		}
	}
	r.Tick(now.Add(every / 2))
	if text := told(); !strings.Contains(text, "\ndpdissect_packets_total 0\n") || !strings.Contains(text, `dpdissect_build_info{version="v1"} 1`) {
		t.Error(text)
	}
	r.Tick(now.Add(every))
	if text := told(); n == 0 || !strings.Contains(text, fmt.Sprintf("\ndpdissect_packets_total %d\n", n)) || !strings.Contains(text, "dpdissect_last_packet_timestamp_seconds") {
		t.Error(text)
	}
	if r, err := StartRecording(src, "", "v1"); r != nil || err != nil {
		t.Error("without an address somebody answers")
	}
}
