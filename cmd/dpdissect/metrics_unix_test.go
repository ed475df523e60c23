//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/testbed/programtest"
)

// TestMetrics: a run that waits for packets tells what it has counted so far, in Prometheus' own words.
func TestMetrics(t *testing.T) {
	head, packets := pieces(t, capturePath(t, "unsigned-lossy.pcap"))
	file, at := fifo(t), programtest.FreeAddr(t)
	r := start(t, "tables", "--out", t.TempDir(), "--point", "paris", "--metrics", at, file)
	w := writeTo(t, file)
	w.Write(head)
	for _, p := range packets {
		w.Write(p)
	}
	told, want := "", fmt.Sprintf("\ndpdissect_packets_total %d\n", len(packets))
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(told, want); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s is not told:\n%s", want, told)
		}
		if res, err := http.Get("http://" + at + "/metrics"); err == nil {
			text, _ := io.ReadAll(res.Body)
			res.Body.Close()
			told = string(text)
		}
	}
	for _, series := range []string{`dpdissect_lost_total{protocol="dp8",where="before_capture"} 1`, "\ndpdissect_rtt_seconds_count 39\n", `dpdissect_build_info{version="`, `",point="paris"} 1`} {
		if !strings.Contains(told, series) {
			t.Errorf("no %s:\n%s", series, told)
		}
	}
	for line := range strings.Lines(told) {
		if words := strings.Fields(line); words[0] == "#" && !strings.Contains(page(t, "docs/metrics.md"), "| `"+words[2]+"` |") {
			t.Errorf("docs/metrics.md has no %s", words[2])
		}
	}
	if tool, err := exec.LookPath("promtool"); err == nil {
		cmd := exec.Command(tool, "check", "metrics")
		cmd.Stdin = strings.NewReader(told)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool: %v\n%s", err, out)
		}
	}
	w.Close()
	if code := <-r.code; code != 0 {
		t.Errorf("exit code %d", code)
	}
	if _, err := http.Get("http://" + at + "/metrics"); err == nil {
		t.Error("the run is over, and still tells")
	}
}

// TestMetricsRefused: what is no address, and what has no end to wait for.
func TestMetricsRefused(t *testing.T) {
	file := capturePath(t, "unsigned-lossy.pcap")
	for _, c := range []struct{ args, want string }{
		{"tables --out x --metrics :9464 " + file, "inputs that arrive over time"},
		{"analyze --metrics :9464 " + file, "inputs that arrive over time"},
		{"tables --out x --metrics nobody:80 --follow " + file, "want :PORT"},
	} {
		if _, errs, code := call(t, strings.Fields(c.args)...); code != exit.Usage || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit code %d, %s", c.args, code, errs)
		}
	}
}
