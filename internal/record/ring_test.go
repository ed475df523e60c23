package record

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
	"pgregory.net/rapid"
)

var ringNames = regexp.MustCompile(`^r_(\d{5})_(\d{14})\.pcapng(\.gz)?$`)

// checkRing reads the files of a ring and compares them with packets from a first
// one on. It gives how many packets each holds.
func checkRing(t testing.TB, paths []string, firstFile, firstPacket int) (counts []int) {
	t.Helper()
	n := firstPacket
	for i, path := range paths {
		m := ringNames.FindStringSubmatch(filepath.Base(path))
		if m == nil || m[1] != fmt.Sprintf("%05d", firstFile+i) {
			t.Fatalf("file %d is called %s", firstFile+i, path)
		}
		c := readFile(t, path)
		for k := range c.recs {
			if !same(&c.recs[k], packet(n)) {
				t.Fatalf("%s: packet %d is %+v", path, k, c.recs[k])
			}
			n++
		}
		counts = append(counts, len(c.recs))
	}
	return counts
}

// Each condition ends files where it should; packets are one millisecond apart and
// begin 7 ns after a full second.
func TestRingConditions(t *testing.T) {
	for _, c := range []struct {
		name string
		ring Ring
		want []int
	}{
		{"packets", Ring{Packets: 4}, []int{4, 4, 4, 4, 4, 4, 1}},
		{"duration", Ring{Duration: 10 * time.Millisecond}, []int{10, 10, 5}},
		{"interval", Ring{Interval: 8 * time.Millisecond}, []int{5, 8, 8, 4}}, // 3 ms into a period
		{"filesize", Ring{FileSize: 1}, slices.Repeat([]int{1}, 25)},
		{"first of", Ring{Duration: 10 * time.Millisecond, Packets: 7, FileSize: 1 << 20}, []int{7, 7, 7, 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			var closed []string
			o := Options{Path: filepath.Join(dir, "r.pcapng"), Ring: c.ring, Closed: func(p string) { closed = append(closed, p) }}
			first := 0
			if c.name == "interval" {
				first = 3
			}
			o.Start = time.Unix(0, packet(first).Time)
			r := create(t, o)
			for i := range 25 {
				must(t, r.Write(packet(first+i)))
			}
			must(t, r.Close())
			paths := files(t, dir)
			if got := checkRing(t, paths, 1, first); !slices.Equal(got, c.want) {
				t.Errorf("files of %v packets", got)
			}
			if !slices.Equal(closed, paths) || r.Counters().Files != len(paths) || r.Path() != paths[len(paths)-1] {
				t.Errorf("closed %v", closed)
			}
		})
	}
}

// Files are about as long as asked for, those compressed too.
func TestRingFileSize(t *testing.T) {
	for _, name := range []string{"r.pcapng", "r.pcapng.gz"} {
		dir := t.TempDir()
		r := create(t, Options{Path: filepath.Join(dir, name), Ring: Ring{FileSize: 100 << 10}})
		for i := range 40000 {
			must(t, r.Write(packet(i)))
		}
		must(t, r.Close())
		paths := files(t, dir)
		total := int64(0)
		for i, path := range paths {
			st, err := os.Stat(path)
			must(t, err)
			total += st.Size()
			slack := int64(300) // one packet and the statistics
			if name != "r.pcapng" {
				slack = packedBuffer / 2
			}
			if s := st.Size(); i < len(paths)-1 && s < 100<<10 || s > 100<<10+slack {
				t.Errorf("%s has %d bytes", path, s)
			}
		}
		if n := checkRing(t, paths, 1, 0); len(n) < 4 || total != r.Counters().FileBytes {
			t.Errorf("%v, %d bytes in all, said %d", n, total, r.Counters().FileBytes)
		}
	}
}

// In silence a file ends by Tick, once, and no empty ones are made. The next one is
// called after the packet that begins it.
func TestRingSilence(t *testing.T) {
	dir := t.TempDir()
	r := create(t, Options{Path: filepath.Join(dir, "r.pcapng"), Start: testTime, Ring: Ring{Duration: 2 * time.Second}})
	tick := func(s float64) { must(t, r.Tick(testTime.Add(time.Duration(s*1e9)))) }
	for s := range 10 {
		tick(float64(s)) // an empty file is not ended
	}
	must(t, r.Write(packet(10_500)))
	tick(12)
	tick(12.4)
	if n := len(files(t, dir)); n != 1 || r.out == nil {
		t.Fatalf("%d files", n)
	}
	tick(12.6)
	if r.out != nil {
		t.Fatal("the file is not ended")
	}
	checkRing(t, files(t, dir), 1, 10_500)
	tick(15)
	must(t, r.Write(packet(20_900)))
	must(t, r.Write(packet(22_899)))
	must(t, r.Write(packet(22_900)))
	must(t, r.Close())
	paths := files(t, dir)
	if len(paths) != 3 || !strings.Contains(paths[0], testTime.Local().Format("_20060102150405.")) ||
		!strings.Contains(paths[1], testTime.Add(20*time.Second).Local().Format("_20060102150405.")) ||
		!strings.Contains(paths[2], testTime.Add(22*time.Second).Local().Format("_20060102150405.")) {
		t.Errorf("%v", paths)
	}
	if n := len(readFile(t, paths[1]).recs); n != 2 {
		t.Errorf("%d packets in the second file", n)
	}
}

