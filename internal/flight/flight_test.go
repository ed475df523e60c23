package flight

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/record"
	"github.com/dpdissect/dpdissect/internal/trigger"
	"github.com/dpdissect/dpdissect/session"
)

// A flown is what became of a capture that went through a flight recorder.
type flown struct {
	told  []string
	dumps []string // paths
	dir   string
}

// fly lets a capture pass a recorder that looks once a second of the capture.
func fly(t *testing.T, file, on string, keep time.Duration) flown {
	t.Helper()
	tr, err := trigger.Compile(on)
	if err != nil {
		t.Fatal(err)
	}
	f := flown{dir: t.TempDir()}
	src, err := capture.Open([]string{filepath.Join("../../testdata/pcaps", file)}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := New(Options{
		Trigger: tr, Keep: keep, Tell: func(s string) { f.told = append(f.told, s) },
		File: record.Options{Path: filepath.Join(f.dir, "game.pcap"), Compress: "gzip", Interfaces: []capture.Interface{{Name: "eth7", Link: capture.LinkEthernet}}},
	})
	run := pipeline.Run{Source: src, Workers: 1, Config: session.Config{Protocols: protocols.All(protocols.Options{}), Endings: true}}
	var found pipeline.Findings
	found.Watch(true)
	found.Attach(&run)
	var next, now int64
	times := map[uint64]int64{} // of packets that were read, which may not be tracked yet
	run.Before = func(p *capture.Packet) {
		r.Add(p.Record, p.Frame)
		times[p.Frame] = p.Time
	}
	look := func() { r.Look(time.Unix(0, now), Totals{}, run.Conns(), found.Fresh()) }
	run.After = func(frame uint64) error {
		if now = times[frame]; now >= next {
			look()
			next = now + 1e9
		}
		return nil
	}
	if err := run.Do(); err != nil {
		t.Fatal(err)
	}
	now += 1e9
	look()
	r.Close(time.Unix(0, now))
	f.dumps, _ = filepath.Glob(filepath.Join(f.dir, "game_dump_*.pcapng"))
	if r.Dumps() != len(f.dumps) {
		t.Errorf("%d dumps, %d files", r.Dumps(), len(f.dumps))
	}
	return f
}

// read gives the packets of a dump, with their comments.
func read(t *testing.T, path string) (out []capture.Record) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := capture.NewReader(f)
	if err != nil || r.Format() != "pcapng" || r.Compression() != "" {
		t.Fatal(err, r.Format(), r.Compression())
	}
	var rec capture.Record
	for r.Next(&rec) == nil {
		c := rec
		c.Data, c.Comments = nil, slices.Clone(rec.Comments)
		out = append(out, c)
	}
	return out
}

func TestFindingIsKept(t *testing.T) {
	f := fly(t, "dp8/full-signed-lossy.pcap", "finding.error", 2*time.Second)
	if len(f.dumps) != 1 || len(f.told) != 1 || !strings.Contains(f.told[0], "finding.error") || !strings.Contains(f.told[0], "connection 0 (dp8 192.0.2.10:2302, 198.51.100.20:2302)") {
		t.Fatalf("%q, told %q", f.dumps, f.told)
	}
	packets := read(t, f.dumps[0])
	commented := 0
	for _, p := range packets {
		for _, c := range p.Comments {
			if strings.HasPrefix(c, "error DP8-SIG-FULL: ") {
				commented++
			}
		}
	}
	if commented != 1 {
		t.Errorf("%d packets say that their signature is wrong, want 1", commented)
	}
	if span := packets[len(packets)-1].Time - packets[0].Time; span > 2e9 || span < 1.5e9 {
		t.Errorf("the dump spans %v, want the last 2 s", time.Duration(span))
	}
}

func TestDisconnectIsKept(t *testing.T) {
	f := fly(t, "dp8/full-signed-lossy.pcap", "disconnect", 30*time.Second)
	if len(f.dumps) != 1 || !strings.Contains(f.told[0], "disconnect") {
		t.Fatalf("%q, told %q", f.dumps, f.told)
	}
	if n := len(read(t, f.dumps[0])); n != 533 {
		t.Errorf("%d packets, want all 533", n)
	}
}

// TestMeasureFiresOnce: a measure that stays beyond its limit is one reason, and
// dumps keep their distance.
func TestMeasureFiresOnce(t *testing.T) {
	f := fly(t, "dp8/full-signed-lossy.pcap", "throughput > 1", 500*time.Millisecond)
	if len(f.dumps) != 1 {
		t.Errorf("%d dumps, want 1: %q", len(f.dumps), f.told)
	}
	f = fly(t, "dp8/full-signed-lossy.pcap", "finding or connect or disconnect or loss > 1%", 3*time.Second)
	if len(f.dumps) < 2 || len(f.dumps) > 4 {
		t.Errorf("%d dumps in 6 s, want one in 3 s and one at the end: %q", len(f.dumps), f.told)
	}
}

// TestEndIsExplained: the reason of a dump says how the connection ended, and the packet that
// shows it best says it in a sentence.
func TestEndIsExplained(t *testing.T) {
	for file, want := range map[string][2]string{
		"hazel/killed-peer.pcap":          {"most likely nothing more came from", "Nothing came from"},
		"dp8/full-signed-lossy.pcap":      {"connection 0", "closed the connection in order"},
		"knet/killed-peer-reference.pcap": {"most likely nothing more came from", "Nothing came from"},
	} {
		f := fly(t, file, "disconnect or timeout", 120*time.Second)
		if len(f.dumps) == 0 || !strings.Contains(strings.Join(f.told, "; "), want[0]) {
			t.Errorf("%s: told %q, want %q", file, f.told, want[0])
			continue
		}
		said := 0
		for _, dump := range f.dumps {
			for _, p := range read(t, dump) {
				for _, c := range p.Comments {
					if strings.HasPrefix(c, "connection 0: ") && strings.Contains(c, want[1]) {
						said++
					}
				}
			}
		}
		if said == 0 {
			t.Errorf("%s: no packet says %q", file, want[1])
		}
	}
}

