package livetest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire"
)

// TestAnalyzeWrites: the file of -w has the packets that were analysed and no others,
// whatever limits them, and an analysis of it says the same.
func TestAnalyzeWrites(t *testing.T) {
	for name, limits := range map[string][]string{
		"all": nil, "filter": {"-f", "udp and less 81"}, "count": {"-c", "70"}, "packets": {"-a", "packets:55"}, "some": {"-Y", "hazel.type == 10"},
	} {
		t.Run(name, func(t *testing.T) {
			pair := place(t)
			path := filepath.Join(t.TempDir(), "kept.pcapng")
			j := start(t, pair[0], append([]string{"analyze", "-i", "lo", "--format", "json", "-w", path}, limits...)...)
			talk := chat("hazel", 77)
			between(&talk, pair, "lo")
			done := make(chan wire.Flooded)
			go func() { done <- trickle(t, pair[0], pair[0], local, local, 60, 60, 40) }()
			playAll(t, talk)
			<-done
			if strings.HasPrefix(strings.Join(limits, ""), "-c") || strings.HasPrefix(strings.Join(limits, ""), "-a") {
				j.ends(0)
			} else {
				j.stop()
			}
			live := j.stdout.String()
			if n := packetsOf(t, path); n != readDocument(t, live).Totals.Packets {
				t.Errorf("%d packets in the file, %d analysed", n, readDocument(t, live).Totals.Packets)
			}
			if n := strings.Count(j.stderr.String(), "running as root"); n != 1 {
				t.Errorf("that it runs as root is said %d times", n)
			}
			j.says(fmt.Sprintf("%d packets written\n", packetsOf(t, path)))
			args := []string{"analyze", "--format", "json"}
			if name == "some" {
				args = slices.Concat(args, limits)
			}
			same(t, name, withoutCaptures(t, live), withoutCaptures(t, output(t, append(args, path)...)))
		})
	}
}

// packetsOf counts the packets of a file.
func packetsOf(t *testing.T, path string) (n int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := capture.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var rec capture.Record
	for r.Next(&rec) == nil {
		n++
	}
	return n
}
