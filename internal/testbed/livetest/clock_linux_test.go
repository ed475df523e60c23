package livetest

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestClock lets a peer vanish, and nobody else says a word: its connection is timed
// out by the clock alone, in records, the table, the last report and for the flight
// recorder.
func TestClock(t *testing.T) {
	need(t, "tmux")
	pair := place(t)
	path := filepath.Join(t.TempDir(), "run.pcapng")
	jobs := startAll(t, pair[0],
		[]string{"analyze", "-i", "lo", "--format", "ndjson", "--interval", "0.5"},
		[]string{"analyze", "-i", "lo", "--format", "json"},
		[]string{"capture", "-i", "lo", "-w", path, "--on", "timeout", "--keep", "60"},
	)
	p := newPane(t, pair[0], 80, 24)
	p.types("$D analyze -i lo")
	p.sees("No packet")
	replayUntil(t, pair[0], "../../../testdata/pcaps/dp8/killed-peer.pcap", 300) // some of its last tries are missing
	said := func(j *job) string {
		lines := strings.Split(strings.TrimSpace(j.stdout.String()), "\n")
		return lines[len(lines)-1]
	}
	jobs[0].await("the connection goes on", func() bool { return strings.Contains(said(jobs[0]), `"state":"established"`) })
	silent := time.Now()
	jobs[0].await("it is timed out", func() bool { return strings.Contains(said(jobs[0]), `"state":"timed-out"`) })
	if took := time.Since(silent); took < 3*time.Second {
		t.Errorf("it is timed out after %v of silence", took)
	}
	p.sees("timed-out")
	p.keys("q")
	jobs[2].await("the dump", func() bool { return strings.Contains(jobs[2].stderr.String(), "flight recorder: ") })
	stopAll(jobs...)
	for i, text := range []string{said(jobs[0]), jobs[1].stdout.String()} {
		if d := readDocument(t, text); len(d.Connections) != 1 || d.Connections[0].State != "timed-out" {
			t.Errorf("%s: the last document has %+v", jobs[i].name, d.Connections)
		}
	}
	dumps := glob(t, strings.TrimSuffix(path, ".pcapng")+"_dump_*.pcapng")
	all := ""
	for _, list := range comments(t, dumps[0]) {
		all += strings.Join(list, "\n") + "\n"
	}
	for _, want := range []string{"timed out: reliable packet ", "timed out: this is its latest packet"} {
		if strings.Count(all, want) != 1 {
			t.Errorf("the packets of the dump say %q, want %q", all, want)
		}
	}
}
