package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// drop is packet i, before which so many were lost.
func drop(i int, n uint64) *capture.Record {
	rec := packet(i)
	rec.HasDrops, rec.Drops = true, n
	return rec
}

// What a file of a ring tells of drops is what happened in it, and no file tells it
// again: merged they have as many as the capture lost.
func TestDropsOfRing(t *testing.T) {
	for _, c := range []struct {
		name        string
		packetDrops bool
		told, stats []uint64 // by file
	}{
		{"packets tell", true, []uint64{3, 5, 0, 4}, []uint64{3, 5, 2, 6}},
		{"statistics tell", false, []uint64{0, 0, 0, 0}, []uint64{8, 0, 6, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			var received, dropped uint64
			r := create(t, Options{Path: filepath.Join(dir, "r.pcapng"), Ring: Ring{Packets: 2}, PacketDrops: c.packetDrops,
				Stats: func(int) (uint64, uint64, bool) { return received, dropped, true }})
			write := func(i int, n uint64) {
				received++
				if c.packetDrops {
					must(t, r.Write(drop(i, n)))
				} else {
					must(t, r.Write(packet(i)))
				}
			}
			lose := func(n uint64) { received, dropped = received+n, dropped+n }
			lose(3)
			write(0, 3)
			lose(5) // the next packet tells it, which is in the next file
			write(1, 0)
			write(2, 5)
			write(3, 0)
			write(4, 0)
			lose(2)
			received++ // not recorded; its drops are those of the file it would have been in
			skipped := packet(5)
			skipped.HasDrops, skipped.Drops = c.packetDrops, 2
			r.Skip(skipped)
			lose(4)
			// Time ends the file with the skipped packet.
			r.opts.Ring.Duration = time.Millisecond * 4
			write(9, 4)
			lose(2) // no packet tells it
			must(t, r.Close())
			for i, path := range files(t, dir) {
				if got := readFile(t, path); got.told != c.told[i] || got.stats != c.stats[i] || !got.known {
					t.Errorf("%s: packets tell %d, statistics %d", path, got.told, got.stats)
				}
			}
			if total := declared(t, files(t, dir)); total != dropped {
				t.Errorf("the files have %d drops, there were %d", total, dropped)
			}
		})
	}
}

// declared is what the program's reader makes of the files together.
func declared(t *testing.T, paths []string) (n uint64) {
	t.Helper()
	for _, path := range paths {
		c := readFile(t, path)
		n += max(c.told, c.stats)
	}
	return n
}

// The drops of a packet that is not recorded are told by the next that is.
func TestSkip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pcapng")
	r := create(t, Options{Path: path, Interfaces: []capture.Interface{{Link: 1}, {Link: 1}}})
	r.Skip(drop(0, 2))
	r.Skip(drop(1, 3))
	r.Skip(&capture.Record{Interface: 7})
	other := packet(2)
	other.Interface = 1
	must(t, r.Write(other))
	must(t, r.Write(drop(3, 1)))
	must(t, r.Write(packet(4)))
	must(t, r.Close())
	c := readFile(t, path)
	if c.recs[0].HasDrops || c.recs[1].Drops != 6 || c.recs[2].HasDrops || c.stats != 6 {
		t.Errorf("%+v", c)
	}
}

// Drops after the last file was full are not lost: a file tells of them.
func TestDropsAfterTheLastFile(t *testing.T) {
	dir := t.TempDir()
	dropped := uint64(0)
	o := Options{Path: filepath.Join(dir, "r.pcapng"), Ring: Ring{Packets: 1}, PacketDrops: true, Stats: func(int) (uint64, uint64, bool) { return 10, dropped, true }}
	r := create(t, o)
	must(t, r.Write(packet(0)))
	dropped = 4
	must(t, r.Close())
	must(t, r.Close())
	paths := files(t, dir)
	if len(paths) != 2 || readFile(t, paths[1]).stats != 4 || !strings.Contains(paths[1], testTime.Local().Format("20060102150405")) {
		t.Errorf("%v", paths)
	}
	dropped = 0
	o.Path = filepath.Join(t.TempDir(), "r.pcapng")
	r = create(t, o)
	must(t, r.Write(packet(0)))
	must(t, r.Close())
	if n := len(files(t, filepath.Dir(o.Path))); n != 1 {
		t.Errorf("%d files without any drops", n)
	}
}

// Nothing is said of drops where nothing is known.
func TestNoStatistics(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pcapng")
	r := create(t, Options{Path: path, Stats: func(int) (uint64, uint64, bool) { return 9, 9, false }})
	must(t, r.Write(packet(0)))
	must(t, r.Close())
	if c := readFile(t, path); c.known {
		t.Errorf("%d drops", c.stats)
	}
}

// TestEndOfInterfaces: the statistics say until when all packets that came are in the file: until the last packet,
// or longer where nothing came and the source says that nothing waits, whatever the clock says meanwhile.
func TestEndOfInterfaces(t *testing.T) {
	for heard, want := range map[int64]int64{0: packet(9).Time, packet(9).Time + 7e9: packet(9).Time + 7e9, packet(3).Time: packet(9).Time} {
		path := filepath.Join(t.TempDir(), "r.pcapng")
		r := create(t, Options{Path: path, Nanoseconds: true, Start: time.Unix(0, packet(0).Time-5e9), Stats: func(int) (uint64, uint64, bool) { return 10, 0, true }, Heard: func() int64 { return heard }})
		for i := range 10 {
			must(t, r.Write(packet(i)))
		}
		must(t, r.Tick(time.Unix(0, packet(9).Time+9e9)))
		must(t, r.Close())
		f, err := os.Open(path)
		must(t, err)
		rd, err := capture.NewReader(f)
		must(t, err)
		var rec capture.Record
		for err == nil {
			err = rd.Next(&rec)
		}
		f.Close()
		if got := rd.Listened(); got != (capture.Span{From: packet(0).Time - 5e9, To: want}) {
			t.Errorf("%v, want until %d", got, want)
		}
	}
}