// TestHostileDump: the words of a packet reach comments and the name of a dump escaped.
func TestHostileDump(t *testing.T) {
	f := fly(t, "hazel/kicked-hostile.pcap", "disconnect or finding", 120*time.Second)
	escaped := 0
	for _, dump := range f.dumps {
		whole, err := os.ReadFile(dump)
		if err != nil || !strings.Contains(string(whole), "kept by --on") || strings.ContainsFunc(filepath.Base(dump), unicode.IsControl) {
			t.Errorf("%q: %v", dump, err)
		}
		for _, p := range read(t, dump) {
			for _, c := range p.Comments {
				if strings.ContainsFunc(c, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
					t.Errorf("%s: a comment %q", dump, c)
				}
				if strings.Contains(c, `\x1b`) {
					escaped++
				}
			}
		}
	}
	if escaped == 0 {
		t.Errorf("no comment has the words: %q, told %q", f.dumps, f.told)
	}
}

func TestNothingHappens(t *testing.T) {
	if f := fly(t, "dp8/full-signed-lossy.pcap", "reset or ping > 100s", time.Second); len(f.dumps) != 0 || len(f.told) != 0 {
		t.Errorf("%q, told %q", f.dumps, f.told)
	}
}

func TestDumpName(t *testing.T) {
	at := time.Date(2026, 11, 20, 19, 30, 0, 0, time.Local)
	for path, want := range map[string]string{
		"game.pcapng": "game", "/tmp/x.pcap": "/tmp/x", "a.pcapng.zst": "a", "plain": "plain", "a.b/c.cap.gz": "a.b/c",
	} {
		if got := dumpName(path, 7, at); got != fmt.Sprintf("%s_dump_00007_20261120193000.pcapng", want) {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// TestDumpFails: the capture goes on, and the reason is told.
func TestDumpFails(t *testing.T) {
	tr, _ := trigger.Compile("drops")
	var told []string
	r := New(Options{Trigger: tr, Keep: time.Second, Tell: func(s string) { told = append(told, s) }, File: record.Options{
		Path: filepath.Join(t.TempDir(), "none", "x.pcapng"), Interfaces: []capture.Interface{{Link: capture.LinkEthernet}},
	}})
	r.Look(time.Unix(1, 0), Totals{Dropped: 3}, nil, nil)
	if len(told) != 1 || !strings.Contains(told[0], "x_dump_00001_") || !strings.Contains(told[0], "no such file") {
		t.Errorf("told %q", told)
	}
}

// TestTimeoutIsKept: the packets say what nothing answered, and which one was the last.
func TestTimeoutIsKept(t *testing.T) {
	for _, file := range []string{"hazel/killed-peer.pcap", "dp8/killed-peer.pcap", "dp4/peer-vanishes.pcap", "knet/killed-peer-reference.pcap"} {
		f := fly(t, file, "timeout", 60*time.Second)
		if len(f.dumps) == 0 {
			t.Errorf("%s: no dump", file)
			continue
		}
		unanswered, last := 0, 0
		for _, p := range read(t, f.dumps[0]) {
			for _, c := range p.Comments {
				switch {
				case strings.Contains(c, "timed out: reliable packet "):
					unanswered++
				case strings.HasSuffix(c, "timed out: this is its latest packet"):
					last++
				}
			}
		}
		if last != 1 || file == "dp8/killed-peer.pcap" && unanswered != 1 {
			t.Errorf("%s: %d packets are said to be the latest, %d to be unanswered", file, last, unanswered)
		}
	}
}

// TestDumpsOfEarlierRuns: a trigger that fires for ever, in a service that is started
// again and again, leaves so many dumps.
func TestDumpsOfEarlierRuns(t *testing.T) {
	dir := t.TempDir()
	tr, _ := trigger.Compile("drops")
	dump := func() {
		r := New(Options{Trigger: tr, Keep: time.Second, Retain: 2, Tell: func(string) {}, File: record.Options{
			Path: filepath.Join(dir, "x.pcapng"), Interfaces: []capture.Interface{{Link: capture.LinkEthernet}},
		}})
		r.Look(time.Now(), Totals{Dropped: 3}, nil, nil)
	}
	other := filepath.Join(dir, "x_00001_20200101000000.pcapng")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		dump()
		dumps, _ := filepath.Glob(filepath.Join(dir, "x_dump_*"))
		if want := min(n+1, 2); len(dumps) != want {
			t.Fatalf("%d dumps after %d runs, want %d", len(dumps), n+1, want)
		}
		for i, path := range dumps { // names are of a second
			older := filepath.Join(dir, fmt.Sprintf("x_dump_00001_2020010100%02d%02d.pcapng", n, i))
			if err := os.Rename(path, older); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}

// TestCutOff: who is cut off fires the trigger, and who leaves in order does not.
func TestCutOff(t *testing.T) {
	for file, want := range map[string]bool{
		"hazel/killed-peer.pcap": true, "dp8/killed-peer.pcap": true, "knet/killed-peer-reference.pcap": true,
		"dp8/full-signed-lossy.pcap": false, "hazel/clean-current.pcap": false, "knet/lossy-reference.pcap": false,
	} {
		f := fly(t, file, "cut-off", 60*time.Second)
		if got := len(f.dumps) > 0; got != want {
			t.Errorf("%s: dumps %q, told %q, want one: %v", file, f.dumps, f.told, want)
		}
	}
}