// A clock that is set back does not stop the ring.
func TestRingClockSetBack(t *testing.T) {
	dir := t.TempDir()
	r := create(t, Options{Path: filepath.Join(dir, "r.pcapng"), Ring: Ring{Duration: 10 * time.Millisecond}})
	for i := range 40 {
		rec := packet(i)
		if i >= 20 {
			rec.Time -= int64(time.Hour)
		}
		must(t, r.Write(rec))
	}
	must(t, r.Close())
	var counts []int
	for _, path := range files(t, dir) {
		counts = append(counts, len(readFile(t, path).recs))
	}
	if !slices.Equal(counts, []int{10, 20, 10}) {
		t.Errorf("%v", counts)
	}
}

// Whatever the conditions, and whenever ticks come: every packet is in one file, in
// order, every file is sound and within its limits, and drops add up to what the
// capture lost.
func TestRingProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "ring")
		must(t, err)
		defer os.RemoveAll(dir)
		ring := Ring{
			Duration: time.Duration(rapid.IntRange(0, 30).Draw(rt, "duration")) * time.Millisecond,
			Interval: time.Duration(rapid.IntRange(0, 30).Draw(rt, "interval")) * time.Millisecond,
			FileSize: rapid.Int64Range(0, 3000).Draw(rt, "filesize"),
			Packets:  rapid.Uint64Range(0, 20).Draw(rt, "packets"),
		}
		if ring.on() {
			ring.Keep.Files = rapid.IntRange(0, 5).Draw(rt, "files")
		}
		packetDrops := rapid.Bool().Draw(rt, "packet drops")
		lost := [2]uint64{}
		received := [2]uint64{}
		o := Options{
			Path: filepath.Join(dir, "r.pcapng"), Ring: ring, PacketDrops: packetDrops,
			Interfaces: []capture.Interface{{Link: 1}, {Link: 1}},
			Compress:   rapid.SampledFrom([]string{"", "gzip", "zstd", "lz4"}).Draw(rt, "compress"),
			Stats:      func(i int) (uint64, uint64, bool) { return received[i], lost[i], true },
		}
		if rapid.Bool().Draw(rt, "start") {
			o.Start = testTime
		}
		r := create(t, o)
		var want []*capture.Record
		untold := [2]uint64{}
		at := 0
		for range rapid.IntRange(0, 150).Draw(rt, "steps") {
			rec := packet(at)
			i := rapid.IntRange(0, 1).Draw(rt, "interface")
			rec.Interface = i
			switch rapid.IntRange(0, 9).Draw(rt, "step") {
			case 0:
				at += rapid.IntRange(1, 100).Draw(rt, "silence")
				must(t, r.Tick(time.Unix(0, packet(at).Time)))
			case 1:
				must(t, r.Flush())
			case 2:
				lost[i]++
				received[i]++
				untold[i]++
			case 3:
				received[i]++
				if packetDrops && untold[i] > 0 {
					rec.HasDrops, rec.Drops, untold[i] = true, untold[i], 0
				}
				r.Skip(rec)
				at++
			default:
				received[i]++
				if packetDrops && untold[i] > 0 {
					rec.HasDrops, rec.Drops, untold[i] = true, untold[i], 0
				}
				must(t, r.Write(rec))
				want = append(want, rec)
				at++
			}
		}
		must(t, r.Close())
		checkProperty(rt, r, dir, want, lost[0]+lost[1])
	})
}

func checkProperty(t *rapid.T, r *Recorder, dir string, want []*capture.Record, lost uint64) {
	paths, _ := filepath.Glob(filepath.Join(dir, "*"))
	slices.Sort(paths)
	g := r.opts.Ring
	if g.Keep.Files > 0 && len(paths) > g.Keep.Files || !g.on() && len(paths) != 1 || len(paths)+r.Counters().Deleted != r.Counters().Files {
		t.Fatalf("%d files, %+v", len(paths), r.Counters())
	}
	var all []capture.Record
	drops := uint64(0)
	for i, path := range paths {
		b, _ := os.ReadFile(path)
		c := read(b)
		if c.err.Error() != "EOF" || !c.known || c.stats < c.told {
			t.Fatalf("%s: %v, %d drops by packets, %d by statistics", path, c.err, c.told, c.stats)
		}
		drops += max(c.told, c.stats)
		n := len(c.recs)
		if n == 0 && i > 0 && (i < len(paths)-1 || c.stats == 0) || g.Packets > 0 && n > int(g.Packets) {
			t.Fatalf("%s has %d packets", path, n)
		}
		if n > 0 {
			span := c.recs[n-1].Time - c.recs[0].Time
			if g.Duration > 0 && span >= int64(g.Duration) || g.Interval > 0 && c.recs[n-1].Time/int64(g.Interval) != c.recs[0].Time/int64(g.Interval) {
				t.Fatalf("%s spans %v", path, time.Duration(span))
			}
		}
		all = append(all, c.recs...)
	}
	if r.Counters().Deleted == 0 && (len(all) != len(want) || drops != lost) {
		t.Fatalf("%d packets of %d, %d drops of %d", len(all), len(want), drops, lost)
	}
	want = want[len(want)-len(all):]
	for i := range all {
		if string(all[i].Data) != string(want[i].Data) || all[i].Interface != want[i].Interface || all[i].Time != want[i].Time {
			t.Fatalf("packet %d of %d: %+v", i, len(all), all[i])
		}
	}
}
