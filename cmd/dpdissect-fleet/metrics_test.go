package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/programtest"
)

// TestFleetMetrics: a worker tells Prometheus what became of its steps, and how the queue stands, and
// names no chain.
func TestFleetMetrics(t *testing.T) {
	b := newBed(t)
	files := b.pieces("dp8/unsigned-lossy.pcap", 3, 1)
	b.do("submit", append([]string{"--point", "paris", "--chain", "secret-name", "--end"}, files...)...)
	addr := programtest.FreeAddr(t)
	w := start(t, b.work("--metrics", addr)...)
	var page string
	for until := time.Now().Add(2 * time.Minute); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		if page = get(addr); strings.Contains(page, `dpdissect_fleet_steps_total{result="done"} 3`) && strings.Contains(page, "dpdissect_fleet_queued") {
			break
		}
	}
	if !strings.Contains(page, `dpdissect_fleet_steps_total{result="done"} 3`) || strings.Contains(page, "secret") {
		t.Errorf("metrics of three steps:\n%s\n%s", page, w.Stderr)
	}
}

// get is the page of metrics at an address, "" while nobody answers.
func get(addr string) string {
	r, err := http.Get("http://" + addr + "/metrics")
	if err != nil {
		return ""
	}
	defer r.Body.Close()
	page, _ := io.ReadAll(r.Body)
	return string(page)
}
