package metrics

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestWorker: the steps of a worker add up, and how the queue stands is told while it is known.
func TestWorker(t *testing.T) {
	s := &Server{}
	w := newWorker(s, "v1")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			w.Step("done", 2*time.Second, 30_000, false)
			w.Step("handed_back", time.Millisecond, 0, true)
		})
	}
	all.Wait()
	if strings.Contains(string(s.page.Load().text), "fleet_lag") {
		t.Error("it is told how the queue stands, which is not known")
	}
	w.Stands(&Queue{Queued: 7, DeadLetters: 2, Lag: 90 * time.Second})
	page := string(s.page.Load().text)
	got := series(t, page)
	for name, want := range map[string]float64{
		`dpdissect_fleet_steps_total{result="done"}`: 4, `dpdissect_fleet_steps_total{result="handed_back"}`: 4, `dpdissect_fleet_steps_total{result="dead"}`: 0,
		"dpdissect_fleet_step_seconds_count": 8, `dpdissect_fleet_step_seconds_bucket{le="0.1"}`: 4, `dpdissect_fleet_step_seconds_bucket{le="3"}`: 8,
		"dpdissect_fleet_state_bytes": 30_000, "dpdissect_fleet_restarted_total": 4, "dpdissect_fleet_queued": 7, "dpdissect_fleet_lag_seconds": 90,
		"dpdissect_fleet_dead_letters": 2,
	} {
		if v, ok := got[name]; !ok || v != want {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
	}
	docs, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(page) {
		if words := strings.Fields(line); words[0] == "#" && !strings.Contains(string(docs), "| `"+words[2]+"` |") {
			t.Errorf("docs/metrics.md has no %s", words[2])
		}
	}
	if tool, err := exec.LookPath("promtool"); err == nil {
		cmd := exec.Command(tool, "check", "metrics")
		cmd.Stdin = strings.NewReader(page)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool: %v\n%s", err, out)
		}
	}
}
