package livetest

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire"
)

// TestDisplayFilter writes what matches: each file holds the very packets that decode
// shows of a whole capture of the same run, also where later packets decide.
func TestDisplayFilter(t *testing.T) {
	pair := place(t)
	stamps(t, pair[0])
	dir := t.TempDir()
	filters := []string{"dp8", "hazel.type == 10 or knet", "dp8 and retry", "udp.length < 40", "not dp8 and not hazel"}
	commands := [][]string{{"capture", "-i", "lo", "-w", filepath.Join(dir, "all.pcapng")}}
	for i, f := range filters {
		commands = append(commands, []string{"capture", "-i", "lo", "-w", filepath.Join(dir, fmt.Sprint(i, ".pcapng")), "-Y", f})
	}
	jobs := startAll(t, pair[0], commands...)
	var talks []wire.Config
	for i, kind := range []string{"dp8", "hazel", "knet", "dp4"} {
		c := chat(kind, uint64(40+i))
		c.Paths[0].Far.Loss, c.Paths[1].Near.Loss = 0.05, 0.05
		between(&c, pair, "lo")
		c.Limit = 30 * time.Second // what is on its way at the limit counts as lost
		talks = append(talks, c)
	}
	playAll(t, talks...)
	stopAll(jobs...)
	shown := 0
	for i, f := range filters {
		path := filepath.Join(dir, fmt.Sprint(i, ".pcapng"))
		want := shownBy(t, filepath.Join(dir, "all.pcapng"), "-Y", f)
		got := shownBy(t, path)
		if !slices.Equal(got, want) {
			t.Errorf("-Y %q: %d packets were written, decode shows %d: %v", f, len(got), len(want), differing(got, want))
		}
		jobs[i+1].says(packetsWritten(len(want)))
		shown += min(1, len(want))
	}
	if shown < len(filters)-1 {
		t.Errorf("%d of %d filters match something", shown, len(filters))
	}
}

// shownBy are the datagrams that decode shows of a file.
func shownBy(t *testing.T, path string, args ...string) (all []string) {
	t.Helper()
	text := output(t, slices.Concat([]string{"decode", "--format", "ndjson"}, args, []string{path})...)
	for _, f := range readFrames(t, text) {
		all = append(all, fmt.Sprint(f.Time, " ", f.Src, " ", f.Dst, " ", f.Length))
	}
	return all
}

// differing are some lines that are in one list alone.
func differing(a, b []string) (out []string) {
	for _, x := range a {
		if !slices.Contains(b, x) {
			out = append(out, "not shown: "+x)
		}
	}
	for _, x := range b {
		if !slices.Contains(a, x) {
			out = append(out, "not written: "+x)
		}
	}
	return out[:min(len(out), 8)]
}
