package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
)

// splitInto gives the files that annotate --split writes, in the order in which it lists them.
func splitInto(t *testing.T, args ...string) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	out := output(t, append([]string{"annotate", "-q", "-w", filepath.Join(dir, "part.pcapng")}, args...)...)
	paths = strings.Fields(out)
	if there, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(there) != len(paths) {
		t.Errorf("%d files are there, %d are listed", len(there), len(paths))
	}
	return paths
}

// remove takes the packets of a part out of those that are left, which must be in their order.
func remove(t *testing.T, left, part []capture.Record) []capture.Record {
	t.Helper()
	at := 0
	for i := range part {
		for at < len(left) && !(left[at].Time == part[i].Time && left[at].HasTime == part[i].HasTime && bytes.Equal(left[at].Data, part[i].Data)) {
			at++
		}
		if at == len(left) {
			t.Fatalf("packet %d of a part is not in the input, or not in this order, or twice", i+1)
		}
		left = slices.Delete(left, at, at+1)
	}
	return left
}

// TestSplitHasEachPacketOnce: each packet of a capture is in exactly one file, in order, and
// that of its connection or time.
func TestSplitHasEachPacketOnce(t *testing.T) {
	t.Parallel()
	for turn, path := range captures(t) {
		how := []string{"connection", "time:1s"}[turn%2]
		left := packets(t, path)
		for _, part := range splitInto(t, "--split", how, path) {
			some := packets(t, part)
			if len(some) == 0 {
				t.Errorf("%s: %s is empty", path, part)
			}
			rightPlace(t, part, some)
			left = remove(t, left, some)
		}
		if len(left) > 0 {
			t.Errorf("%s by %s: %d packets are in no file", path, how, len(left))
		}
	}
}

// rightPlace looks whether packets belong to the file by its name.
func rightPlace(t *testing.T, path string, all []capture.Record) {
	t.Helper()
	name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "part-"), ".pcapng")
	begin, err := time.Parse("20060102T150405Z", name)
	byTime := err == nil
	for i := range all {
		comments := strings.Join(all[i].Comments, "\n")
		switch at := time.Unix(0, all[i].Time); {
		case byTime && all[i].HasTime && (at.Before(begin) || !at.Before(begin.Add(time.Second))):
			t.Errorf("%s has a packet of %v", path, at.UTC())
		case !byTime && name != "other" && strings.Contains(comments, " conn=") && !strings.Contains(comments, fmt.Sprintf(" conn=%s ", name[1:])):
			t.Errorf("%s has a packet with %q", path, comments)
		case name == "other" && strings.Contains(comments, " conn="):
			t.Errorf("%s has a packet with %q", path, comments)
		case strings.HasPrefix(comments, "dpd1 ") && !strings.HasPrefix(comments, "dpd1 frame="):
			t.Errorf("%s: packet %d does not say which number it had: %q", path, i+1, comments)
		}
	}
}

// TestSplitLinks: here.retry_of and here.acks lead, in each file, to the packets that retry_of and
// acks name, as far as these are in it.
func TestSplitLinks(t *testing.T) {
	t.Parallel()
	links, absent := 0, 0
	for turn, path := range captures(t) {
		args := [][]string{{"--split", "connection"}, {"--split", "time:1s"}, {"--split", "connection", "-Y", "udp.length > 20"}}[turn%3]
		for _, part := range splitInto(t, append(args, path)...) {
			at := map[string]string{} // packet by frame, of those before
			for i, p := range packets(t, part) {
				frame := ""
				for _, line := range machineLines(strings.Join(p.Comments, "\n")) {
					key := map[string]string{}
					for word := range strings.FieldsSeq(line) {
						name, value, _ := strings.Cut(word, "=")
						key[name] = value
					}
					for _, name := range []string{"retry_of", "acks"} {
						var want []string
						for frame := range strings.SplitSeq(key[name], ",") {
							if here := at[frame]; here != "" && frame != "" {
								want = append(want, here)
							} else if frame != "" {
								absent++
							}
						}
						if got := key["here."+name]; got != strings.Join(want, ",") {
							t.Fatalf("%q, %s: packet %d has here.%s=%s, want %q: %s", args, part, i+1, name, got, want, line)
						}
						links += len(want)
					}
					if key["here.acked_in"] != "" {
						t.Errorf("a packet that is written later has a number: %s", line)
					}
					frame = key["frame"]
				}
				at[frame] = fmt.Sprint(i + 1)
			}
		}
	}
	if links < 1000 || absent == 0 {
		t.Errorf("%d links, %d to packets elsewhere", links, absent)
	}
}

// TestSplitKeepsFragmentsTogether: the fragments of a datagram are in the file of its
// connection.
func TestSplitKeepsFragmentsTogether(t *testing.T) {
	path := capturePath(t, "fragmented.pcap")
	if parts := splitInto(t, "--split", "connection", path); len(parts) != 1 || filepath.Base(parts[0]) != "part-c0.pcapng" {
		t.Errorf("got %q", parts)
	}
}

// TestSplitWithChoice: --plain, -Y and spans choose as they do without.
func TestSplitWithChoice(t *testing.T) {
	path := filepath.Join("..", "..", "testdata", "pcaps", "dp4", "player-pairs.pcap")
	for _, args := range [][]string{{"-Y", "retry or ack"}, {"--from", "0.5", "--to", "1.2"}, {"--plain"}, {"--connection", "1"}, {"--workers", "3"}} {
		line := append(args, path)
		whole := filepath.Join(t.TempDir(), "whole.pcapng")
		output(t, append([]string{"annotate", "-q", "-w", whole}, line...)...)
		left := packets(t, whole)
		for _, part := range splitInto(t, append([]string{"--split", "connection"}, line...)...) {
			some := packets(t, part)
			left = remove(t, left, some)
			if says := strings.Contains(fmt.Sprint(some), "dpd1 "); says == slices.Contains(args, "--plain") {
				t.Errorf("%q: %s has comments: %v", args, part, says)
			}
		}
		if len(left) > 0 {
			t.Errorf("%q: %d packets are in no file", args, len(left))
		}
	}
}

// TestSplitLeavesNothingOnError: a run that is refused writes no file.
func TestSplitLeavesNothingOnError(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "game-c0.pcap")
	b, err := os.ReadFile(capturePath(t, "fragmented.pcap"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--split", "connection", "-w", filepath.Join(dir, "game.pcap")}, {"--split", "time:60", "--connection", "9", "-w", filepath.Join(dir, "x.pcapng")}} {
		if _, errs, code := call(t, append(append([]string{"annotate"}, args...), path)...); code != exit.Usage {
			t.Errorf("%q: exit code %d, %s", args, code, errs)
		}
	}
	if all, _ := filepath.Glob(filepath.Join(dir, "*")); len(all) != 1 {
		t.Errorf("there are %q", all)
	}
}
